import Foundation
import Testing

import MediaTypes
@testable import Publication

struct ContentDocumentTests {
    @Test(arguments: [
        ("<p>One</p><p>Two</p>", ["p One", "p Two"]),
        ("<div>a<p>b</p>c</div>", ["p a", "p b", "p c"]),
        ("a<div>b</div>", ["p a", "p b"]),
        ("<p> </p><p/><div><span> \n</span></div>", []),
        ("<h1>A</h1><h2>B</h2><h6>C</h6>", ["h1 A", "h2 B", "h6 C"]),
        ("<section><h2>A <em>b</em></h2><p>c</p></section>", ["h2 A b", "p c"]),
        (
            "<ul><li>a</li><li><p>b</p><ol><li>c</li></ol></li></ul><dl><dt>d</dt><dd>e</dd></dl>",
            ["li a", "li b", "li c", "li d", "li e"]
        ),
        ("<blockquote><p>q</p></blockquote><p>p</p>", ["quote q", "p p"]),
        (
            "<table><caption>c</caption><tr><th>a</th><td>b</td></tr></table>", ["caption c", "td a", "td b"]
        ),
        ("<p>a<!-- no -->b<?no no?>c</p>", ["p abc"]),
        ("<p>a<![CDATA[<b> & ]]>c</p>", ["p a<b> & c"]),
        ("<p>a&nbsp;b&hellip; &lt;c&gt; &#x41;</p>", ["p a\u{A0}b… <c> A"]),
        ("<p>x<math><mi>y</mi><annotation>tex</annotation></math></p>", ["p xy"]),
    ])
    func `text comes in blocks with their roles`(body: String, lines: [String]) throws {
        #expect(try ContentDocument.xhtml(body).lines == lines)
    }

    @Test(arguments: [
        ("<p>  One \n\t two  <b> three </b> four </p>", "One two three four"),
        ("<p>a <b> b</b></p>", "a b"), ("<p>a<b> </b>b</p>", "a b"), ("<p><i>a</i> <i>b</i></p>", "a b"),
        ("<p>a<b>b</b>c</p>", "abc"), ("<p>a<br/>b <br/> <br/>c<br/></p>", "a\nb\nc"), ("<p><br/>a</p>", "a"),
        ("<pre>  a\n\t b\n</pre>", "  a\n\t b\n"), ("<pre>a <b>  b</b>  c</pre>", "a   b  c"),
        ("<p>a\u{A0}\u{3000} b</p>", "a\u{A0}\u{3000} b"), ("<p>a\u{301} \u{1F600}</p>", "a\u{301} \u{1F600}"),
    ])
    func `white space is collapsed except in preformatted text`(body: String, text: String) throws {
        let document = try ContentDocument.xhtml(body)
        #expect(document.blocks.count == 1 && document.string(0..<document.text.count) == text)
    }

    @Test func `what is not shown is left out`() throws {
        let document = try ContentDocument.xhtml(
            """
            <p>a</p><p hidden="">b</p><div style="color: red; Display: none"><p>c</p></div><script>d</script>
            <template><p>e</p></template><p>f<span style="visibility:hidden">g</span></p><style>h</style>
            <p hidden="until-found">i</p><noframes>j</noframes>
            """)
        #expect(document.lines == ["p a", "p f", "p i"])
    }

