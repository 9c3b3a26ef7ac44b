import Carrel
import FaultServer
import Foundation
import Testing

/// Publications whose parts lie on a web server one by one.
@Suite struct RemoteManifestTests {
    private static let chapters = 60

    private static let manifest: Data = {
        let order = (0..<chapters).map { #"{"href":"text/\#($0).html","type":"text/html","size":\#(1_000 + $0)}"# }
        return Data(
            #"{"@context":"https://readium.org/webpub-manifest/context.jsonld","metadata":{"title":"x"},"readingOrder":["#
                .utf8)
            + Data(order.joined(separator: ",").utf8) + Data("]}".utf8)
    }()

    private static func answer(_ request: FaultServer.Request) -> FaultServer.Answer {
        guard request.method == "GET" else { return .reply(405) }
        switch request.target {
        case "/books/1/manifest.json": return BookServer.answer(request, manifest)
        case let path where path.hasPrefix("/books/1/text/"): return BookServer.answer(request, Data(path.utf8))
        default: return BookServer.answer(request, Data("secret".utf8))
        }
    }

    /// Pitfall 42: lengths and places are made of what the manifest says.
    @Test func `a manifest costs its own request, and the lengths of its chapters none`() async throws {
        let server = try FaultServer { Self.answer($0) }
        defer { server.stop() }
        let book = try await BookServer.open(server, "books/1/manifest.json")
        #expect(book.readingOrder.compactMap(\.storedLength) == (0..<Int64(Self.chapters)).map { 1_000 + $0 })
        for link in book.readingOrder { #expect(book.locator(from: link)?.href == link.href) }
        let before = server.requests
        #expect(before.filter { $0.method == "GET" }.allSatisfy { $0.target == "/books/1/manifest.json" })
        #expect(before.count <= 3, "\(before.map { "\($0.method) \($0.target)" })")
        let last = try #require(book.readingOrder.last)
        #expect(try await book.get(last).readAsString() == "/books/1/text/59.html")
        #expect(try await book.get(last).length() == 21)
        let after = server.requests.dropFirst(before.count)
        #expect(
            !after.isEmpty && after.count <= 2
                && after.allSatisfy { $0.method == "GET" && $0.target.hasSuffix("/59.html") })
    }

    /// Pitfall 20: what a path says by two dots is settled here, and not by the server.
    @Test(arguments: [
        "../secret", "%2e%2e/secret", "%2E%2E%2Fsecret", "..%2fsecret", "text/../../secret", "/../secret",
        "%252e%252e/secret",
        "..%5Csecret", "//127.0.0.1/secret", ".%2e/secret", "text/%2e%2e/%2e%2e/secret",
    ])
    func `a folder of a server is not left`(href: String) async throws {
        let server = try FaultServer { request in
            let names = request.target.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
            let isInside = names.starts(with: ["books", "1"]) && !names.contains { $0 == ".." || $0.contains("/") }
            return isInside ? .reply(404) : .reply(200, body: Data("secret".utf8))
        }
        defer { server.stop() }
        let options = ConnectionOptions(retries: RetryPolicy(retries: 0), proxy: .none)
        let provider = try WebFileProvider(configuration: HTTPConfiguration(baseURL: server.url()), options: options)
        let fetcher = ProviderFetcher(provider, folder: try ProviderPath("books/1"))
        let error = await #expect(throws: CocoaError.self) { _ = try await fetcher.get(href).read() }
        guard error?.resourceFailure == .notFound else {
            Issue.record("\(String(describing: error)) after \(server.requests.map(\.target))")
            return
        }
    }

    /// Pitfall 25, for resources of addresses of their own.
    @Test(arguments: PublicationFaultTests.Oddity.allCases)
    func `a resource of an odd server has its length and its ranges`(oddity: PublicationFaultTests.Oddity) async throws
    {
        let body = Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let server = try FaultServer { oddity.answer($0, body) }
        defer { server.stop() }
        let options = ConnectionOptions(retries: RetryPolicy(retries: 0), proxy: .none)
        let fetcher = HTTPFetcher(registry: try ProviderRegistry.withBuiltInProviders(), options: options)
        for range in [0..<1, 10..<20, 4_990..<6_000, 5_000..<5_001, 0..<9_000] as [Range<Int64>] {
            let resource = fetcher.get(server.url().appending(path: "a").absoluteString)
            #expect(try await resource.read(range) == body[range.clamped(to: 0..<5_000).asInt])
            #expect(try await resource.length() == 5_000)
        }
        let whole = fetcher.get(server.url().appending(path: "a").absoluteString)
        #expect(try await whole.length() == 5_000)
        #expect(try await whole.read() == body)
        #expect(server.requests.allSatisfy { $0.method != "HEAD" })
    }
}

extension Range<Int64> {
    fileprivate var asInt: Range<Int> { Int(lowerBound)..<Int(upperBound) }
}
