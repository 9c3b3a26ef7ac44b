import FaultServer
import FileProviderCore
import Foundation
import OPDSClient
import Testing

/// Feeds, pages and searches over HTTP.
@Suite struct ClientBrowsingTests {
    private let client = CatalogClient(options: ConnectionOptions(retries: RetryPolicy(retries: 0), proxy: .none))
    private let server: CatalogServer

    init() throws {
        server = try CatalogServer(book: Data())
    }

    @Test func `addresses in a feed are absolute, those that begin with a query too`() async throws {
        let feed = try await client.feed(at: server.url("/opds"))
        #expect(feed.metadata.title.string == "Harbour Library")
        #expect(feed.navigation.map(\.href) == [server.url("/new").absoluteString])
        #expect(
            feed.publications.first?.acquisitions.map(\.href) == [server.url("/get?book=moby").absoluteString])
        let next = try #require(try await client.nextPage(of: feed))
        #expect(next.publications.map(\.metadata.title.string) == ["Middlemarch"])
        #expect(try await client.nextPage(of: next) == nil)
        #expect(server.requests.map(\.target) == ["/opds", "/opds?page=2"])
    }

    @Test func `each page is requested after the one before was used`() async throws {
        var titles: [String] = []
        for try await page in client.pages(from: server.url("/opds")) {
            titles += page.publications.map(\.metadata.title.string)
            #expect(server.requests.count == (titles.count < 3 ? 1 : 2))
        }
        #expect(titles == ["Moby-Dick", "Walden", "Middlemarch"])
    }

    @Test(arguments: [true, false]) func `pages that lead in a circle end with an error`(isAddress: Bool) async throws {
        let start = server.url("/circle")
        let first = try await client.feed(at: start)
        let pages = isAddress ? client.pages(from: start) : client.pages(from: first)
        var count = 0
        let error = await #expect(throws: CocoaError.self) {
            for try await _ in pages {
                count += 1
                if count > 5 { break }
            }
        }
        #expect(error?.code == .fileReadCorruptFile && error?.sentence.contains("circle") == true)
        #expect((2...3).contains(count))
    }

    @Test func `a search fills in a template, and folds what it has no field for into the text`() async throws {
        let feed = try await client.feed(at: server.url("/opds"))
        let found = try await client.search(
            SearchTerms("white whale", title: "Moby", author: "Melville"), in: feed)
        #expect(found.metadata.title.string == "Found")
        #expect(server.requests.last?.target == "/search?query=white%20whale%20Moby&author=Melville")
    }

    @Test func `an OpenSearch description is read first`() async throws {
        let feed = try await client.feed(at: server.url("/v1"))
        let found = try await client.search(SearchTerms("whales & men"), in: feed)
        #expect(found.publications.map(\.metadata.title.string) == ["Moby-Dick"])
        #expect(server.requests.map(\.target).dropLast() == ["/v1", "/find.xml"])
        let target = try #require(server.requests.last?.target)
        #expect(target.hasPrefix("/v1?q=whales%20%26%20men") || target.hasPrefix("/v1?q=whales+%26+men"))
    }

    @Test func `a feed without a search uses the one of its start`() async throws {
        let start = """
            <feed xmlns="http://www.w3.org/2005/Atom"><title>Start</title>
            <link rel="search" type="application/atom+xml" href="/search?query={searchTerms}&amp;n={count?}"/></feed>
            """
        let inner = #"{"metadata": {"title": "In"}, "links": [{"rel": "start", "href": "/start"}], "navigation": []}"#
        let server = try CatalogServer(book: Data()) { request in
            switch request.target {
            case "/start": .reply(200, body: Data(start.utf8))
            case "/inner": .reply(200, body: Data(inner.utf8))
            default: nil
            }
        }
        let feed = try await client.feed(at: server.url("/inner"))
        let found = try await client.search(SearchTerms("white whale", author: "Melville"), in: feed)
        #expect(found.metadata.title.string == "Found")
        let last = "/search?query=white%20whale%20Melville&n="
        #expect(server.requests.map(\.target) == ["/inner", "/start", last])
    }

    @Test func `a catalogue without a search says so`() async throws {
        let feed = try await client.feed(at: server.url("/mute"))
        let error = await #expect(throws: CocoaError.self) {
            _ = try await client.search(SearchTerms("whales"), in: feed)
        }
        #expect(error?.code == .featureUnsupported && error?.sentence.contains("“Mute”") == true)
    }

    @Test func `both versions give the same publication`() async throws {
        let books = [
            try await client.feed(at: server.url("/v1")).publications.first,
            try await client.feed(at: server.url("/opds")).publications.first,
        ]
        for book in books {
            #expect(book?.metadata.title.string == "Moby-Dick")
            #expect(book?.metadata.authors.map(\.name.string) == ["Herman Melville"])
            #expect(book?.preferredAcquisition()?.href == server.url("/get?book=moby").absoluteString)
        }
    }

    @Test func `a document over the limit, and one of another kind, are refused`() async throws {
        let small = CatalogClient(options: client.options, limits: CatalogLimits(bytes: 100))
        let address = server.url("/opds")
        var error = await #expect(throws: CocoaError.self) { _ = try await small.feed(at: address) }
        #expect(error?.code == .fileReadTooLarge)
        error = await #expect(throws: CocoaError.self) { _ = try await client.publication(at: address) }
        #expect(error?.code == .fileReadCorruptFile)
        error = await #expect(throws: CocoaError.self) { _ = try await client.feed(at: server.url("/gone")) }
        #expect(error?.code == .fileReadNoSuchFile)
    }

    @Test func `an entry in part is completed by its own document`() async throws {
        let books = try await client.feed(at: server.url("/opds")).publications
        let walden = try await client.completed(books[1])
        #expect(walden.acquisitions.count == 2)
        #expect(walden.preferredAcquisition(of: ["application/pdf"])?.href.hasSuffix("/walden.pdf") == true)
        let link = try #require(walden.preferredAcquisition())
        #expect(walden.suggestedFileName(for: link) == "Walden.epub")
        // A publication with its own links is complete.
        let before = server.requests.count
        #expect(try await client.completed(books[0]) == books[0])
        #expect(server.requests.count == before)
    }
}
