import Foundation
import SafeXML
import Testing

struct WellFormednessTests {
    /// Everything that a start could get wrong when it is cut: names, entities, CDATA, comments, wide characters.
    private let document = Data(
        """
        \u{FEFF}

        <?xml version="1.0" encoding="utf-8"?>\r
        <!-- a comment --><!doctype a [ <!ELEMENT a ANY> <!ENTITY nbsp "&#160;"> ]>
        <a xmlns="urn:d" xmlns:p="urn:p" p:x="ä&amp;&eacute;&#8364;&lt;" y="&amp;nbsp;">grün &euro;&amp;<![CDATA[<ro]]t>]]>\r
        <p:b/>日本語<!-- x -->語𝄞<?pi data?></a>

        """.utf8)

    private let expected = [
        "<{urn:d}a {urn:p}x=ä&é€< {}y=&nbsp;>", "grün €&<ro]]t>\n", "<{urn:p}b>", "</b>", "日本語語𝄞", "</a>",
    ]

    @Test func `a document gives its events, with entities of XML and HTML put in`() throws {
        #expect(try EventRecorder.events(in: document) == expected)
    }

    @Test func `cutting the document anywhere changes nothing`() throws {
        for split in 0...document.count {
            #expect(try EventRecorder.events(in: document, splits: [split]) == expected, "cut at \(split)")
        }
    }

    @Test func `the parser may be given the document in pieces of any size, once its start is there`() throws {
        for slice in 100..<document.count {
            #expect(try EventRecorder.events(in: document, slice: slice) == expected, "pieces of \(slice)")
        }
    }

    @Test func `long text may be cut within a character`() throws {
        let text = String(repeating: "日ä𝄞b\n", count: 300)
        let data = Data("<a>\(text)<![CDATA[\(text)]]></a>".utf8)
        for slice in Array(10..<40) + Array(3300..<3330) {
            #expect(
                try EventRecorder.events(in: data, slice: slice) == ["<{}a>", text + text, "</a>"], "pieces of \(slice)"
            )
        }
    }

    @Test func `a document cut short anywhere is refused`() throws {
        let end = try #require(document.lastIndex(of: UInt8(ascii: ">")))
        for length in 0..<end {
            let error = refusal { try EventRecorder.events(in: document.prefix(length)) }
            #expect(error?.code == .fileReadCorruptFile, "cut after \(length) bytes")
        }
    }

    @Test(arguments: [
        "", "   \n", "no tags", "<a>", "<a></b>", "<a/><b/>", "<a/>x", "<a b=1/>", "<a b='1' b='2'/>", "<a>&#0;</a>",
        "\u{FEFF}",
    ])
    func `malformed documents are refused`(text: String) {
        #expect(refusal { try EventRecorder.events(in: text) }?.code == .fileReadCorruptFile)
    }

    @Test func `the error names the line, counted in the file as it is`() {
        let error = refusal { try EventRecorder.events(in: "\n\n<a>\n</b>") }
        #expect(error?.sentence.contains("at line 4") == true, "\(error?.sentence ?? "")")
    }

    @Test func `an error stays: what comes after it is not read`() throws {
        let recorder = EventRecorder()
        let parser = try XMLEventParser(handler: recorder)
        #expect(throws: CocoaError.self) {
            try parser.parse(Data("<a></b>\(String(repeating: " ", count: 300_000))".utf8))
        }
        #expect(throws: CocoaError.self) { try parser.parse(Data("<c/>".utf8)) }
        #expect(throws: CocoaError.self) { try parser.finish() }
        #expect(recorder.events == ["<{}a>"])
    }

    @Test func `an error of the handler ends the parsing and comes out as it is`() throws {
        final class RefusingHandler: XMLEventHandler {
            func start(element: String, namespace: String, attributes: [XMLAttribute]) throws {
                throw POSIXError(.ECANCELED)
            }
        }
        let parser = try XMLEventParser(handler: RefusingHandler())
        try parser.parse(Data("<a/>".utf8))
        #expect(throws: POSIXError(.ECANCELED)) { try parser.finish() }
    }

    @Test func `prefixes and default namespaces are told apart by what they stand for`() throws {
        let events = try EventRecorder.events(
            in: "<x:a xmlns:x='u'><b xmlns='v' x:c='1' d='2'><e/></b><f xmlns=''/></x:a>")
        #expect(events.filter { !$0.hasPrefix("</") } == ["<{u}a>", "<{v}b {u}c=1 {}d=2>", "<{v}e>", "<{}f>"])
    }

    @Test func `a prefix that nothing declares is dropped`() throws {
        #expect(try EventRecorder.events(in: "<a><dc:title opf:role='x'/></a>")[1] == "<{}title {}role=x>")
    }
}