    @Test func `parts hidden from assistive technology are shown and not spoken`() throws {
        let document = try ContentDocument.xhtml(#"<p>One <span aria-hidden="true">* <b>*</b></span> two</p>"#)
        let text = try #require(document.elements.first?.text)
        #expect(text.string == "One * * two" && text.spokenString == "One  two")
        #expect(text.segments.map(\.string) == ["One ", "* *", " two"])
        #expect(text.segments.map(\.isHiddenFromAssistiveTechnology) == [false, true, false])
    }

    @Test(arguments: [
        ##"<p>One<a epub:type="noteref" href="#n">1</a> two</p>"##,
        ##"<p>One<sup role="doc-noteref"><a href="#n">1</a></sup> <b>two</b></p>"##,
        #"<p>One<a epub:type="x noteref">1</a><br/>two</p>"#,
    ])
    func `marks of notes are told apart`(body: String) throws {
        let text = try #require(try ContentDocument.xhtml(body).elements.first?.text)
        let space = body.contains("<br/>") ? "\n" : " "
        #expect(text.segments.map(\.string) == ["One", "1", "\(space)two"])
        #expect(text.segments.map(\.isNoteReference) == [false, true, false] && text.spokenString == "One\(space)two")
    }

    @Test(arguments: [
        #"<p>a</p><aside epub:type="footnote"><p>n</p></aside><p>b</p>"#,
        #"<p>a</p><div role="doc-endnote">n</div><p>b</p>"#,
        #"<p>a<span epub:type="endnote">n</span>b</p>"#,
        #"<p>a<span epub:type="rearnote"><i>n</i></span></p><p>b</p>"#,
    ])
    func `notes are told apart`(body: String) throws {
        #expect(try ContentDocument.xhtml(body).lines == ["p a", "note p n", "p b"])
    }

    @Test func `a prefix that was not declared is forgiven`() throws {
        let markup = #"<html><body><p>a</p><aside epub:type="footnote">n</aside></body></html>"#
        let document = try ContentDocument.parse(Data(markup.utf8), link: ContentDocument.chapter)
        #expect(document.lines == ["p a", "note p n"])
    }

    @Test func `page breaks stand between paragraphs and behind the one they are in`() throws {
        let document = try ContentDocument.xhtml(
            """
            <p>a</p><div epub:type="pagebreak" title=" 5 "/><p>b<span epub:type="pagebreak" id="p6"> 6 </span>c</p>
            <hr role="doc-pagebreak" aria-label="7"/><p><span epub:type="pagebreak"/>d</p>
            """)
        #expect(document.lines == ["p a", "page 5", "p bc", "page 6", "page 7", "page -", "p d"])
        #expect(document.elements[3].locator.locations.cssSelector == "#p6")
    }

    @Test func `pictures have addresses and descriptions`() throws {
        let document = try ContentDocument.xhtml(
            """
            <p>a <img src="i.png" alt=""/> b</p><img src="../img/a%20b.jpg" alt=" A
             lamp "/><img src="https://example.com/x.gif" title="X"/><img alt="nothing"/><img src=" "/>
            <figure><img src="f.svg"/><figcaption>c</figcaption></figure>
            """)
        #expect(
            document.lines == [
                "p a b", "image text/i.png|", "image img/a%20b.jpg|A lamp", "image https://example.com/x.gif|X",
                "image text/f.svg|-", "caption c",
            ])
        guard case .image(let media) = document.elements[1].body else {
            Issue.record("no picture")
            return
        }
        #expect(media.link.type == "image/png")
    }

    @Test func `drawings have pictures and words, and nothing of their insides`() throws {
        let document = try ContentDocument.xhtml(
            """
            <svg xmlns="http://www.w3.org/2000/svg"><title>t</title><desc>d</desc><metadata>m</metadata>
            <defs><text>x</text></defs><image xlink:href="a.jpg" aria-label="A"/><text>Words</text></svg>
            """)
        #expect(document.lines == ["image text/a.jpg|A", "p Words"] && document.title == "T")
    }

    @Test func `sound and films have their first source, and fallbacks are not shown`() throws {
        let document = try ContentDocument.xhtml(
            """
            <p>a <audio src="a.mp3" title="Song"><b>Nothing plays this</b></audio> b</p>
            <video aria-label="V"><source src="v.mp4" type="video/mp4"/><source src="v.webm"/>Nor this</video>
            <video>Nor that</video><source src="stray.mp4"/><p>c</p>
            """)
        #expect(document.lines == ["p a", "audio text/a.mp3|Song", "p b", "video text/v.mp4|V", "p c"])
        guard case .video(let media) = document.elements[3].body else {
            Issue.record("no film")
            return
        }
        #expect(media.link.type == "video/mp4")
    }

    @Test func `ruby is beside the text`() throws {
        let document = try ContentDocument.xhtml(
            """
            <p>これは<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt> ji </rt></ruby>です</p>
            <p><ruby><rb>東</rb><rb>京</rb><rtc><rt>とう</rt><rt>きょう</rt></rtc></ruby></p><p><ruby>x<rt/></ruby></p>
            """)
        let texts = document.elements.compactMap(\.text)
        #expect(texts.map(\.string) == ["これは漢字です", "東京", "x"])
        #expect(texts[0].segments.map(\.string) == ["これは", "漢", "字", "です"])
        #expect(texts[0].segments.map(\.ruby) == [nil, "kan", "ji", nil])
        #expect(texts[1].segments.map(\.ruby) == ["とうきょう"] && texts[2].segments.map(\.ruby) == [nil])
    }

