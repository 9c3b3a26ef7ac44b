import Foundation
import SafeXML
import Testing

@Suite struct LenientTests {
    private func parse(_ text: String) throws -> XMLElement { try XMLElement.parse(Data(text.utf8), isLenient: true) }

    @Test(arguments: [
        "<a><b>x & y</b><c/></a>", "<a><b>x</b><c>", "<a><b>x<br></b><c/></a>", "<a><b>x</b><c/></a><d/>",
    ])
    func `what is not well-formed is read as far as it makes sense`(text: String) throws {
        #expect(throws: CocoaError.self) { try XMLElement.parse(Data(text.utf8)) }
        let root = try parse(text)
        #expect(
            root.name == "a" && root.descendants("b").first?.text.hasPrefix("x") == true
                && root.descendants("c").count == 1)
    }

    @Test(arguments: [
        ("<a>Tom & Jerry</a>", "Tom & Jerry"), ("<a>&</a>", "&"), ("<a>AT&T &nbsp;&", "AT&T \u{A0}&"),
        ("<a>a=1&b=2;c &#; &#x; &#xg; &; &1;</a>", "a=1&b=2;c &#; &#x; &#xg; &; &1;"),
        ("<a>x <br> &amp; &lt;&gt;&quot;&apos; &eacute; &#233;</a>", "x  & <>\"' é é"),
        ("<a><b></c>x &eacute; &amp; &#233;</a>", "x é & é"),
        ("<a>& <![CDATA[a & b &amp; <c>]]><!-- & --><?pi & ?></a>", "& a & b &amp; <c>"),
        ("<!DOCTYPE a [<!-- it's > --><!ENTITY b 'x > y'><?pi > ?>]><a>c & d</a>", "c & d"),
        ("<a>S\u{2}\u{B}o\t\u{1F}</a>", "So\t"), ("<a>cut o", "cut o"), ("<a>o", "o"), ("<a>cut <b", "cut "),
        ("<a>cut <b>o</b>f & on", "cut of & on"),
    ])
    func `a stray ampersand is text, and what comes behind an error is not lost`(document: String, text: String) throws
    {
        #expect(try parse(document).text == text)
    }

    @Test func `a stray ampersand in an attribute is text as well`() throws {
        let root = try parse("<a href='x?a=1&b=2' b=\"&amp;&eacute; & &lt;\"/>")
        #expect(root.attribute("href") == "x?a=1&b=2" && root.attribute("b") == "&é & <")
    }

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian]) func `in UTF-16 it is text, too`(
        encoding: String.Encoding
    )
        throws
    {
        for mark in ["\u{FEFF}", ""] {
            let data = try #require("\(mark)<?xml version='1.0' encoding='UTF-16'?><a>日本 & 語</a>".data(using: encoding))
            #expect(throws: CocoaError.self) { try XMLElement.parse(data) }
            #expect(try XMLElement.parse(data, isLenient: true).text == "日本 & 語")
        }
    }

    @Test func `encodings in which an ampersand is part of a character are left alone`() throws {
        // "日本" in JIS X 0208, and a character with an ampersand's byte in it.
        let japanese = Data([0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x26, 0x21, 0x1B, 0x28, 0x42])
        let data = Data("<?xml version='1.0' encoding='ISO-2022-JP'?><a>".utf8) + japanese + Data("</a>".utf8)
        let strict = try XMLElement.parse(data).text
        #expect(strict.hasPrefix("日本") && strict.unicodeScalars.count == 3)
        #expect(try XMLElement.parse(data, isLenient: true).text == strict)
    }

    @Test func `nothing but ampersands is refused over the limit`() {
        let data = Data(repeating: UInt8(ascii: "&"), count: 10_000)
        #expect(
            refusal { try XMLElement.parse(data, limits: XMLLimits(bytes: 9_999), isLenient: true) }?.code
                == .fileReadTooLarge)
        #expect(
            refusal { try XMLElement.parse(data, limits: XMLLimits(bytes: 10_000), isLenient: true) }?.code
                == .fileReadTooLarge)
    }

    @Test(arguments: ["", " ", "no XML", "\u{1}\u{2}", "<!-- only a comment -->"])
    func `what has no element is refused`(text: String) { #expect(throws: CocoaError.self) { try parse(text) } }

    @Test func `entities and limits are as strict as ever`() {
        let external = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><a>&x;</a>"
        let bomb = "<!DOCTYPE a [<!ENTITY x 'ha'><!ENTITY y '&x;&x;&x;'>]><a>&y;</a>"
        for text in [external, bomb, "<a>&unknown;</a>", String(repeating: "<a>", count: 1_000)] {
            #expect(throws: CocoaError.self) { try parse(text) }
        }
    }
}
