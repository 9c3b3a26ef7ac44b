import Foundation
import SafeXML
import Testing

struct EncodingTests {
    private let text = "<a>Grüße, 日本\n</a>"

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian], ["", "\u{FEFF}", "\u{FEFF}\n \n", "\n"])
    func `UTF-16 is known by its mark or its zeros`(encoding: String.Encoding, start: String) throws {
        let declared = "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\(text)"
        let data = try #require((start + declared).data(using: encoding))
        for slice in 90..<data.count {
            #expect(try EventRecorder.events(in: data, slice: slice)[1] == "Grüße, 日本\n", "pieces of \(slice)")
        }
        #expect(try EventRecorder.events(in: data)[1] == "Grüße, 日本\n")
    }

    @Test func `UTF-16 without a declaration is read too`() throws {
        let data = try #require("\u{FEFF}\(text)".data(using: .utf16LittleEndian))
        #expect(try EventRecorder.events(in: data)[1] == "Grüße, 日本\n")
    }

    @Test(arguments: [
        ("ISO-8859-1", String.Encoding.isoLatin1), ("windows-1252", .windowsCP1252), ("iso-8859-15", .isoLatin1),
    ])
    func `a declared encoding is followed`(name: String, encoding: String.Encoding) throws {
        let text = String(repeating: "Grüße ", count: 2000)
        let data = try #require("<?xml version='1.0' encoding='\(name)'?><a b='é'>\(text)</a>".data(using: encoding))
        let whole = try EventRecorder.events(in: data)
        #expect(whole == ["<{}a {}b=é>", text, "</a>"])
        for slice in 60..<90 {
            #expect(try EventRecorder.events(in: data, slice: slice) == whole, "pieces of \(slice)")
        }
    }

    @Test func `a document that is called UTF-16 and is not is taken for UTF-8`() throws {
        #expect(try EventRecorder.events(in: "<?xml version=\"1.0\" encoding=\"UTF-16\"?><a>é</a>")[1] == "é")
    }

    @Test func `a forced encoding wins over the declaration`() throws {
        let data = try #require("<?xml version='1.0' encoding='utf-8'?><a>é</a>".data(using: .isoLatin1))
        #expect(try EventRecorder.events(in: data, encoding: "iso-8859-1")[1] == "é")
        #expect(
            try EventRecorder.events(
                in: Data("<?xml version='1.0' encoding='latin1'?><a>é</a>".utf8), encoding: "utf-8")[1] == "é")
    }

    @Test func `an encoding that nobody knows is refused`() {
        #expect(
            refusal { try EventRecorder.events(in: Data("<a/>".utf8), encoding: "x-none") }?.code
                == .fileReadUnknownStringEncoding)
        #expect(
            refusal { try EventRecorder.events(in: "<?xml version='1.0' encoding='x-none'?><a/>") }?.code
                == .fileReadCorruptFile)
    }

    @Test(
        arguments: [[0xFF], [0xC3], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x01]] as [[UInt8]])
    func `bytes that are no text in the encoding are refused`(bytes: [UInt8]) {
        let data = Data("<a>".utf8) + bytes + Data("</a>".utf8)
        #expect(refusal { try EventRecorder.events(in: data) }?.code == .fileReadCorruptFile)
    }

    @Test func `bytes that cannot be converted are refused`() throws {
        let lone = try #require("\u{FEFF}<a>".data(using: .utf16LittleEndian)) + Data([0x00, 0xDC, 0x3C, 0x00])
        #expect(refusal { try EventRecorder.events(in: lone) }?.code == .fileReadCorruptFile)
        let asian =
            Data("<?xml version='1.0' encoding='euc-jp'?><a>".utf8) + Data([0xFF, 0xFF, 0x41]) + Data("</a>".utf8)
        #expect(refusal { try EventRecorder.events(in: asian) }?.code == .fileReadCorruptFile)
    }
}
