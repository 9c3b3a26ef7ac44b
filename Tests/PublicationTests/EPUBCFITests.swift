import Foundation
import Testing

import MediaTypes
@testable import Publication

struct EPUBCFITests {
    @Test(arguments: [
        "epubcfi(/6/4)", "epubcfi(/6/4[chap]!/4/2/1:0)", "epubcfi(/6/4!/4[body]/10[para]/3:10)",
        "epubcfi(/6/4!/4/10/2/1:3[ab^]^,c])", "epubcfi(/6/4!/4/10/1:3[xx,y])", "epubcfi(/6/4!/4/10/1:3[,y])",
        "epubcfi(/6/4!/4/10/1:3[;s=b])", "epubcfi(/6/4!/4/10/1:3[x,y;s=a])", "epubcfi(/6/4!/4/10[id;s=a])",
        "epubcfi(/6/4!/4/10,/2/1:1,/3:4)", "epubcfi(/6/4[a]!/4,/2/1:1[x],/4[b]/1:4[y])", "epubcfi(/6/4!/4/2!/4/6)",
        "epubcfi(/0/2)", "epubcfi(/6/4[a^;b^=c^(d^)^[e^]^^^,])", "epubcfi(/6/4[é 😀]!/4)",
    ])
    func `what is read is written the same`(text: String) throws {
        #expect(try #require(EPUBCFI(text)).description == text)
        #expect(EPUBCFI("#" + text) == EPUBCFI(text))
        #expect(EPUBCFI(String(text.dropFirst(8).dropLast())) == EPUBCFI(text))
    }

    @Test func `the parts are told apart`() throws {
        let cfi = try #require(EPUBCFI("epubcfi(/6/4[ch^]1]!/4/10[p^,x]/3:12[be^;fore,af^^ter;s=b])"))
        #expect(cfi.paths.count == 2 && cfi.start == nil && cfi.end == nil)
        #expect(cfi.paths[0] == EPUBCFI.Path([.init(6), .init(4, id: "ch]1")]))
        #expect(cfi.paths[1].steps == [.init(4), .init(10, id: "p,x"), .init(3)] && cfi.paths[1].offset == 12)
        #expect(cfi.paths[1].textBefore == "be;fore" && cfi.paths[1].textAfter == "af^ter" && cfi.paths[1].side == "b")
        #expect(cfi.startPaths == cfi.paths && cfi.endPaths == cfi.paths)
    }

    @Test func `a range goes on from what its ends have in common`() throws {
        let cfi = try #require(EPUBCFI("epubcfi(/6/4!/4,/2/1:3,/4[b]/1:9)"))
        #expect(cfi.startPaths.map(\.steps) == [[.init(6), .init(4)], [.init(4), .init(2), .init(1)]])
        #expect(cfi.endPaths.map(\.steps) == [[.init(6), .init(4)], [.init(4), .init(4, id: "b"), .init(1)]])
        #expect(cfi.startPaths.last?.offset == 3 && cfi.endPaths.last?.offset == 9)
        let chapters = try #require(EPUBCFI("epubcfi(/6,/4!/4/2,/6!/4/8)"))
        #expect(chapters.startPaths.map(\.steps) == [[.init(6), .init(4)], [.init(4), .init(2)]])
        #expect(chapters.endPaths.map(\.steps) == [[.init(6), .init(6)], [.init(4), .init(8)]])
    }

    @Test(arguments: [
        ("epubcfi(/6/4!/4/2~1.5)", "epubcfi(/6/4!/4/2)"), ("epubcfi(/6/4!/4/2@50:50)", "epubcfi(/6/4!/4/2)"),
        ("epubcfi(/6/4!/4/2~1.5@5.75:97.6)", "epubcfi(/6/4!/4/2)"),
        ("epubcfi(/6/4!/4/2/1:3[x;vnd.own=1,2;s=a])", "epubcfi(/6/4!/4/2/1:3[x;s=a])"),
        ("epubcfi(/6/4!/4/2[;s=c])", "epubcfi(/6/4!/4/2)"), ("epubcfi(/06/004)", "epubcfi(/6/4)"),
    ])
    func `what is not used is passed over`(text: String, kept: String) {
        #expect(EPUBCFI(text)?.description == kept)
    }

