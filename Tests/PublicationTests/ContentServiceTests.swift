import Foundation
import Testing

import MediaTypes
@testable import Publication

struct ContentServiceTests {
    /// A picture, a page break and a recording among the text; an empty chapter, and one of pictures alone.
    private static func book() async throws -> Publication {
        let chapters = [
            """
            <h1>One</h1><p><img src="a.png"/><img src="b.png"/></p><p>It is <i>late</i>.<span epub:type="pagebreak">2</span>
            Go <img src="c.png" alt="C"/> home.</p><audio src="x.mp3"/><p>It is late.</p>
            """,
            "", "<p> </p>", #"<img src="d.png"/><img src="e.png"/>"#, "<p>Two</p><p>It is late.</p>", "<div/>",
        ]
        return try await book(chapters)
    }

    private static func book(_ chapters: [String]) async throws -> Publication {
        var book = EPUBFixture()
        book.items = chapters.indices.map {
            #"<item id="c\#($0)" href="c\#($0).xhtml" media-type="application/xhtml+xml"/>"#
        }.joined()
        book.spine = chapters.indices.map { #"<itemref idref="c\#($0)"/>"# }.joined()
        for (index, body) in chapters.enumerated() {
            book.files["OEBPS/c\(index).xhtml"] = ContentDocument.markup(body)
        }
        return try await EPUBParser().open(DictionaryFetcher(book.allFiles))
    }

    private static func elements(_ content: PublicationContent) async throws -> [ContentElement] {
        var elements: [ContentElement] = []
        for try await element in content { elements.append(element) }
        return elements
    }

    @Test func `content goes on over chapters and passes over empty ones`() async throws {
        let elements = try await Self.elements(Self.book().content())
        #expect(
            elements.map(\.line) == [
                "h1 One", "image OEBPS/a.png|-", "image OEBPS/b.png|-", "p It is late. Go home.", "page 2",
                "image OEBPS/c.png|C", "audio OEBPS/x.mp3|-", "p It is late.", "image OEBPS/d.png|-",
                "image OEBPS/e.png|-", "p Two", "p It is late.",
            ])
        let progressions = elements.compactMap(\.locator.locations.totalProgression)
        #expect(progressions.count == elements.count && progressions == progressions.sorted())
    }

