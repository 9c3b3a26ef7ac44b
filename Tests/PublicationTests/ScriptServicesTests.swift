import Foundation
import Testing

import MediaTypes
@testable import Publication

/// Books in scripts that run in other ways, each through all services.
struct ScriptServicesTests {
    struct Book: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var language: String
        var spine: String
        var attributes: String
        var chapters: [String]
        /// The text of each chapter's paragraphs, without annotations.
        var lines: [[String]]
        var directions: [TextDirection]
        var progression: Metadata.ReadingProgression?
        /// Words of a query, the highlight, and the chapter.
        var query: (String, String, Int)
        /// Of the first chapter; each ideograph and each kana counts (Unicode Standard Annex #29).
        var words: Int

        func open() async throws -> Publication {
            var book = EPUBFixture()
            book.metadata = "<dc:title>T</dc:title><dc:language>\(language)</dc:language>"
            book.spineAttributes = spine
            book.items = chapters.indices.map {
                #"<item id="c\#($0)" href="c\#($0).xhtml" media-type="application/xhtml+xml"/>"#
            }.joined()
            book.spine = chapters.indices.map { #"<itemref idref="c\#($0)"/>"# }.joined()
            for (index, body) in chapters.enumerated() {
                book.files["OEBPS/c\(index).xhtml"] = """
                    <html xmlns="http://www.w3.org/1999/xhtml" \(attributes)><head><title>T</title></head>
                    <body>\(body)</body></html>
                    """
            }
            return try await EPUBParser().open(DictionaryFetcher(book.allFiles))
        }
    }

    private static let books = [
        Book(
            testDescription: "vertical Japanese", language: "ja",
            spine: #"page-progression-direction="rtl""#,
            attributes: #"xml:lang="ja" style="writing-mode: vertical-rl""#,
            chapters: [
                "<h1>一</h1><p>吾輩は<ruby>猫<rp>(</rp><rt>ねこ</rt><rp>)</rp></ruby>である。</p>",
                "<p>名前はまだ無い。</p>",
            ],
            lines: [["一", "吾輩は猫である。"], ["名前はまだ無い。"]],
            directions: [.leftToRight, .leftToRight, .leftToRight], progression: .rtl,
            query: ("猫である", "猫である", 0), words: 8),
        Book(
            testDescription: "Arabic, right to left", language: "ar", spine: #"page-progression-direction="rtl""#,
            attributes: #"xml:lang="ar" dir="rtl""#,
            chapters: ["<h1>الفصل الأول</h1><p>قال مُحَمَّدٌ: السلام عليكم.</p>", "<p>ثم ذهب إلى البيت.</p>"],
            lines: [["الفصل الأول", "قال مُحَمَّدٌ: السلام عليكم."], ["ثم ذهب إلى البيت."]],
            directions: [.rightToLeft, .rightToLeft, .rightToLeft], progression: .rtl,
            query: ("محمد", "مُحَمَّدٌ", 0), words: 6),
        Book(
            testDescription: "English, Hebrew and Chinese mixed", language: "en", spine: "",
            attributes: #"xml:lang="en""#,
            chapters: [
                #"<p>The word <span xml:lang="he" dir="rtl">שָׁלוֹם</span> means <i xml:lang="zh">和平</i>.</p>"#,
                #"<p xml:lang="he" dir="rtl">שלום world</p>"#,
            ],
            lines: [["The word שָׁלוֹם means 和平."], ["שלום world"]],
            directions: [.leftToRight, .rightToLeft], progression: nil,
            query: ("שלום means", "שָׁלוֹם means", 0), words: 6),
    ]

    @Test(arguments: books) func `content, positions and locations`(_ sample: Book) async throws {
        let book = try await sample.open()
        #expect(book.metadata.languages == [sample.language])
        #expect(book.metadata.readingProgression == sample.progression)
        #expect(try await book.positions().map(\.href) == sample.chapters.indices.map { "OEBPS/c\($0).xhtml" })

        var elements: [ContentElement] = []
        for try await element in book.content() { elements.append(element) }
        #expect(elements.map { $0.text?.string } == sample.lines.flatMap(\.self))
        #expect(elements.map { $0.text?.direction } == sample.directions)
        #expect(elements.first?.text?.language == sample.language)
        for element in elements {
            // Each way of saying where it is leads to the element again.
            let found = try #require(try await book.locate(element.locator))
            let written = try #require(try await book.cfi(of: element.locator)).description
            let cfi = try #require(EPUBCFI(written))
            let byCFI = try #require(try await book.locate(cfi))
            let byText = try #require(try await book.locate(text: Locator.Text(highlight: element.text?.string)))
            for locator in [found, byCFI, byText] {
                #expect(locator.locations.progression == element.locator.locations.progression)
                var iterator = book.content(from: locator).makeAsyncIterator()
                #expect(try await iterator.next() == element)
            }
        }
        var iterator = book.content(from: elements.last?.locator).makeAsyncIterator()
        #expect(try await iterator.next() == elements.last)
        for element in elements.reversed() { #expect(try await iterator.previous() == element) }
        #expect(try await iterator.previous() == nil)
    }

    @Test(arguments: books) func `text, counts and search`(_ sample: Book) async throws {
        let book = try await sample.open()
        let text = sample.lines.flatMap(\.self).joined(separator: "\n")
        #expect(try await book.text() == text)
        let count = try await book.textCount(of: book.readingOrder[0])
        #expect(count.words == sample.words && count.characters == sample.lines[0].map(\.count).reduce(0, +))

        let hit = try #require(try await book.search(sample.query.0).locators().first)
        #expect(hit.href == "OEBPS/c\(sample.query.2).xhtml")
        #expect(hit.text.highlight.map { Array($0.utf8) } == Array(sample.query.1.utf8))
        let place = try #require(try await book.locate(hit))
        #expect(place.locations.progression == hit.locations.progression)
        // From the hit to the end is what the highlight begins.
        let rest = try await book.text(from: hit)
        #expect(rest.utf8.starts(with: sample.query.1.utf8))
        #expect(text.utf8.suffix(rest.utf8.count).elementsEqual(rest.utf8))
        #expect(try await book.locate(progression: 0)?.href == "OEBPS/c0.xhtml")
        #expect(try await book.locate(progression: 1)?.href == book.readingOrder.last?.href)
    }
}