    @Test(arguments: [
        "", "#", "epubcfi()", "epubcfi(", "epubcfi(/6", "epubcfi(/6))", "/", "/x", "/-2", "/6/", "6/4", "/6 /4", "/6:",
        "/6:x",
        "/6[a", "/6[a^", "/6[a]]", "/6[a;s=^", "/99999999999", "/6:99999999999", "!", ",", ",,", "/6,/2", "/6,/2,/4,/6",
        "/6!!x", "epubcfi(/6/4)x", "/٣", ":3", "[a]", String(repeating: "/2", count: 513),
        "/2[" + String(repeating: "a", count: 9 << 10) + "]", String(repeating: "!", count: 100),
    ])
    func `what is none is refused`(text: String) {
        #expect(EPUBCFI(text) == nil)
    }

    @Test func `512 steps are read`() {
        #expect(EPUBCFI(String(repeating: "/2", count: 512))?.paths[0].steps.count == 512)
    }

    @Test func `damaged ones are read or refused, and what is read is written the same`() {
        let text = Array("epubcfi(/6/4[ch^]1]!/4/10[p]/3:12[a,b;s=b],/2/1:3,/4[x]/1:9[,y])".unicodeScalars)
        let others = Array("/!,:[]^;=()~@0 9\u{301}a".unicodeScalars)
        for index in text.indices {
            for other in others {
                var changed = text
                changed[index] = other
                check(changed)
                changed.insert(text[index], at: index)
                check(changed)
            }
            check(Array(text[..<index]))
            check(Array(text[index...]))
        }
    }

    private func check(_ scalars: [Unicode.Scalar]) {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        guard let cfi = EPUBCFI(text) else { return }
        #expect(EPUBCFI(cfi.description) == cfi, "\(text)")
    }
}

/// Places in documents and their CFIs.
struct ContentCFITests {
    private static let bodies = [
        "<p>One two</p><p>three</p>",
        #"<p id="a^]">One <i>two</i> three <b><i>four</i></b>.</p><p>five</p>"#,
        "<p>  One \n\t two<!-- no -->  thr<!-- no -->ee <b> four </b>  five<br/>  six <br/> seven</p>  <p> x </p>",
        "<div>a<p>b</p>c <p/> <p> </p>d</div>e",
        "<p>これは<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</rt></ruby>です</p>",
        "<p>😀a😀<b>😀 😀</b> 👩‍👩‍👧 e\u{301}\u{327} <i>\u{1F1E9}\u{1F1EA}</i>\u{301}</p><p>😀</p>",
        "<pre>  a\n   b <b> c</b>\n</pre><p>d</p>",
        #"<p>a<span hidden="">no <b>no</b></span>b<script>no</script> c<img src="x.png"/> d</p>"#,
        #"<p>a<![CDATA[ b ]]>c&amp;d <span epub:type="pagebreak">7</span>e</p><aside epub:type="footnote">n</aside>"#,
    ]

    @Test(arguments: bodies)
    func `every character leads to its CFI and back`(body: String) throws {
        let document = try ContentDocument.xhtml(body)
        let places = ContentCFI(document)
        #expect(!document.text.isEmpty)
        for offset in 0...document.text.count where document.characterStart(offset) == offset {
            let text = try #require(places.point(offset))
            let path = try #require(EPUBCFI(text)?.paths.last)
            #expect(places.offset(of: path) == offset, "\(offset) \(text)")
        }
    }

    @Test(arguments: bodies)
    func `every range leads to its CFI and back`(body: String) throws {
        let document = try ContentDocument.xhtml(body)
        let places = ContentCFI(document)
        let starts = (0...document.text.count).filter { document.characterStart($0) == $0 }
        for (index, start) in starts.enumerated() {
            for end in starts[(index + 1)...] {
                let text = try #require(places.range(start..<end))
                let cfi = try #require(EPUBCFI(text))
                let first = cfi.startPaths.last.flatMap { places.offset(of: $0) }
                let last = cfi.endPaths.last.flatMap { places.offset(of: $0) }
                #expect(first == start && last == end, "\(start)..<\(end) \(text)")
            }
        }
    }