    @Test func `backwards is forwards reversed, from every place`() async throws {
        let book = try await Self.book()
        let elements = try await Self.elements(book.content())
        for count in 0...elements.count {
            var iterator = book.content().makeAsyncIterator()
            for index in 0..<count { #expect(try await iterator.next() == elements[index]) }
            if count == elements.count { #expect(try await iterator.next() == nil) }
            for index in (0..<count).reversed() { #expect(try await iterator.previous() == elements[index]) }
            #expect(try await iterator.previous() == nil)
            #expect(try await iterator.next() == elements.first)
        }
    }

    @Test func `each element's locator leads to it`() async throws {
        let book = try await Self.book()
        for element in try await Self.elements(book.content()) {
            var iterator = book.content(from: element.locator).makeAsyncIterator()
            let next = try await iterator.next()
            #expect(next == element)
            // Also after a journey as JSON.
            let locator = try Locator(json: JSONValue(data: element.locator.json.data, maximumSize: 1 << 16))
            iterator = book.content(from: locator).makeAsyncIterator()
            #expect(try await iterator.next() == element)
        }
    }

    @Test func `a place in a paragraph begins with the paragraph, and one behind the chapter's end with the next`()
        async throws
    {
        let book = try await Self.book()
        func first(_ chapter: Int, _ progression: Double) async throws -> String? {
            let locator = Locator(
                href: "OEBPS/c\(chapter).xhtml", type: "application/xhtml+xml",
                locations: Locator.Locations(progression: progression))
            var iterator = book.content(from: locator).makeAsyncIterator()
            return try await iterator.next()?.line
        }
        #expect(try await first(0, 0) == "h1 One")
        #expect(try await first(0, 0.5) == "p It is late. Go home.")
        #expect(try await first(1, 0) == "image OEBPS/d.png|-")
        #expect(try await first(3, 0) == "image OEBPS/d.png|-")
        #expect(try await first(5, 0.5) == nil)
        let error = await #expect(throws: CocoaError.self) { try await first(9, 0) }
        #expect(error?.code == .fileReadNoSuchFile)
    }

    @Test func `text goes from one character to another`() async throws {
        let book = try await Self.book(["<p>One <b>two</b></p><p>😀e\u{301} <i>👩‍👩‍👧</i>.</p>"])
        let text = Array("One two\n😀e\u{301} 👩‍👩‍👧.")
        let length = String(text).utf8.count
        func locator(_ count: Int, inside: Int = 0) -> Locator {
            let offset = String(text[..<count]).utf8.count + inside
            return Locator(
                href: "OEBPS/c0.xhtml", type: "application/xhtml+xml",
                locations: Locator.Locations(progression: Double(offset) / Double(length)))
        }
        #expect(try await book.text() == String(text))
        for start in 0...text.count {
            for end in start...text.count {
                var part = String(text[start..<end])
                if part.hasPrefix("\n") { part.removeFirst() }
                if part.hasSuffix("\n") { part.removeLast() }
                #expect(try await book.text(from: locator(start), to: locator(end)) == part, "\(start)..<\(end)")
            }
        }
        // In the middle of the family, and between the letter and its accent.
        let family = text.count - 2
        #expect(try await book.text(from: locator(family, inside: 7)) == "👩‍👩‍👧.")
        #expect(try await book.text(from: locator(8), to: locator(family, inside: 7)) == "😀e\u{301} ")
        #expect(try await book.text(from: locator(9, inside: 1)) == "e\u{301} 👩‍👩‍👧.")
        #expect(try await book.text(from: locator(8), to: locator(9, inside: 1)) == "😀")
    }

    @Test func `text goes over chapters`() async throws {
        let book = try await Self.book(["<p>One</p><p>two</p>", "<p/>", "<p>three <i>four</i></p><p>five</p>"])
        func locator(_ chapter: Int, _ cfi: String) -> Locator {
            var locations = Locator.Locations()
            locations.partialCFI = cfi
            return Locator(href: "OEBPS/c\(chapter).xhtml", type: "application/xhtml+xml", locations: locations)
        }
        #expect(try await book.text() == "One\ntwo\nthree four\nfive")
        #expect(
            try await book.text(from: locator(0, "/4/4/1:1"), to: locator(2, "/4/2/2/1:2")) == "wo\nthree fo")
        #expect(try await book.text(from: locator(2, "/4/4")) == "five")
        #expect(try await book.text(to: locator(2, "/4/2")) == "One\ntwo")
        #expect(try await book.text(from: locator(2, "/4/4"), to: locator(0, "/4/4")).isEmpty)
        #expect(try await book.text(limit: 23) == book.text())
        let error = await #expect(throws: CocoaError.self) { try await book.text(limit: 22) }
        #expect(error?.code == .fileReadTooLarge)
    }

    @Test func `comics give their pictures`() async throws {
        let pages = ["1.jpg", "2.png", "3.webp"].map {
            Link(href: $0, type: MediaType.known(fileExtension: String($0.suffix(3)))?.string ?? "image/webp")
        }
        let book = Publication(manifest: Manifest(metadata: Metadata(title: "B"), readingOrder: pages))
        let elements = try await Self.elements(book.content())
        #expect(elements.map(\.line) == ["image 1.jpg|-", "image 2.png|-", "image 3.webp|-"])
        #expect(elements.map(\.locator.locations.position) == [1, 2, 3])
        #expect(try await book.text().isEmpty)
        let rest = try await Self.elements(book.content(from: elements[1].locator))
        #expect(rest == Array(elements[1...]))
    }

    @Test func `words and characters are counted`() async throws {
        let book = try await Self.book([
            "<h1>The Lamp</h1><p>Don’t go, e\u{301}<img src='x.png'/>.</p>", "<p>Other</p>",
        ])
        let count = try await book.textCount(of: book.readingOrder[0])
        #expect(count.words == 5 && count.characters == 8 + 12)
        let error = await #expect(throws: CocoaError.self) {
            try await book.textCount(of: Link(href: "c9.xhtml", type: "application/xhtml+xml"))
        }
        #expect(error?.code == .fileReadNoSuchFile)
    }

    @Test func `a damaged chapter fails once, and the others are read`() async throws {
        let links = ["a.html", "gone.html", "b.html"].map { Link(href: $0, type: "text/html") }
        let book = Publication(
            manifest: Manifest(metadata: Metadata(title: "B"), readingOrder: links),
            fetcher: DictionaryFetcher(["a.html": "<p>a", "b.html": "<p>b"]))
        var iterator = book.content().makeAsyncIterator()
        #expect(try await iterator.next()?.line == "p a")
        await #expect(throws: CocoaError.self) { try await iterator.next() }
        #expect(try await iterator.next()?.line == "p b")
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.previous()?.line == "p b")
        await #expect(throws: CocoaError.self) { try await iterator.previous() }
        #expect(try await iterator.previous()?.line == "p a")
        #expect(try await iterator.previous() == nil)
    }

    /// What apps have stored must stay readable: change this only with a new member.
    private static let stored = """
        [{"href": "OEBPS/c0.xhtml", "type": "application/xhtml+xml", "title": "T",
          "locations": {"progression": 0, "position": 1, "totalProgression": 0, "cssSelector": "#t",
           "partialCfi": "/4/2[t]/1:0"},
          "text": {"highlight": "Lamp"}},
         {"href": "OEBPS/c0.xhtml", "type": "application/xhtml+xml", "title": "T",
          "locations": {"progression": 0.5, "position": 1, "totalProgression": 0.5,
           "cssSelector": "html > body > p:nth-child(2)", "partialCfi": "/4/4/1:0"},
          "text": {"highlight": "One 2"}},
         {"href": "OEBPS/c0.xhtml", "type": "application/xhtml+xml", "title": "T",
          "locations": {"progression": 1, "position": 1, "totalProgression": 1,
           "cssSelector": "html > body > p:nth-child(3) > img:nth-child(1)", "partialCfi": "/4/6/2"}}]
        """

    @Test func `locators look like this`() async throws {
        let book = try await Self.book([#"<h1 id="t">Lamp</h1><p>One <i>2</i></p><p><img src="a.png" alt="A"/></p>"#])
        let elements = try await Self.elements(book.content())
        let stored = try JSONValue(data: Data(Self.stored.utf8), maximumSize: 1 << 16)
        #expect(JSONValue.array(elements.map(\.locator.json)) == stored)
        let cfi = try #require(EPUBCFI("epubcfi(/6/2!/4/4,/1:1,/2/1:1)"))
        let range = try await book.locate(cfi)
        let found = try JSONValue(
            data: Data(
                """
                {"href": "OEBPS/c0.xhtml", "type": "application/xhtml+xml", "title": "T",
                 "locations": {"progression": 0.6, "position": 1, "totalProgression": 0.6,
                  "cssSelector": "html > body > p:nth-child(2)", "partialCfi": "/4/4,/1:1,/2/1:1"},
                 "text": {"before": "Lamp\\nO", "highlight": "ne 2"}}
                """.utf8), maximumSize: 1 << 16)
        #expect(range?.json == found)
    }
}
