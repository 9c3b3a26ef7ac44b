import FileProviderCore
import Foundation
import SampleBooks
import Testing

import Archives
import MediaTypes
@testable import Publication

/// Positions, counted by hand.
@Suite struct PositionsTests {
    /// A chapter as it is put into an archive.
    private struct Chapter {
        var content: Data
        var isStored = true
        var spine = ""
    }

    private static func noise(_ count: Int) -> Data {
        var numbers = SeededNumbers(seed: 4)
        return numbers.bytes(count)
    }

    private static func stored(_ count: Int, spine: String = "") -> Chapter {
        Chapter(content: Data(repeating: 0x61, count: count), spine: spine)
    }

    private static func deflated(_ content: Data) -> Chapter { Chapter(content: content, isStored: false) }

    private static func fixture(_ chapters: [Chapter], metadata: String = "") -> EPUBFixture {
        var book = EPUBFixture()
        book.metadata += metadata
        book.items = chapters.indices.map {
            #"<item id="c\#($0)" href="c\#($0).xhtml" media-type="application/xhtml+xml"/>"#
        }.joined()
        book.spine = chapters.enumerated().map { #"<itemref idref="c\#($0)" \#($1.spine)/>"# }.joined()
        return book
    }

    private static func open(_ chapters: [Chapter], metadata: String = "") async throws -> Publication {
        let book = fixture(chapters, metadata: metadata)
        let data = try ZIPBuilder.data { zip in
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            for (path, text) in book.allFiles.sorted(by: { $0.key < $1.key }) { try zip.deflate(path, text) }
            for (index, chapter) in chapters.enumerated() {
                var options = ZIPBuilder.Options()
                options.method = chapter.isStored ? 0 : 8
                try zip.add("OEBPS/c\(index).xhtml", chapter.content, options)
            }
        }
        let shelf = Shelf()
        try await shelf.provider.writeContents(path: ProviderPath("book.epub"), contents: data)
        return try await shelf.open("book.epub")
    }

    private static func counts(_ book: Publication) async throws -> [Int] {
        let positions = try await book.positionsByReadingOrder()
        // The rules that hold for all of them.
        let all = positions.flatMap(\.self)
        #expect(try await book.positions() == all)
        #expect(all.compactMap(\.locations.position) == Array(0..<all.count).map { $0 + 1 })
        for (index, locator) in all.enumerated() {
            #expect(locator.locations.totalProgression == Double(index) / Double(all.count))
        }
        for (link, own) in zip(book.readingOrder, positions) {
            for (index, locator) in own.enumerated() {
                #expect(locator.href == link.href && locator.type == link.type)
                #expect(locator.locations.progression == Double(index) / Double(own.count))
            }
        }
        return positions.map(\.count)
    }

    // MARK: Reflowable

    @Test func `a reflowable chapter has one for each 1,024 bytes of its entry, and one at least`() async throws {
        let book = try await Self.open([0, 1, 1_023, 1_024, 1_025, 2_048, 2_049, 10_240].map { Self.stored($0) })
        #expect(try await Self.counts(book) == [1, 1, 1, 1, 2, 2, 3, 10])
        await book.close()
    }

    @Test func `bytes are counted as they are packed`() async throws {
        let (plain, noise) = (Data(repeating: 0x61, count: 100_000), Self.noise(5_000))
        let (packed, incompressible) = (Deflate.pack(plain).count, Deflate.pack(noise).count)
        #expect(packed < 1_024 && incompressible > 4_096 && incompressible <= 5_120)
        let book = try await Self.open([
            Self.deflated(plain), Self.deflated(noise), Chapter(content: plain), Chapter(content: noise),
        ])
        #expect(try await Self.counts(book) == [1, 5, 98, 5])
    }

    @Test func `a position has the title of the contents`() async throws {
        var manifest = Manifest(
            metadata: Metadata(title: "B"),
            readingOrder: [
                Link(href: "a.html", type: "text/html"), Link(href: "b.html", type: "text/html", title: "Own"),
                Link(href: "c.html", type: "text/html"),
            ])
        manifest.tableOfContents = [
            Link(href: "a.html#x", title: "A", children: [Link(href: "a.html#y", title: "A.1")]),
            Link(href: "b.html", title: "B"),
        ]
        let positions = try await Publication(manifest: manifest).positions()
        #expect(positions.map(\.title) == ["A", "Own", nil])
    }

    @Test func `a folder counts the lengths of its files`() async throws {
        let chapters = [Self.stored(10), Self.stored(3_000), Self.stored(1_024)]
        let shelf = Shelf()
        var files = Self.fixture(chapters).allFiles.map { ($0.key, $0.value) }
        files.append(("mimetype", "application/epub+zip"))
        for (index, chapter) in chapters.enumerated() {
            files.append(("OEBPS/c\(index).xhtml", String(decoding: chapter.content, as: UTF8.self)))
        }
        try await shelf.spread("book.epub", files)
        let book = try await shelf.open("book.epub")
        #expect(try await Self.counts(book) == [1, 3, 1])
        await book.close()
    }

    @Test func `a streamed publication counts what its manifest says, and asks for nothing`() async throws {
        let json: JSONValue = [
            "metadata": ["title": "x"],
            "readingOrder": [
                ["href": "https://example.org/1", "type": "text/html", "size": 5_000],
                [
                    "href": "2", "type": "text/html", "size": 9_000,
                    "properties": ["archive": ["entryLength": 3_000, "isEntryCompressed": true]],
                ],
                ["href": "3", "type": "application/xhtml+xml"], ["href": "4.jpg", "type": "image/jpeg", "size": 9_000],
            ],
        ]
        let fetcher = ReadingCounter()
        let book = Publication(manifest: try Manifest(json: json), fetcher: fetcher)
        #expect(try await Self.counts(book) == [5, 3, 1, 1])
        #expect(fetcher.reads.value == 0)
        // The counter counts.
        await #expect(throws: CocoaError.self) { try await book.get("3").read() }
        #expect(fetcher.reads.value == 1)
    }

    @Test func `lengths that are only claimed are not believed without end`() async throws {
        var manifest = Manifest(metadata: Metadata(title: "B"))
        let sizes: [Int64] = [.max, .max - 1, 1 << 40, -5, 0]
        for (index, size) in sizes.enumerated() {
            var link = Link(href: "\(index).html", type: "text/html")
            link.size = size
            manifest.readingOrder.append(link)
        }
        let counts = try await Publication(manifest: manifest).positionsByReadingOrder().map(\.count)
        #expect(counts == [100_000, 100_000, 100_000, 1, 1])
        manifest.readingOrder = (0..<2_000).map { index in
            var link = Link(href: "\(index).html", type: "text/html")
            link.size = 1 << 40
            return link
        }
        let many = try await Publication(manifest: manifest).positionsByReadingOrder().map(\.count)
        #expect(many == Array(repeating: 500, count: 2_000))
    }

    // MARK: Others

    @Test func `a fixed page has one, however long it is`() async throws {
        let fixed = "<meta property='rendition:layout'>pre-paginated</meta>"
        let chapters = [
            Self.stored(5_000), Self.stored(100),
            Self.stored(5_000, spine: #"properties="rendition:layout-reflowable""#),
        ]
        #expect(try await Self.counts(Self.open(chapters, metadata: fixed)) == [1, 1, 5])
        let mixed = [Self.stored(5_000), Self.stored(5_000, spine: #"properties="rendition:layout-pre-paginated""#)]
        #expect(try await Self.counts(Self.open(mixed)) == [5, 1])
    }

    @Test func `a comic has one for each picture`() async throws {
        let pages = (1...12).map { ("\($0).jpg", String(repeating: "x", count: 3_000)) }
        let book = try await Shelf().open("comic.cbz", pages)
        #expect(try await Self.counts(book) == Array(repeating: 1, count: 12))
        #expect(try await book.positions().map(\.href) == (1...12).map { "\($0).jpg" })
    }

    @Test func `a PDF document has one for each page`() async throws {
        let book = try await Publication.open(pdf: PDFBuilder.pages(7).build())
        let positions = try await book.positions()
        #expect(try await Self.counts(book) == [7])
        #expect(positions.map(\.locations.fragments) == (1...7).map { ["page=\($0)"] })
        #expect(positions.map(\.locations.page) == Array(1...7))
    }

    @Test func `of several PDF documents each has one`() async throws {
        var metadata = Metadata(title: "B")
        metadata.numberOfPages = 20
        let links = ["a.pdf", "b.pdf"].map { Link(href: $0, type: "application/pdf") }
        let book = Publication(manifest: Manifest(metadata: metadata, readingOrder: links))
        #expect(try await Self.counts(book) == [1, 1])
    }

    @Test func `sound has none`() async throws {
        let links = ["a.mp3", "b.mp3"].map { href in
            var link = Link(href: href, type: "audio/mpeg")
            link.duration = 60
            link.size = 100_000
            return link
        }
        let book = Publication(manifest: Manifest(metadata: Metadata(title: "B"), readingOrder: links))
        #expect(try await Self.counts(book) == [0, 0])
        #expect(try await book.positions().isEmpty)
        let json = try JSONValue(data: try await book.get("~readium/positions").read(), maximumSize: 1 << 20)
        #expect(json["total"]?.integerValue == 0 && json["positions"]?.arrayValue?.isEmpty == true)
    }

    @Test func `a publication of nothing has none`() async throws {
        let book = Publication(manifest: Manifest(metadata: Metadata(title: "B")))
        #expect(try await Self.counts(book) == [])
    }

    // MARK: Addresses and places

    /// The shape of Readium's position list.
    @Test func `the address gives them as JSON`() async throws {
        let book = try await Self.open([Self.stored(1_000), Self.stored(2_000)])
        let link = try #require(book.serviceLinks.first { $0.rels == ["http://readium.org/position-list"] })
        #expect(link.href == "~readium/positions" && link.type == "application/vnd.readium.position-list+json")
        let json = try JSONValue(data: try await book.get(link).read(), maximumSize: 1 << 20)
        let expected: JSONValue = [
            "total": 3,
            "positions": [
                [
                    "href": "OEBPS/c0.xhtml", "type": "application/xhtml+xml",
                    "locations": ["position": 1, "progression": 0, "totalProgression": 0],
                ],
                [
                    "href": "OEBPS/c1.xhtml", "type": "application/xhtml+xml",
                    "locations": ["position": 2, "progression": 0, "totalProgression": .double(1.0 / 3)],
                ],
                [
                    "href": "OEBPS/c1.xhtml", "type": "application/xhtml+xml",
                    "locations": ["position": 3, "progression": 0.5, "totalProgression": .double(2.0 / 3)],
                ],
            ],
        ]
        #expect(json["total"]?.integerValue == 3)
        let read = try (json["positions"]?.arrayValue ?? []).map { try Locator(json: $0) }
        let wanted = try (expected["positions"]?.arrayValue ?? []).map { try Locator(json: $0) }
        #expect(read == wanted)
        #expect(try await read == book.positions())
        #expect(json["positions"]?.arrayValue?.first?["locations"]?["position"]?.integerValue == 1)
        for address in ["/~readium/positions", "~readium/positions?x=1#y"] {
            #expect(try await book.get(address).readAsString() == book.get(link).readAsString())
        }
    }

    @Test func `a position leads to its place and back`() async throws {
        var manifest = Manifest(metadata: Metadata(title: "B"))
        var files: [String: String] = [:]
        for (index, size) in [3_000, 500, 2_100].enumerated() {
            var link = Link(href: "\(index).html", type: "text/html")
            link.size = Int64(size)
            manifest.readingOrder.append(link)
            files[link.href] = "<p>\(String(repeating: "word ", count: size / 5))</p>"
        }
        let book = Publication(manifest: manifest, fetcher: DictionaryFetcher(files))
        let positions = try await book.positions()
        #expect(positions.count == 7)
        for (index, position) in positions.enumerated() {
            #expect(try await book.locator(atPosition: index + 1) == position)
            #expect(try await book.position(of: position) == index + 1)
        }
        for position in [-1, 0, 8] { #expect(try await book.locator(atPosition: position) == nil) }
        // A place says its position itself.
        for hit in try await book.search("word").locators() {
            let progression = try #require(hit.locations.progression)
            let own = positions.filter { $0.href == hit.href }
            #expect(
                hit.locations.position
                    == own.last { ($0.locations.progression ?? 0) <= progression }?.locations.position)
        }
    }
}

/// A fetcher that counts what is read, and has nothing.
private final class ReadingCounter: Fetcher {
    let reads = LockedValue(0)

    func links() async throws -> [Link] { [] }

    func get(_ link: Link) -> any Resource {
        let reads = reads
        return MadeResource(link) {
            reads.update { $0 += 1 }
            throw FileError.make(.fileReadNoSuchFile, path: link.href)
        }
    }
}
