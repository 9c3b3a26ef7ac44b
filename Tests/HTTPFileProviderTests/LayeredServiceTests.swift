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

    /// Every protocol of an ability, by what it is about.
    private func abilities(_ provider: any FileProvider) -> [String] {
        [
            ("appending", provider is any FileProviderAppending),
            ("attributes", provider is any FileProviderAttributes),
            ("checksums", provider is any FileProviderChecksums),
            ("confining", provider is any FileProviderConfining),
            ("connection", provider is any FileProviderBasicRemote),
            ("extended attributes", provider is any FileProviderExtendedAttributes),
            ("information", provider is any ExtendedFileProvider),
            ("long polling", provider is any FileProviderLongPolling),
            ("monitor", provider is any FileProviderMonitor),
            ("push", provider is any FileProviderPushWrite),
            ("search", provider is any FileProviderSearch),
            ("sharing", provider is any FileProviderSharing),
            ("symbolic links", provider is any FileProviderSymbolicLink),
            ("synchronization", provider is any FileProviderSynchronization),
            ("trash", provider is any FileProviderTrash),
            ("versions", provider is any FileProviderVersions),
        ].filter { $0.1 }.map { $0.0 }
    }

    @Test func `a layer has the abilities that the service gives its base, and no others`() throws {
        // Nothing is sent.
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let able = try HTTPFileProvider(service: AbleService(), url: url)
        let archive = try HTTPFileProvider(service: ArchiveService(), url: url)
        let plain = try HTTPFileProvider(service: ShelfService(), url: url)
        for layered in [able.layered(layer), able.layered(layer).layered(layer)] {
            #expect(
                abilities(layered) == [
                    "attributes", "checksums", "connection", "information", "long polling", "search", "sharing",
                ])
        }
        #expect(abilities(archive.layered(layer)) == ["connection", "trash", "versions"])
        #expect(abilities(plain.layered(layer)) == ["connection"])
        for base: any FileProvider in [able, archive, plain] {
            #expect(abilities(base.layered(layer)) == abilities(base))
        }
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
