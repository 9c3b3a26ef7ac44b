import Foundation
import SafeXML
import Testing

@Suite struct OwnEntityTests {
    private func parse(_ text: String, isLenient: Bool = false) throws -> XMLElement {
        try XMLElement.parse(Data(text.utf8), isLenient: isLenient, expandsEntities: true)
    }

    @Test(arguments: [false, true]) func `an entity that is plain text is put in, in text and attributes`(
        isLenient: Bool
    ) throws {
        let doctype =
            "<!DOCTYPE a [<!ENTITY co 'Acme &amp; Söhne &#169; &#38;lt;'><!ENTITY co 'second'><!ENTITY nbsp '-'><!ENTITY e ''>]>"
        let root = try parse("\(doctype)<a b='&co;!&e; &amp;co; &eacute;'>by &co;&nbsp;&e;</a>", isLenient: isLenient)
        #expect(root.text == "by Acme & Söhne © <-")
        #expect(root.attribute("b") == "Acme & Söhne © <! &co; é")
    }

    @Test func `a document that is not well-formed keeps them`() throws {
        #expect(
            try parse("<!DOCTYPE a [<!ENTITY co 'Acme'>]><a><b></c>A & B by &co;</a>", isLenient: true).text
                == "A & B by Acme")
    }

    @Test func `what repeats HTML's meaning counts before another one`() throws {
        #expect(try parse("<!DOCTYPE a [<!ENTITY nbsp '&#160;'><!ENTITY nbsp 'x'>]><a>&nbsp;</a>").text == "\u{A0}")
    }

    @Test func `unless it is asked for, nothing is put in`() {
        let text = Data("<!DOCTYPE a [<!ENTITY x 'harmless'>]><a>&x;</a>".utf8)
        for isLenient in [false, true] {
            #expect(throws: CocoaError.self) { try XMLElement.parse(text, isLenient: isLenient) }
        }
    }

    @Test(
        arguments: [
            "<!ENTITY x SYSTEM 'file:///etc/passwd'>", "<!ENTITY x PUBLIC '-//x' 'http://127.0.0.1:9/'>",
            "<!ENTITY y 'ha'><!ENTITY x '&y;'>",
            "<!ENTITY x '&x;'>", "<!ENTITY x '&y;'><!ENTITY y '&x;'>", "<!ENTITY x '<b/>'>", "<!ENTITY x '&#60;b/>'>",
            "<!ENTITY x 'a&#37;p;'>",
            "<!ENTITY % p 'z'><!ENTITY x 'a%p;'>", "<!ENTITY % x 'z'>", "<!ENTITY x SYSTEM 'a'><!ENTITY x 'second'>",
            "<!NOTATION n SYSTEM 'n'><!ENTITY x SYSTEM 'a' NDATA n>", "<!ENTITY x '&#38;y;'>", "<!ENTITY x '&#38; y'>",
            "<!ENTITY nbsp '&x;'><!ENTITY x '&nbsp;'>",
        ], [false, true])
    func `one that is external, or holds another or markup, is refused`(declarations: String, isLenient: Bool) {
        for use in ["<a>&x;</a>", "<a b='&x;'/>"] {
            let error = refusal { try parse("<!DOCTYPE a [\(declarations)]>\(use)", isLenient: isLenient) }
            #expect(error?.code == .fileReadCorruptFile, "\(use)")
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [false, true]) func `a billion laughs are not laughed`(isLenient: Bool) {
        let levels = (1...9).map { "<!ENTITY l\($0) '\(String(repeating: "&l\($0 - 1);", count: 10))'>" }.joined()
        for use in ["<a>&l9;</a>", "<a b='&l9;'/>", "<a>&l1;</a>"] {
            let text = "<!DOCTYPE a [<!ENTITY l0 'ha'>\(levels)]>\(use)"
            #expect(refusal { try parse(text, isLenient: isLenient) }?.sentence.contains("is not expanded") == true)
        }
    }

    @Test(arguments: [false, true]) func `the first 100 count`(isLenient: Bool) throws {
        let doctype = "<!DOCTYPE a [\((1...101).map { "<!ENTITY e\($0) '\($0)'>" }.joined())]>"
        #expect(try parse("\(doctype)<a>&e1;&e100;</a>", isLenient: isLenient).text == "1100")
        #expect(
            refusal { try parse("\(doctype)<a>&e101;</a>", isLenient: isLenient) }?.sentence.contains("“e101”") == true)
    }

    @Test(arguments: [false, true]) func `64 KiB are put in, and no more`(isLenient: Bool) throws {
        func document(_ size: Int, _ uses: Int) -> String {
            "<!DOCTYPE a [<!ENTITY x '\(String(repeating: "x", count: size))'>]><a b='&x;'>"
                + String(repeating: "<b>&x;</b>", count: uses - 1) + "</a>"
        }
        #expect(try parse(document(1_024, 64), isLenient: isLenient).text.utf8.count == 63 * 1_024)
        #expect(try parse(document(65_536, 1), isLenient: isLenient).attribute("b")?.utf8.count == 65_536)
        for (size, uses) in [(1_024, 65), (65_537, 1), (32_769, 2), (1, 65_537)] {
            #expect(
                refusal { try parse(document(size, uses), isLenient: isLenient) }?.code == .fileReadCorruptFile,
                "\(size), \(uses)")
        }
    }
}