    @Test func `each part has its language`() throws {
        let document = try ContentDocument.xhtml(
            #"<p>a <i lang="fr">b</i> c</p><p xml:lang="de">d</p><p lang=" ">e</p>"#, attributes: #"lang="en""#)
        let texts = document.elements.compactMap(\.text)
        #expect(texts[0].segments.map(\.string) == ["a ", "b", " c"])
        #expect(texts[0].segments.map(\.language) == ["en", "fr", "en"])
        #expect(texts[1].language == "de" && texts[2].language == "en")
        #expect(try ContentDocument.xhtml("<p>a</p>").elements[0].text?.language == nil)
    }

    @Test func `title and direction are those of the document`() throws {
        let document = try ContentDocument.xhtml(
            "<p dir='ltr'>a</p><title>no</title>", head: "<title> A\n Title </title>", attributes: "dir='RTL'")
        #expect(document.title == "A Title" && document.direction == "rtl" && document.lines == ["p a"])
        let bare = try ContentDocument.xhtml("<p>a</p>", head: "<title/>")
        #expect(bare.title == nil && bare.direction == nil && bare.lines == ["p a"])
        let body = try ContentDocument.html("<html><body dir=rtl><p>a")
        #expect(body.direction == "rtl")
    }
}

extension ContentDocumentTests {
    @Test(arguments: [
        ("<p>a<p>b", ["p a", "p b"]), ("a <b>b</b> c<p>d</p> e", ["p a b c", "p d", "p e"]), ("", []),
        ("<!DOCTYPE html><title>T</title><h1>A</h1>b", ["h1 A", "p b"]),
        (
            "<html><body><p>x & y<br>z<img src=a.png alt=A></body></html><p>after",
            ["p x & y\nz", "image text/a.png|A", "p after"]
        ),
        ("<html><body><ul><li>a<li>b</ul></body></html> tail", ["li a", "li b", "p tail"]),
        ("<p>a&foo; &nbsp;&amp;amp; <</p>", ["p a&foo; \u{A0}&amp; <"]),
        ("\u{FEFF}<html><body><p>a</body></html>", ["p a"]),
        ("<P CLASS=x>a<BR>b<P HIDDEN>c", ["p a\nb"]),
        ("<p>a</p><script>if (a < b) c</script><p>d", ["p a", "p d"]),
        ("<div epub:type=pagebreak title=5></div><p>a", ["page 5", "p a"]),
    ])
    func `HTML of any quality is read to its end`(markup: String, lines: [String]) throws {
        #expect(try ContentDocument.html(markup).lines == lines)
    }

    @Test(arguments: [
        ("<html><head><title/></head><body><p>a<b>b</p><p>c</p></body></html>", ["p ab", "p c"]),
        (
            "<html><head><title/><script src='x'/></head><body><p>a & b</p><a id='x'/><p>c</p></body></html>",
            ["p a & b", "p c"]
        ),
        ("<?xml version='1.0'?><html><body><p>a</p></body></html><p>b</p>", ["p a", "p b"]),
        ("<html><body><p>a</p><p>b", ["p a", "p b"]),
        ("<html><body><p>a &unknown; b</p></body></html>", ["p a &unknown; b"]),
    ])
    func `XHTML that is not well-formed is read as HTML`(markup: String, lines: [String]) throws {
        let document = try ContentDocument.parse(Data(markup.utf8), link: ContentDocument.chapter)
        #expect(document.lines == lines && document.title == nil)
    }

    @Test func `entities that the document declares are put in`() throws {
        let markup = """
            <?xml version="1.0"?><!DOCTYPE html [<!ENTITY me "A Name">]>
            <html xmlns="http://www.w3.org/1999/xhtml"><body><p>&me; &eacute;&copy;</p></body></html>
            """
        let document = try ContentDocument.parse(Data(markup.utf8), link: ContentDocument.chapter)
        #expect(document.lines == ["p A Name é©"])
    }