    @Test(arguments: bodies)
    func `every element leads to its CFI and back`(body: String) throws {
        let document = try ContentDocument.xhtml(body)
        let places = ContentCFI(document)
        for node in document.nodes.indices.dropFirst() {
            let path = try #require(EPUBCFI(places.element(node))?.paths.last)
            #expect(places.place(of: path)?.node == node)
        }
    }

    /// A chapter of ours: a heading, then three paragraphs, of which the second has an id, a picture and emphasis.
    private static let sample = """
        <h1 id="title">Lamps</h1>
        <p>The first lamp.</p>
        <p id="second">xxx<em>yyy</em>0123<img id="lamp" src="lamp.png"/>456</p>
        <p>End</p>
        """

    @Test(arguments: [
        ("/4", "Lamps"), ("/4/2", "Lamps"), ("/4/2[title]", "Lamps"), ("/4/4/1:4", "first lamp."),
        ("/4/6[second]", "xxxyyy"), ("/4/6/1:0", "xxxyyy"), ("/4/6/1:3", "yyy0123"), ("/4/6/2", "yyy0123"),
        ("/4/6/2/1:1", "yy0123"), ("/4/6/3:0", "0123456"), ("/4/6/3:1", "123456"), ("/4/6/3:4", "456"),
        ("/4/6/4[lamp]", "456"), ("/4/6/5:1", "56"), ("/4/6/5:3", "\nEnd"), ("/4/6/5:99", "End"), ("/4/8/1:1", "nd"),
        // The id counts more than the steps.
        ("/4/2[second]/3:1", "123456"), ("/4/98[lamp]", "456"), ("/4/6[gone]/3:1", "123456"),
        // White space that is not shown.
        ("/4/1:0", "Lamps"), ("/4/1:5", "Lamps"), ("/4/3:1", "The first"), ("/4/9:1", ""),
    ])
    func `paths lead to places`(path: String, text: String) throws {
        let document = try ContentDocument.xhtml(Self.sample)
        let place = try #require(EPUBCFI(path)?.paths.last)
        let offset = try #require(ContentCFI(document).offset(of: place))
        #expect(document.string(offset..<document.text.count).hasPrefix(text))
        if text.isEmpty { #expect(offset == document.text.count) }
    }

    @Test(arguments: [
        "/0", "/6", "/4/10", "/4/11:0", "/4/6/6", "/4/6/7:0", "/4/6/3/2", "/4/6/2/2", "/4/6/2/3:0", "/4294967295",
        "/9999999999:9999999999", "/4/9999999998", "/2/2/2",
    ])
    func `paths to nowhere lead nowhere`(path: String) throws {
        let document = try ContentDocument.xhtml(Self.sample)
        let place = try #require(EPUBCFI(path)?.paths.last)
        #expect(ContentCFI(document).offset(of: place) == nil)
    }

    @Test func `CFIs are written as others read them`() throws {
        let document = try ContentDocument.xhtml(Self.sample)
        let places = ContentCFI(document)
        let text = document.string(0..<document.text.count)
        #expect(text == "Lamps\nThe first lamp.\nxxxyyy0123456\nEnd")
        #expect(places.point(6) == "/4/4/1:0" && places.point(28) == "/4/6[second]/3:0")
        #expect(places.point(25) == "/4/6[second]/2/1:0" && places.point(33) == "/4/6[second]/5:1")
        #expect(places.range(22..<25) == "/4/6[second],/1:0,/1:3")
        #expect(places.range(23..<29) == "/4/6[second],/1:1,/3:1")
        #expect(places.range(0..<8) == "/4,/2[title]/1:0,/4/1:2")
        let lamp = Int(try #require(document.nodeOfID["lamp"]))
        #expect(places.element(lamp) == "/4/6[second]/4[lamp]")
    }

    @Test func `nothing is found in an empty document`() throws {
        let document = try ContentDocument.html("")
        #expect(ContentCFI(document).point(0) == nil && ContentCFI(document).range(0..<0) == nil)
        #expect(ContentCFI(document).offset(of: EPUBCFI.Path([.init(4)])) == nil)
    }
}
