import CurlTransport
import FaultServer
import FileProviderConformance
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing

/// The service of the documentation, on a server that gives it no more than it needs.
@Suite struct ShelfServiceTests {
    private let options = ConnectionOptions(
        timeouts: Timeouts(connect: 20, idle: 60), retries: RetryPolicy(retries: 1, firstPause: 0.01))

    private func provider(_ server: ShelfServer) throws -> HTTPFileProvider<ShelfService> {
        try HTTPFileProvider(service: ShelfService(), url: server.url, options: options)
    }

    @Test func `the guide's service passes the kit`() async throws {
        let server = try ShelfServer()
        let kit = Conformance(provider: try provider(server), folder: .root, connect: { try provider(server) })
        let report = await kit.run()
        #expect(report.isConforming, "\(report)")
        #expect(server.paths.isEmpty)
    }

    @Test func `a file whose answer was lost is not said to have been there before`() async throws {
        let server = try ShelfServer { $0.method == "PUT" ? .raw(Data()) : nil }
        let options = ConnectionOptions(retries: RetryPolicy(retries: 2, firstPause: 0.01))
        let provider = try HTTPFileProvider(service: ShelfService(), url: server.url, options: options)
        let error = await #expect(throws: URLError.self) {
            try await provider.writeContents(path: ProviderPath("one"), contents: Data("bytes".utf8))
        }
        #expect(error?.code == .networkConnectionLost)
        #expect(server.requests.filter { $0.method == "PUT" }.count == 1)
    }

    // MARK: What no service has to refuse

    @Test func `a name that is not UTF-8 is not asked for`() async throws {
        let server = try ShelfServer()
        let provider = try provider(server)
        let path = try ProviderPath(bytes: [0x66, 0xFF])
        let looks: [@Sendable () async throws -> Void] = [
            { _ = try await provider.attributesOfItem(path: path) }, { _ = try await provider.contents(path: path) },
            { _ = try await provider.contentsOfDirectory(path: path) }, { try await provider.removeItem(path: path) },
        ]
        for look in looks {
            let error = await #expect(throws: CocoaError.self) { try await look() }
            #expect(error?.isNoSuchFile == true)
        }
        for make in [
            { try await provider.createFolder(path: path) },
            { _ = try await provider.writeContents(path: path, contents: Data()) },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: CocoaError.self) { try await make() }
            #expect(error?.code == .fileWriteInvalidFileName)
            #expect(error?.sentence.contains("which Shelf cannot store") == true)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `a move that cannot be is refused before its destination is cleared`() async throws {
        let server = try ShelfServer()
        try server.put("file", Data("bytes".utf8))
        try server.put("taken", nil)
        let provider = try provider(server)
        let error = await #expect(throws: CocoaError.self) {
            try await provider.moveItem(path: ProviderPath("file"), to: ProviderPath("taken"), overwrite: true)
        }
        #expect(error?.code == .featureUnsupported)
        #expect(error?.sentence == "Shelf cannot move here (“/file”).")
        #expect(server.paths == ["/file", "/taken"])
    }

    @Test func `a page that is no answer of the service is a bad answer, not a decoder's error`() async throws {
        let server = try ShelfServer { _ in .reply(200, body: Data("<html>Please log in</html>".utf8)) }
        let provider = try provider(server)
        for ask in [
            { _ = try await provider.contentsOfDirectory(path: .root) }, { try await provider.checkReachability() },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: URLError.self) { try await ask() }
            #expect(error?.code == .badServerResponse)
            #expect(error?.sentence.contains("login page") == true)
        }
    }

    @Test func `a server that is down is not reachable`() async throws {
        let server = try ShelfServer()
        let provider = try provider(server)
        try await provider.checkReachability()
        server.stop()
        let error = await #expect(throws: URLError.self) { try await provider.checkReachability() }
        #expect(error?.isTransient == true)
    }

    // MARK: Folders copied item by item

    private func fill(_ server: ShelfServer) throws {
        for folder in ["tree", "tree/deep", "tree/deep/inner"] { try server.put(folder, nil) }
        for file in ["tree/a", "tree/deep/b", "tree/deep/inner/c"] { try server.put(file, Data(file.utf8)) }
    }

    /// One that has one file on its way after the other.
    private func steady(_ server: ShelfServer) throws -> HTTPFileProvider<AbleService> {
        var service = AbleService()
        service.transfers = 1
        return try HTTPFileProvider(service: service, url: server.url, options: options)
    }

    @Test func `a folder's copy that fails takes back what it made, and leaves what others made`() async throws {
        let other = LockedValue<(@Sendable () -> Void)?>(nil)
        let server = try ShelfServer(hasVersions: true) { request in
            guard request.method == "PUT", request.target.hasSuffix("/c") else { return nil }
            other.value?()
            return .reply(507)
        }
        try fill(server)
        other.update { $0 = { [weak server] in try? server?.put("copy/deep/stranger", Data("another's".utf8)) } }
        let provider = try steady(server)
        let error = await #expect(throws: CocoaError.self) {
            try await provider.copyItem(path: ProviderPath("tree"), to: ProviderPath("copy"))
        }
        #expect(error?.code == .fileWriteOutOfSpace)
        #expect(server.paths.filter { $0.hasPrefix("/copy") } == ["/copy", "/copy/deep", "/copy/deep/stranger"])
        #expect(server.paths.filter { $0.hasPrefix("/tree") }.count == 6)
    }

    @Test func `a folder's copy that fails leaves a file that was changed meanwhile`() async throws {
        let other = LockedValue<(@Sendable () -> Void)?>(nil)
        let server = try ShelfServer(hasVersions: true) { request in
            guard request.method == "PUT", request.target.hasSuffix("/c") else { return nil }
            other.value?()
            return .reply(403)
        }
        try fill(server)
        other.update { $0 = { [weak server] in try? server?.put("copy/a", Data("TREE/A".utf8)) } }
        let provider = try steady(server)
        await #expect(throws: CocoaError.self) {
            try await provider.copyItem(path: ProviderPath("tree"), to: ProviderPath("copy"))
        }
        #expect(server.paths.filter { $0.hasPrefix("/copy") } == ["/copy", "/copy/a"])
    }

    @Test func `a folder's copy that is cancelled takes back what it made`() async throws {
        let copying = LockedValue<Task<Void, any Error>?>(nil)
        let begins = LockedValue(false)
        let server = try ShelfServer(hasVersions: true) { request in
            guard request.method == "POST", request.target.hasPrefix("/copy/deep/inner") else { return nil }
            begins.update { $0 = true }
            copying.value?.cancel()
            return nil
        }
        try fill(server)
        let provider = try steady(server)
        let (start, go) = AsyncStream<Void>.makeStream()
        let task = Task {
            for await _ in start { break }
            try await provider.copyItem(path: ProviderPath("tree"), to: ProviderPath("copy"))
        }
        copying.update { $0 = task }
        go.yield()
        await #expect { try await task.value } throws: { $0.isCancellation }
        #expect(begins.value)
        #expect(server.paths.filter { $0.hasPrefix("/copy/deep/inner/") }.isEmpty)
        // Whether the server made the folder whose answer nobody waited for is for it to know.
        #expect(!server.paths.contains("/copy/a"))
    }

    @Test func `a folder is not copied onto one that another makes at the same moment`() async throws {
        let other = LockedValue<(@Sendable () -> Void)?>(nil)
        let server = try ShelfServer { request in
            if request.method == "POST", request.target == "/copy?folder" { other.value?() }
            return nil
        }
        try fill(server)
        other.update { $0 = { [weak server] in try? server?.put("copy", nil) } }
        let provider = try steady(server)
        let error = await #expect(throws: CocoaError.self) {
            try await provider.copyItem(path: ProviderPath("tree"), to: ProviderPath("copy"))
        }
        #expect(error?.isFileExists == true)
        #expect(server.paths.filter { $0.hasPrefix("/copy") } == ["/copy"])
    }
}