    @Test(arguments: [true, false], [true, false])
    func `UTF-16 is read in both orders`(isBigEndian: Bool, isWellFormed: Bool) throws {
        let markup = ContentDocument.markup(isWellFormed ? "<p>é 一 😀</p>" : "<p>é 一 <br>😀</p>")
        var data = Data()
        for unit in [0xFEFF] + Array(markup.utf16) {
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            data.append(contentsOf: isBigEndian ? bytes : bytes.reversed())
        }
        for link in [ContentDocument.chapter, Link(href: "c.html", type: "text/html")] {
            let document = try ContentDocument.parse(data, link: link)
            #expect(document.lines == [isWellFormed ? "p é 一 😀" : "p é 一\n😀"] && document.title == "T")
        }
    }

    @Test(arguments: [
        ("", "text/html"), ("<meta charset=iso-8859-1>", "text/html"), ("", "text/html; charset=windows-1252"),
        ("<?xml version='1.0' encoding='windows-1252'?>", "application/xhtml+xml"), ("", "application/xhtml+xml"),
    ])
    func `Windows-1252 is read where it is declared, and where it cannot be UTF-8`(start: String, type: String) throws {
        var data = Data("\(start)<html><body><p>caf".utf8)
        data.append(contentsOf: [0xE9, 0x20, 0x93, 0x78, 0x94])
        data.append(contentsOf: "</p></body></html>".utf8)
        #expect(try ContentDocument.parse(data, link: Link(href: "c", type: type)).lines == ["p café “x”"])
    }

    @Test func `an encoding that nobody knows is refused by name`() throws {
        let link = Link(href: "c.html", type: "text/html; charset=x-nothing")
        let error = #expect(throws: CocoaError.self) { try ContentDocument.parse(Data("<p>a".utf8), link: link) }
        #expect(error?.code == .fileReadUnknownStringEncoding)
        #expect(error?.localizedDescription.contains("c.html") == true)
    }

    @Test(arguments: [true, false])
    func `what is over a limit is refused`(isXML: Bool) throws {
        func code(_ body: String, _ change: (inout ContentLimits) -> Void) -> CocoaError.Code? {
            var limits = ContentLimits()
            change(&limits)
            do {
                let markup = ContentDocument.markup(body)
                _ =
                    try isXML
                    ? ContentDocument.xhtml(body, limits: limits) : ContentDocument.html(markup, limits: limits)
                return nil
            } catch {
                return (error as? CocoaError)?.code
            }
        }
        let deep = String(repeating: "<div>", count: 60) + "x" + String(repeating: "</div>", count: 60)
        #expect(code(deep) { $0.depth = 61 } == .fileReadTooLarge && code(deep) { $0.depth = 62 } == nil)
        let long = String(repeating: "<p>abcd</p>", count: 20)
        #expect(code(long) { $0.elements = 19 } == .fileReadTooLarge && code(long) { $0.elements = 20 } == nil)
        #expect(code(long) { $0.nodes = 23 } == .fileReadTooLarge && code(long) { $0.nodes = 24 } == nil)
        #expect(code(long) { $0.text = 70 } == .fileReadTooLarge && code(long) { $0.text = 100 } == nil)
        #expect(code(long) { $0.bytes = 100 } == .fileReadTooLarge)
    }

    @Test func `an id leads to its own paragraph, and a place behind a picture to the paragraph around it`() throws {
        let document = try ContentDocument.xhtml(
            #"<p id="a">one</p><p id="b">two <i id="c">three</i> <img id="d" src="x.png"/> four</p><p id="e"/>"#)
        #expect(document.string(0..<document.text.count) == "one\ntwo three four")
        let starts = ["a", "b", "c", "e"].compactMap { document.nodeOfID[$0] }.map { document.start(of: Int($0)) }
        #expect(starts == [0, 4, 8, 18])
        #expect(document.blocks.map(\.kind) == [.text, .text, .image])
        #expect([0, 2, 3, 4, 12, 15, 17].map { document.block(at: $0) } == [0, 0, 0, 1, 1, 1, 1])
        let image = Int(try #require(document.nodeOfID["d"]))
        #expect(document.block(at: document.start(of: image), node: image) == 2)
    }

    @Test func `pictures in a row are told apart by their elements`() throws {
        let document = try ContentDocument.xhtml(#"<img src="1"/><div><img src="2"/></div><img src="3"/><p>a</p>"#)
        for (index, block) in document.blocks.enumerated() {
            #expect(document.block(at: 0, node: Int(block.node)) == index)
        }
        #expect(document.block(at: 0) == 0 && document.block(at: 1) == 3)
    }
}
