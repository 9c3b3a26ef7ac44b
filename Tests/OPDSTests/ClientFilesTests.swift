import FaultServer
import FileProviderCore
import Foundation
import OPDSClient
import ProviderDoubles
import SampleBooks
import Testing

/// Downloading and opening what a catalogue offers.
@Suite struct ClientFilesTests {
    private let client: CatalogClient

    init() {
        var options = ConnectionOptions(retries: RetryPolicy(retries: 0), proxy: .none)
        options.maxRangesAtOnce = 1
        client = CatalogClient(options: options)
    }

    private func link(_ server: CatalogServer, _ path: String, type: String? = "application/epub+zip") -> Link {
        Link(href: server.url(path).absoluteString, type: type)
    }

    @Test func `a file arrives whole, and its bytes are counted`() async throws {
        let book = try SampleBook.small()
        let server = try CatalogServer(book: book)
        let target = try LocalTarget()
        let reports = CollectedValues<Int64>()
        let file = try await client.acquire(
            link(server, "/get?book=moby"), to: target.path, of: target.provider,
            progress: ProgressReporter { done, _ in reports.append(done) })
        #expect(try await target.content() == book && file.size == Int64(book.count))
        #expect(reports.values.last == Int64(book.count))
        #expect(server.requests.allSatisfy { $0.target == "/get?book=moby" } && server.requests.count == 2)
        let error = await #expect(throws: CocoaError.self) {
            try await client.acquire(link(server, "/get?book=moby"), to: target.path, of: target.provider)
        }
        #expect(error?.code == .fileWriteFileExists)
    }

    @Test(arguments: [false, true]) func `a page in place of the book is refused, and nothing is written`(
        resumes: Bool
    ) async throws {
        let server = try CatalogServer(book: Data())
        let target = try LocalTarget()
        let error = await #expect(throws: CocoaError.self) {
            try await client.acquire(
                link(server, "/walden.pdf", type: "application/pdf"), to: target.path, of: target.provider,
                resumes: resumes)
        }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(error?.sentence.contains("“walden.pdf” is a web page (HTML) and not PDF") == true)
        #expect(try target.names().isEmpty)
    }

    @Test func `a download that stopped goes on where it was`() async throws {
        let book = Data("PK\u{3}\u{4}".utf8) + Data.patterned(4 << 20)
        let isCut = LockedValue(false)
        let server = try CatalogServer(book: book) { request in
            let range = request.range(size: book.count) ?? 0..<book.count
            let isWhole = range.count > 3 << 20
            guard isWhole, !isCut.value else { return nil }
            isCut.update { $0 = true }
            var headers = ["ETag": "\"1\""]
            let isPart = request.headers["range"] != nil
            if isPart { headers["Content-Range"] = "bytes \(range.lowerBound)-\(book.count - 1)/\(book.count)" }
            return .truncated(
                isPart ? 206 : 200, headers: headers, promised: range.count, body: Data(book[range].prefix(2 << 20)))
        }
        let target = try LocalTarget()
        let link = link(server, "/get?book=moby")
        await #expect(throws: (any Error).self) {
            try await client.acquire(link, to: target.path, of: target.provider, resumes: true)
        }
        let left = try target.names()
        #expect(left.count == 1 && left.allSatisfy(TemporaryName.matches))
        let before = server.sent
        try await client.acquire(link, to: target.path, of: target.provider, resumes: true)
        #expect(try await target.content() == book)
        #expect(try target.names() == ["book.epub"])
        #expect(server.sent - before < 3 << 20)
    }

    @Test func `a download that stopped leaves nothing otherwise`() async throws {
        let server = try CatalogServer(book: Data("PK\u{3}\u{4}".utf8) + Data(count: 1 << 20)) { request in
            request.headers["range"] == "bytes=0-1023"
                ? nil : .truncated(200, headers: ["ETag": "\"1\""], promised: (1 << 20) + 4, body: Data(count: 1 << 19))
        }
        let target = try LocalTarget()
        await #expect(throws: (any Error).self) {
            try await client.acquire(link(server, "/get?book=moby"), to: target.path, of: target.provider)
        }
        #expect(try target.names().isEmpty)
    }

    @Test func `a link to an entry is followed to the format that it promises`() async throws {
        let book = try SampleBook.small()
        let server = try CatalogServer(book: book)
        var borrow = link(server, "/entry/walden", type: "application/opds-publication+json")
        borrow.rels = [AcquisitionRelation.borrow.rawValue]
        borrow.properties.indirectAcquisitions = [IndirectAcquisition(type: "application/epub+zip")]
        let target = try LocalTarget()
        try await client.acquire(borrow, to: target.path, of: target.provider)
        #expect(try await target.content() == book)
        #expect(server.requests.map(\.target) == ["/entry/walden", "/get?book=walden", "/get?book=walden"])
    }

    @Test func `a shop is named, and not downloaded`() async throws {
        let server = try CatalogServer(book: Data())
        let page = try await client.feed(at: server.url("/opds?page=2"))
        let offer = try #require(page.publications.first?.preferredAcquisition())
        let target = try LocalTarget()
        let error = await #expect(throws: CocoaError.self) {
            try await client.acquire(offer, to: target.path, of: target.provider)
        }
        #expect(error?.code == .featureUnsupported)
        #expect(error?.sentence.contains(server.url("/shop").absoluteString) == true)
        #expect(server.requests.count == 1)
    }

    @Test(
        arguments: [
            ("application/vnd.adobe.adept+xml", "Omoo.acsm"), ("application/x-test-voucher", "Omoo"),
            ("application/atom+xml;type=entry;profile=opds-catalog", "Omoo.epub"), ("text/html", "Omoo.epub"),
            (nil, "Omoo.epub"),
        ] as [(String?, String)])
    func `a voucher for a book does not get the extension of the book`(type: String?, name: String) {
        var link = Link(href: "https://example.org/1", type: type)
        link.properties.indirectAcquisitions = [IndirectAcquisition(type: "application/epub+zip")]
        #expect(FeedPublication(metadata: Metadata(title: "Omoo")).suggestedFileName(for: link) == name)
    }

    @Test func `a file is preferred to a voucher for it, and a voucher to a shop`() {
        var voucher = Link(
            href: "https://example.org/1", type: "application/vnd.adobe.adept+xml",
            rels: [AcquisitionRelation.acquisition.rawValue])
        voucher.properties.indirectAcquisitions = [IndirectAcquisition(type: "application/epub+zip")]
        var shop = voucher
        (shop.type, shop.rels) = ("text/html", [AcquisitionRelation.buy.rawValue])
        let file = Link(
            href: "https://example.org/2", type: "application/epub+zip",
            rels: [AcquisitionRelation.openAccess.rawValue])
        for types in [[], ["application/epub+zip"]] {
            var book = FeedPublication(metadata: Metadata(title: "Omoo"), links: [shop, voucher, file])
            #expect(book.preferredAcquisition(of: types) == file)
            book.links.removeLast()
            #expect(book.preferredAcquisition(of: types) == voucher)
            book.links.removeLast()
            #expect(book.preferredAcquisition(of: types) == shop)
        }
    }

    @Test func `a book opens where it is, at an address with a query`() async throws {
        let server = try CatalogServer(book: try SampleBook.small())
        let book = try await client.open(link(server, "/get?book=moby"))
        #expect(book.metadata.title.string == SampleBook.title)
        let chapter = try #require(book.readingOrder.first)
        #expect(try await book.get(chapter).readAsString().contains("<h1>"))
        await book.close()
        #expect(server.requests.allSatisfy { $0.target == "/get?book=moby" && $0.headers["range"] != nil })
    }

    @Test func `a file is told from a document by its first bytes`() async throws {
        let server = try CatalogServer(book: try SampleBook.small())
        let found = try #require(try await client.fileLink(at: server.url("/get?book=moby")))
        #expect(found.mediaType == .epub && found.href == server.url("/get?book=moby").absoluteString)
        for path in ["/opds", "/v1", "/entry/walden", "/walden.pdf"] {
            #expect(try await client.fileLink(at: server.url(path)) == nil)
        }
    }

    @Test(.timeLimit(.minutes(1))) func `the Progress of a download counts its bytes`() async throws {
        let book = try SampleBook.small()
        let server = try CatalogServer(book: book)
        let target = try LocalTarget()
        let (stream, continuation) = AsyncStream.makeStream(of: Result<FileObject, any Error>.self)
        let progress = client.acquire(link(server, "/get?book=moby"), to: target.path, of: target.provider) {
            continuation.yield($0)
        }
        var results = stream.makeAsyncIterator()
        let file = try #require(await results.next()).get()
        #expect(file.size == Int64(book.count))
        #expect(progress.isFinished && progress.completedUnitCount == Int64(book.count))
    }

    @Test(.timeLimit(.minutes(1))) func `cancelling the Progress ends a download`() async throws {
        let server = try CatalogServer(book: Data()) { request in
            request.headers["range"] == "bytes=0-1023" ? .file(Data(count: 1 << 20), for: request) : .silence
        }
        let target = try LocalTarget()
        let result: Result<FileObject, any Error> = await withCheckedContinuation { continuation in
            let progress = client.acquire(link(server, "/get"), to: target.path, of: target.provider) {
                continuation.resume(returning: $0)
            }
            progress.cancel()
        }
        #expect(throws: CocoaError.self) { _ = try result.get() }
        #expect(try target.names().isEmpty)
    }
}
