import Carrel
import FaultServer
import Foundation
import SampleBooks

/// A book on a web server that answers as RFC 9110 wants it, but for what a test changes.
struct BookServer {
    /// A book of 1.1 MB whose chapters do not lie in its last 64 KiB.
    static var large: Data { get throws { try made.get() } }

    private static let made = Result {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "served-\(UInt64.random(in: 0 ... .max)).epub")
        defer { try? FileManager.default.removeItem(at: file) }
        try SampleBook.large(textFirst: true, to: file, images: 1)
        return try Data(contentsOf: file)
    }

    /// What the server sends of `body` for a request.
    static func answer(
        _ request: FaultServer.Request, _ body: Data, headers: [String: String] = ["ETag": "\"1\""]
    ) -> FaultServer.Answer {
        .file(body, for: request, headers: headers)
    }

    /// The bytes that a request asks for, clamped; nil for all.
    static func range(_ request: FaultServer.Request, size: Int) -> Range<Int>? { request.range(size: size) }

    /// Opens the book at `server` as an app does, by its address.
    static func open(
        _ server: FaultServer, _ name: String = "book.epub", retries: Int = 0,
        opening: OpeningOptions = OpeningOptions()
    ) async throws -> Publication {
        let options = ConnectionOptions(
            timeouts: Timeouts(connect: 5, idle: 20), retries: RetryPolicy(retries: retries, firstPause: 0.01),
            proxy: .none)
        let registry = try ProviderRegistry.withBuiltInProviders()
        let location = try await registry.location(of: server.url().appending(path: name), options: options)
        return try await Publication.open(path: location.path, of: location.provider, options: opening)
    }

    /// The same bytes read without a network.
    static func local(_ body: Data) async throws -> Publication {
        let provider = MemoryFileProvider()
        let path = try ProviderPath("book.epub")
        try await provider.writeContents(path: path, contents: body)
        return try await Publication.open(path: path, of: provider)
    }
}
