import Foundation
import Testing

import MediaTypes
@testable import Publication

/// A book whose spine has a side text, a place that names nothing, and an `itemref` with an id.
enum LampBook {
    static let first = """
        <h1>The Lamp</h1>
        <p id="a">The keeper climbed the stairs each evening and lit the lamp before the ships came home.</p>
        <p id="b">It rained. The lamp burned.</p>
        <p id="c">In the morning it rained again, and the lamp burned low.</p>
        """
    static let second = """
        <h1>The Sea</h1><p id="x">Beyond the harbour the <i>grey water</i> rose and fell without a sound.</p>
        <p>It rained. The boats stayed in.</p>
        """

    static func open(first: String = first, second: String = second, third: String = "<p>End</p>") async throws
        -> Publication
    {
        var book = EPUBFixture()
        book.items = ["c1", "side", "c2", "c3"].map {
            #"<item id="\#($0)" href="\#($0).xhtml" media-type="application/xhtml+xml"/>"#
        }.joined()
        book.spine = """
            <itemref idref="c1"/><itemref idref="side" linear="no"/><itemref idref="none"/>
            <itemref idref="c2" id="ref2"/><itemref idref="c3"/>
            """
        for (name, body) in [("c1", first), ("side", "<p>Side</p>"), ("c2", second), ("c3", third)] {
            book.files["OEBPS/\(name).xhtml"] = ContentDocument.markup(body)
        }
        return try await EPUBParser().open(DictionaryFetcher(book.allFiles))
    }

    static func locator(
        _ chapter: String, fragments: [String] = [], progression: Double? = nil, selector: String? = nil,
        cfi: String? = nil, text: Locator.Text = Locator.Text()
    ) -> Locator {
        var locations = Locator.Locations(fragments: fragments, progression: progression)
        locations.cssSelector = selector
        locations.partialCFI = cfi
        return Locator(
            href: "OEBPS/\(chapter).xhtml", type: "application/xhtml+xml", locations: locations, text: text)
    }
}

struct LocatorServiceTests {
    @Test func `progression leads to a locator and back`() async throws {
        let book = try await LampBook.open()
        for step in 0...40 {
            let progression = Double(step) / 40
            let locator = try #require(try await book.locate(progression: progression))
            #expect(locator.locations.totalProgression == progression)
            #expect(locator.locations.position == min(3, step * 3 / 40 + 1))
            let found = try #require(try await book.locate(locator))
            #expect(found.href == locator.href && found.locations.position == locator.locations.position)
            #expect(abs((found.locations.totalProgression ?? -1) - progression) < 0.12, "\(progression)")
        }
        #expect(try await book.locate(progression: .nan)?.locations.position == 1)
        #expect(try await book.locate(progression: 7)?.locations.position == 3)
    }

    @Test(arguments: [1, 3, 7, 49, 100])
    func `each position leads to its locator and back`(count: Int) async throws {
        var link = Link(href: "c.html", type: "text/html")
        link.size = Int64(count * 1024)
        let book = Publication(
            manifest: Manifest(metadata: Metadata(title: "B"), readingOrder: [link]),
            fetcher: DictionaryFetcher(["c.html": "<p>" + String(repeating: "Words é ", count: 97)]))
        let positions = try await book.positions()
        #expect(positions.count == count)
        for (index, position) in positions.enumerated() {
            #expect(try await book.locator(atPosition: index + 1) == position)
            let bare = position.copy { ($0.locations.position, $0.locations.totalProgression) = (nil, nil) }
            #expect(try await book.position(of: bare) == index + 1)
            let total = try #require(position.locations.totalProgression)
            #expect(try await book.locate(progression: total)?.locations.position == index + 1)
        }
        #expect(try await book.locator(atPosition: 0) == nil)
        #expect(try await book.locator(atPosition: count + 1) == nil)
    }

