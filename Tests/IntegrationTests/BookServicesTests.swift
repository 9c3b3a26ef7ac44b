import Carrel
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

/// Everything that a reader app asks of a book.
private struct Reading: Equatable {
    var positions: [[Locator]]
    var hits: [Locator]
    var words: [Locator]
    var elements: [ContentElement]
    var text: String
    var counts: [Int]
    var cover: Data
    var middle: Locator?
    var quotation: Locator?
    var cfi: String?
    var placeOfCFI: Locator?
    var addresses: [String]

    init(_ book: Publication) async throws {
        positions = try await book.positionsByReadingOrder()
        hits = try await book.search("lamp").locators()
        var options = SearchOptions()
        options.wholeWords = true
        words = try await book.search("lamp", options: options).locators()
        elements = []
        for try await element in book.content() { elements.append(element) }
        text = try await book.text(from: hits.first)
        counts = []
        for link in book.readingOrder { counts.append(try await book.textCount(of: link).words) }
        middle = try await book.locate(progression: 0.5)
        let edited = Locator.Text(highlight: "had once carved a small fish on its edge")
        quotation = try await book.locate(text: edited)
        let place = try await book.cfi(of: #require(hits.last))
        cfi = place?.description
        placeOfCFI = try await book.locate(#require(place))
        cover = try await book.get("~readium/cover").read()
        addresses = []
        for address in ["~readium/positions", "~readium/search?query=lamp"] {
            addresses.append(try await book.get(address).readAsString())
        }
    }
}

/// The services of a publication, wherever the book lies.
@Suite struct BookServicesTests {
    private static let storages =
        TestStorage.all + TestServers.ftps.map(TestStorage.ftp) + [TestServers.s3].compactMap { $0.map(TestStorage.s3) }

    private static func read(_ provider: any FileProvider, in folder: ProviderPath) async throws -> Reading {
        let path = try folder.appending("lamp.epub")
        try await provider.writeContents(path: path, contents: SampleBook.small(.epub3))
        let book = try await Publication.open(path: path, of: provider)
        let reading = try await Reading(book)
        await book.close()
        #expect(try await book.positions().isEmpty)
        return reading
    }

    @Test func `a book says where what is in it`() async throws {
        let reading = try await Self.read(MemoryFileProvider(), in: .root)
        #expect(reading.positions.count == 3 && reading.positions.allSatisfy { !$0.isEmpty })
        #expect(reading.hits.map(\.href) == [1, 3, 3].map { "EPUB/chapter-\($0).xhtml" })
        #expect(reading.hits.map(\.text.highlight) == ["lamp", "Lamp", "lamp"] && reading.words.count == 2)
        #expect(reading.elements.count == 15)
        #expect(reading.text.hasPrefix("lamp. It hung on") && reading.text.hasSuffix("He let that one burn."))
        #expect(reading.counts.count == 3 && reading.counts.allSatisfy { $0 > 100 })
        #expect(reading.middle?.href == "EPUB/chapter-2.xhtml")
        #expect(reading.quotation?.text.highlight?.contains("carved a small fish into its edge") == true)
        #expect(reading.cfi?.hasPrefix("epubcfi(/6/6") == true)
        #expect(reading.placeOfCFI?.locations.progression == reading.hits.last?.locations.progression)
        #expect(String(decoding: reading.cover, as: UTF8.self).contains("<svg"))
        #expect(reading.addresses.allSatisfy { $0.contains("EPUB/chapter-1.xhtml") })
    }

    @Test(.serialized, arguments: storages)
    func `every service says the same from every storage`(_ storage: TestStorage) async throws {
        let expected = try await Self.read(MemoryFileProvider(), in: .root)
        try await storage.use { provider, folder in
            let reading = try await Self.read(provider, in: folder)
            #expect(reading == expected)
        }
    }

    // MARK: Cost

    enum Layout: CaseIterable {
        case textFirst, textLast, alternating

        func write(to url: URL) throws {
            switch self {
            case .textFirst: try SampleBook.large(textFirst: true, to: url)
            case .textLast: try SampleBook.large(textFirst: false, to: url)
            case .alternating: try SampleBook.largeAlternating(to: url)
            }
        }
    }

    /// The large book on a server, and what is asked of the server.
    private func withLargeBook(
        _ layout: Layout,
        _ body: (_ open: () async throws -> Publication, _ counters: TransferCounters) async throws -> Void
    ) async throws {
        let server = try #require(TestServers.named("Apache, Basic"), "the servers are not up; run bash Tests/run.sh")
        let file = server.data.appending(path: "large-\(UInt64.random(in: 0 ... .max)).epub")
        defer { try? FileManager.default.removeItem(at: file) }
        try layout.write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        let options = TestServers.options()
        let provider = try server.provider(options)
        _ = try await provider.attributesOfItem(path: .root)
        let path = try ProviderPath(file.lastPathComponent)
        try await body({ try await Publication.open(path: path, of: provider) }, options.counters)
    }

    @Test(.serialized, arguments: Layout.allCases)
    func `positions cost no request, and the first hit at most two`(_ layout: Layout) async throws {
        try await withLargeBook(layout) { open, counters in
            let book = try await open()
            let opened = counters[.requests]
            let positions = try await book.positionsByReadingOrder()
            #expect(positions.count == 60 && positions.allSatisfy { (20...26).contains($0.count) })
            #expect(counters[.requests] == opened)
            let page = try #require(try await book.search("chapter 1").makeAsyncIterator().next())
            #expect(page.resource == 0 && page.locators.first?.text.highlight == "Chapter 1")
            #expect(page.progress.searched == 1)
            #expect(counters[.requests] - opened <= 2, "\(counters[.requests] - opened)")
            await book.close()
        }
    }

    @Test(.serialized, arguments: Layout.allCases)
    func `a search through a large book reads its chapters once`(_ layout: Layout) async throws {
        try await withLargeBook(layout) { open, counters in
            let book = try await open()
            let packed = book.readingOrder.reduce(Int64(0)) { $0 + (book.get($1).link.storedLength ?? .max / 100) }
            #expect((1_200_000...1_600_000).contains(packed))
            let (requests, bytes) = (counters[.requests], counters[.bytesIn])
            var hits = 0
            var read: Int64 = 0
            for try await page in try book.search("lamp desk") {
                hits += page.locators.count
                read = page.progress.bytesRead
            }
            #expect(hits > 20 && read > 3 * packed / 2)
            let most = layout == .alternating ? 60 : Int((packed + (1 << 20) - 1) >> 20)
            #expect(counters[.requests] - requests <= most, "\(counters[.requests] - requests) requests")
            #expect(Double(counters[.bytesIn] - bytes) <= 1.05 * Double(packed), "\(counters[.bytesIn] - bytes) bytes")
            await book.close()
        }
    }
}
