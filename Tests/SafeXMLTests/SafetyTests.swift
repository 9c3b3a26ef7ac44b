import Foundation
import SafeXML
import Testing

struct SafetyTests {
    @Test(arguments: [
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'http://127.0.0.1:9/'>]><a b='&x;'/>",
        "<!DOCTYPE a [<!ENTITY x 'harmless'>]><a>&x;</a>",
        "<!DOCTYPE a [<!ENTITY x 'harmless'>]><a b='&x;'/>",
        "<!DOCTYPE a [<!ENTITY x 'harmless'><!ATTLIST a b CDATA '&x;'>]><a/>",
        "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a>&x;</a>",
        "<a>&x;</a>", "<a b='&x;'/>",
    ])
    func `an entity of the document's own is refused wherever it is used`(text: String) {
        let error = refusal { try EventRecorder.events(in: text) }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(error?.sentence.contains("entity “x”, which is not expanded") == true, "\(error?.sentence ?? "")")
    }

    @Test(arguments: [
        "<!DOCTYPE a [<!ENTITY % x SYSTEM 'file:///etc/passwd'> %x;]><a/>",
        "<!DOCTYPE a [<!ENTITY % x '<!ENTITY y \"1\">'> %x;]><a/>",
        "<!DOCTYPE a [<!ENTITY % x 'z'><!ENTITY y 'a&#37;x;'>]><a>&y;</a>",
    ])
    func `parameter entities are refused too`(text: String) {
        #expect(refusal { try EventRecorder.events(in: text) }?.code == .fileReadCorruptFile)
    }

    @Test(.timeLimit(.minutes(1))) func `a billion laughs are not laughed`() {
        let levels = (1...9).map { "<!ENTITY l\($0) '\(String(repeating: "&l\($0 - 1);", count: 10))'>" }.joined()
        for use in ["<a>&l9;</a>", "<a b='&l9;'/>"] {
            let text = "<!DOCTYPE a [<!ENTITY l0 'ha'>\(levels)]>\(use)"
            #expect(refusal { try EventRecorder.events(in: text) }?.sentence.contains("“l9”") == true)
        }
    }

    @Test func `a long entity used many times is refused at its first use`() {
        let text =
            "<!DOCTYPE a [<!ENTITY x '\(String(repeating: "x", count: 100_000))'>]><a>"
            + String(repeating: "&x;", count: 100_000) + "</a>"
        #expect(refusal { try EventRecorder.events(in: text) }?.sentence.contains("“x”") == true)
    }

    @Test func `attributes that a DTD would add stay away, so they cannot multiply`() throws {
        let text =
            "<!DOCTYPE a [<!ATTLIST b c CDATA '\(String(repeating: "x", count: 1_000_000))'>]><a>"
            + String(repeating: "<b/>", count: 20_000) + "</a>"
        #expect(try EventRecorder.events(in: text).dropFirst().allSatisfy { $0.count < 10 })
    }

    @Test(arguments: [
        "<!DOCTYPE ncx PUBLIC '-//NISO//DTD ncx 2005-1//EN' 'http://www.daisy.org/z3986/2005/ncx-2005-1.dtd'>",
        "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.1//EN' 'http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd'>",
        "<!DOCTYPE html>", "<!doctype html>", "<!DocType html>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'><!ENTITY y 'z'><!NOTATION n SYSTEM 'n'>]>",
    ])
    func `a document type declaration alone is harmless`(doctype: String) throws {
        let events = try EventRecorder.events(
            in: "<?xml version='1.0'?>\n\(doctype)\n<a b='&nbsp;'>x&nbsp;y&mdash;</a>")
        #expect(events == ["<{}a {}b=\u{A0}>", "x\u{A0}y—", "</a>"])
    }

    @Test func `a character of HTML that the document gives another meaning is refused`() throws {
        let same = "<!DOCTYPE a [<!ENTITY nbsp '&#160;'>]><a>&nbsp;</a>"
        #expect(try EventRecorder.events(in: same)[1] == "\u{A0}")
        let other = "<!DOCTYPE a [<!ENTITY nbsp 'x'>]><a>&nbsp;</a>"
        #expect(refusal { try EventRecorder.events(in: other) }?.sentence.contains("“nbsp”") == true)
    }

    @Test func `nothing of a broken document is printed`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "safexml-\(UUID().uuidString)")
        let descriptor = open(file.path, O_CREAT | O_RDWR, 0o600)
        let saved = dup(STDERR_FILENO)
        dup2(descriptor, STDERR_FILENO)
        let broken = [
            "<a>&x;</a>", "<a><b:c/></d>", "<?xml version='1.0' encoding='euc-jp'?><a>\u{FF}\u{FF}</a>",
            "<!DOCTYPE a [%x;]><a/>",
        ]
        for text in broken {
            _ = refusal { try EventRecorder.events(in: Data(text.unicodeScalars.map { UInt8($0.value) })) }
        }
        dup2(saved, STDERR_FILENO)
        close(saved)
        close(descriptor)
        defer { try? FileManager.default.removeItem(at: file) }
        let printed = try String(contentsOf: file, encoding: .utf8)
        #expect(!printed.contains("parser error") && !printed.contains("conversion failed"))
    }

    @Test func `many parsers may run at once`() async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<50 {
                group.addTask {
                    let inner = (0..<index).map { "<b c='&eacute;\($0)'>&nbsp;</b>" }.joined()
                    return try XMLElement.parse(Data("<a>\(inner)</a>".utf8)).all("b").count - index
                }
            }
            for try await difference in group { #expect(difference == 0) }
        }
    }
}