    @Test func `an id, a selector and a CFI lead to the same place`() async throws {
        let book = try await LampBook.open()
        let ways = [
            LampBook.locator("c1", fragments: ["b"]), LampBook.locator("c1", fragments: ["id=b"], progression: 0),
            LampBook.locator("c1", selector: "#b"), LampBook.locator("c1", selector: "html > body p:nth-child(3)"),
            LampBook.locator("c1", cfi: "/4/6[b]"), LampBook.locator("c1", cfi: "/4/2[b]"),
            LampBook.locator("c1", fragments: ["epubcfi(/6/2!/4/6)"]),
        ]
        for way in ways {
            let found = try #require(try await book.locate(way))
            #expect(found.locations.cssSelector == "#b" && found.locations.partialCFI == "/4/6[b]")
            #expect(found.locations.position == 1 && found.title == "T")
            #expect(found.locations.fragments == way.locations.fragments)
            #expect(try await book.text(from: found).hasPrefix("It rained. The lamp burned.\nIn the morning"))
        }
    }

    @Test func `there is no locator for places that do not exist`() async throws {
        let book = try await LampBook.open()
        let wrong = [
            LampBook.locator("c9"), LampBook.locator("side"), LampBook.locator("c1", fragments: ["nothing"]),
            LampBook.locator("c1", selector: "#nothing"), LampBook.locator("c1", cfi: "/4/98"),
            LampBook.locator("c1", selector: "p::before"), LampBook.locator("c1", fragments: ["epubcfi(/6/2!/4/98)"]),
        ]
        for locator in wrong { #expect(try await book.locate(locator) == nil, "\(locator)") }
        let second = try await book.locate(LampBook.locator("c1", fragments: ["nothing"], progression: 0.5))
        #expect(abs((second?.locations.progression ?? 0) - 0.5) < 0.02)
        let empty = Publication(manifest: Manifest(metadata: Metadata(title: "B")))
        #expect(try await empty.locate(progression: 0.5) == nil)
        #expect(try await empty.locate(text: Locator.Text(highlight: "x")) == nil)
    }

    @Test func `CFIs lead through the package document`() async throws {
        let book = try await LampBook.open()
        func place(_ text: String) async throws -> Locator? {
            try await book.locate(try #require(EPUBCFI(text)))
        }
        let second = try #require(try await place("epubcfi(/6/8[ref2]!/4/4[x]/1:7)"))
        #expect(second.href == "OEBPS/c2.xhtml" && second.locations.partialCFI == "/4/4[x]/1:7")
        #expect(try await place("epubcfi(/6/2[ref2]!/4/4)")?.href == "OEBPS/c2.xhtml")
        #expect(try await place("epubcfi(/6/10!/4/2/1:1)")?.href == "OEBPS/c3.xhtml")
        #expect(try await place("epubcfi(/6/2)")?.href == "OEBPS/c1.xhtml")
        for nowhere in ["/6/4!/4/2", "/6/6!/4/2", "/6/12!/4", "/4/2!/4", "/6", "/6/2!/4/98", "/6/7!/4"] {
            #expect(try await place(nowhere) == nil, "\(nowhere)")
        }
        let range = try #require(try await place("epubcfi(/6/8!/4/4,/1:7,/2/1:4)"))
        #expect(range.text.highlight == "the harbour the grey" && range.text.after?.hasPrefix(" water rose") == true)
        #expect(range.text.before?.hasSuffix("Sea\nBeyond ") == true)
        let written = try await book.cfi(of: LampBook.locator("c2", fragments: ["x"]))
        #expect(written?.description == "epubcfi(/6/8[ref2]!/4/4[x])")
        #expect(try await book.cfi(of: range)?.description == "epubcfi(/6/8[ref2]!/4/4[x],/1:7,/2/1:4)")
        #expect(try await book.cfi(of: LampBook.locator("side")) == nil)
    }

    @Test(arguments: [
        "<p>a</p><p id='x'>b <i>c</i> <i>d</i></p><svg><image/><g id='1'><path/></g></svg>",
        "<div id='-'><p/></div><div id='-1'><p/></div><div id='1a'><p/></div><div id='a.b:c#d&gt;e f'><p/><p/></div>",
        "<div id='é😀'><p/></div><div id='\u{301}x'><p/></div><div id='.\u{301}'><p/></div><div id='a\\b\"'><p/></div>",
        "<div id='twice'><p/></div><div id='twice'><p/><p/></div><a.b><c-d/></a.b>",
        String(repeating: "<div>", count: 500) + "<p/>" + String(repeating: "</div>", count: 500),
    ])
    func `the selector of each element leads back to it`(body: String) throws {
        let document = try ContentDocument.xhtml(body)
        for node in document.nodes.indices {
            let selector = document.selector(of: node)
            #expect(SimpleSelector(selector)?.first(in: document) == node, "\(selector)")
        }
    }

    @Test(
        arguments: [
            ("#x", 1), ("p#x", 1), ("P", 0), ("body > p", 0), ("html p:nth-child(2)", 1), ("div p i", 3),
            ("div > i", nil),
            ("div i", 3), (":nth-child(3) > p", 2), ("  div   >p>i ", 3), ("#a\\.b", 2), ("#a\\2e b", 2),
            ("#a\\00002Eb", 2),
            ("", nil), (">", nil), ("p >", nil), ("p:nth-child(0)", nil), ("p:nth-child(n)", nil), (".x", nil),
            ("p,i", nil),
            ("p[id]", nil), ("p:first-child", nil), ("*", nil), ("#", nil), ("p\\", nil), ("p + p", nil),
            (String(repeating: "div ", count: 2_000), nil),
        ] as [(String, Int?)])
    func `simple selectors are read, others are not`(selector: String, paragraph: Int?) throws {
        let document = try ContentDocument.xhtml(#"<p>a</p><p id="x">b</p><div><p id="a.b">c <i>d</i></p></div>"#)
        let marked = document.nodes.indices.filter {
            ["p", "i"].contains(document.names[Int(document.nodes[$0].name)])
        }
        #expect(SimpleSelector(selector)?.first(in: document) == paragraph.map { marked[$0] })
    }

    @Test func `a selector of many parts takes no longer for it`() throws {
        let deep = String(repeating: "<div>", count: 400) + "x" + String(repeating: "</div>", count: 400)
        let document = try ContentDocument.xhtml(deep)
        let selector = String(repeating: "div ", count: 200) + "p"
        #expect(try #require(SimpleSelector(selector)).first(in: document) == nil)
    }
}

extension LocatorServiceTests {
    @Test(arguments: [
        ("the same words", "The keeper climbed the stairs", "The keeper climbed the stairs"),
        ("another case", "the KEEPER climbed", "The keeper climbed"),
        (
            "a word changed", "The keeper climbed the steps each evening and lit the lamp",
            "The keeper climbed the stairs each evening and lit the lamp"
        ),
        (
            "a word left out", "The keeper climbed the stairs each evening and lit lamp before the ships",
            "The keeper climbed the stairs each evening and lit the lamp before the ships"
        ),
        (
            "a word too many in the middle of a paragraph", "each wet evening and lit the lamp before the ships",
            "each evening and lit the lamp before the ships"
        ),
        ("over the end of a paragraph", "came home. It rained.", "came home.\nIt rained."),
    ])
    func `a quotation is found again`(name: String, quotation: String, found: String) async throws {
        let book = try await LampBook.open()
        let locator = try await book.locate(text: Locator.Text(highlight: quotation))
        #expect(locator?.href == "OEBPS/c1.xhtml" && locator?.text.highlight == found)
    }

    @Test func `a quotation that moved to another chapter is found there`() async throws {
        let book = try await LampBook.open()
        let near = LampBook.locator("c1", progression: 0.5)
        let moved = try await book.locate(text: Locator.Text(highlight: "rose and fell without"), near: near)
        #expect(moved?.href == "OEBPS/c2.xhtml" && moved?.text.highlight == "rose and fell without")
        #expect(
            moved?.text.before?.hasSuffix("grey water ") == true
                && moved?.text.after == " a sound.\nIt rained. The boats stayed in.")
    }

    @Test(arguments: [
        (Locator.Text(highlight: "It rained.", after: " The boats stayed in."), "c2", " The boats"),
        (Locator.Text(highlight: "It rained.", after: " The lamp burned."), "c1", " The lamp burned.\nIn"),
        (Locator.Text(before: "It rained. ", highlight: "The lamp burned"), "c1", ".\nIn the"),
        (Locator.Text(before: "rained again, and ", highlight: "the lamp burned"), "c1", " low."),
        (Locator.Text(before: "and the lamp burned "), "c1", "ow."),
    ])
    func `repeated words are told apart by those around`(text: Locator.Text, chapter: String, after: String)
        async throws
    {
        let book = try await LampBook.open()
        for near in [nil, LampBook.locator("c1", progression: 0), LampBook.locator("c2", progression: 1)] {
            let found = try await book.locate(text: text, near: near)
            #expect(found?.href == "OEBPS/\(chapter).xhtml" && found?.text.after?.hasPrefix(after) == true)
        }
    }

    @Test func `repeated words without others are found where they were`() async throws {
        let book = try await LampBook.open()
        let text = Locator.Text(highlight: "the lamp burned")
        let early = try await book.locate(text: text, near: LampBook.locator("c1", progression: 0.5))
        let late = try await book.locate(text: text, near: LampBook.locator("c1", progression: 1))
        #expect(early?.text.after?.hasPrefix(".\nIn") == true && late?.text.after == " low.")
    }

    @Test(arguments: ["Mountains of snow stood behind the town", "zzz", "", "  ", "\u{AD}"])
    func `words that are not there are not found`(quotation: String) async throws {
        let book = try await LampBook.open()
        #expect(try await book.locate(text: Locator.Text(highlight: quotation)) == nil)
    }

    @Test func `a locator of the book before it was edited leads to the same paragraph`() async throws {
        let old = try await LampBook.open()
        let first = "<h1>The Lamp</h1><p>A new beginning that is as long as other paragraphs are in this book.</p>"
        let new = try await LampBook.open(first: first + LampBook.first.dropFirst("<h1>The Lamp</h1>".count))
        for try await element in old.content() where element.text != nil && element.locator.href.hasSuffix("c1.xhtml") {
            var locator = element.locator
            // Ids would make it easy.
            locator.locations.cssSelector = locator.locations.cssSelector.map { $0.hasPrefix("#") ? "p" : $0 }
            locator.locations.partialCFI = locator.locations.partialCFI?.replacing(#/\[.*?\]/#, with: "")
            let found = try #require(try await new.locate(locator))
            let string = try #require(element.text?.string)
            #expect(try await new.text(from: found).hasPrefix(string))
        }
    }

    @Test func `sound has times`() async throws {
        let links = [("a.mp3", 60.0), ("b.mp3", 40.0)].map { href, duration in
            var link = Link(href: href, type: "audio/mpeg")
            link.duration = duration
            return link
        }
        let book = Publication(manifest: Manifest(metadata: Metadata(title: "B"), readingOrder: links))
        let late = try #require(try await book.locate(progression: 0.75))
        #expect(late.href == "b.mp3" && late.locations.fragments == ["t=15.0"] && late.locations.time?.start == 15)
        #expect(late.locations.progression == 0.375 && late.locations.totalProgression == 0.75)
        #expect(late.locations.position == nil)
        let half = Locator(href: "a.mp3", type: "audio/mpeg", locations: .init(progression: 0.5))
        let found = try #require(try await book.locate(half))
        #expect(found.locations.time?.start == 30 && found.locations.totalProgression == 0.3)
        let end = try #require(try await book.locate(progression: 1))
        #expect(end.href == "b.mp3" && end.locations.time?.start == 40 && end.locations.totalProgression == 1)
        #expect(try await book.locate(Locator(href: "c.mp3", type: "audio/mpeg")) == nil)
        let unknown = Publication(
            manifest: Manifest(
                metadata: Metadata(title: "B"), readingOrder: [links[0], Link(href: "c.mp3", type: "audio/mpeg")]))
        #expect(try await unknown.locate(progression: 0.5) == nil)
        #expect(try await unknown.locate(half)?.locations.time?.start == 30)
    }

    @Test func `PDF documents have pages`() async throws {
        var metadata = Metadata(title: "B")
        metadata.numberOfPages = 4
        let link = Link(href: "b.pdf", type: "application/pdf")
        let book = Publication(manifest: Manifest(metadata: metadata, readingOrder: [link]))
        func page(_ fragments: [String], _ progression: Double? = nil) async throws -> Locator? {
            try await book.locate(
                Locator(
                    href: "b.pdf", type: "application/pdf",
                    locations: .init(fragments: fragments, progression: progression)))
        }
        let third = try #require(try await page(["page=3"]))
        #expect(third.locations.position == 3 && third.locations.progression == 0.5)
        #expect(third.locations.totalProgression == 0.5)
        #expect(try await page([], 0.5)?.locations.page == 3)
        #expect(try await page([], 1)?.locations.page == 4)
        #expect(try await page([])?.locations.page == 1)
        #expect(try await page(["page=5"]) == nil)
        #expect(try await book.locate(progression: 0.5)?.locations.page == 3)
    }
}
