import CurlTransport
import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing

/// Layers over providers of services.
@Suite struct LayeredServiceTests {
    /// Shows one folder of the base as the root.
    private struct FolderLayer: FileProviderLayer {
        let folder: ProviderPath

        func basePath(of path: ProviderPath) -> ProviderPath { folder.appending(path) }
        func path(ofBase path: ProviderPath) -> ProviderPath? { path.relative(to: folder) }
    }

    private let layer: FolderLayer
    private let options = ConnectionOptions(
        timeouts: Timeouts(connect: 20, idle: 60), retries: RetryPolicy(retries: 0))

    init() throws {
        layer = FolderLayer(folder: try ProviderPath("/shelf"))
    }

    @Test func `conditions of reading reach the server through a layer`() async throws {
        let server = try FaultServer { request in
            request.headers["if-none-match"] == "\"1\""
                ? .reply(304, headers: ["ETag": "\"1\""])
                : .reply(200, headers: ["ETag": "\"1\""], body: Data("the words".utf8))
        }
        defer { server.stop() }
        let base = try WebFileProvider(configuration: HTTPConfiguration(baseURL: server.url()), options: options)
        let layered = base.layered(layer)
        let reader = try await layered.open(path: ProviderPath("/book"), options: ReadOptions(ifNoneMatch: "\"1\""))
        let error = await #expect(throws: CocoaError.self) { _ = try await reader.read(.whole) }
        #expect(error?.unmodifiedFile?.version == "\"1\"")
        #expect(error?.userInfo[NSFilePathErrorKey] as? String == "/book")
        #expect(server.requests.map { $0.headers["if-none-match"] } == ["\"1\""])
    }

    @Test func `a status of the server is told of the path that callers know`() async throws {
        let server = try FaultServer { _ in .reply(500) }
        defer { server.stop() }
        let base = try WebFileProvider(configuration: HTTPConfiguration(baseURL: server.url()), options: options)
        let path = try ProviderPath("/book")
        let error = await #expect(throws: HTTPStatusError.self) {
            _ = try await base.layered(layer).contents(path: path)
        }
        #expect(error?.path == "/book")
        #expect(server.requests.first?.target == "/shelf/book")
    }
}
