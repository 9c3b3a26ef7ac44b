import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import ProviderDoubles
import Testing

@testable import WebDAVFileProvider

/// Against a double that follows Nextcloud's manual; no Nextcloud server runs here.
@Suite struct ChunkedUploadTests {
    private let chunk = 64 << 10
    private let data = Data((0..<(150 << 10)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    private let date = Date(timeIntervalSince1970: 784_111_777)

    private func provider(_ server: FaultServer, root: String = "", retries: Int = 3) throws -> WebDAVFileProvider {
        var quirks = WebDAVQuirks(.nextcloud)
        quirks.chunkSize = Int64(chunk)
        let configuration = WebDAVConfiguration(baseURL: server.url().appending(path: root), quirks: quirks)
        let options = ConnectionOptions(
            timeouts: Timeouts(connect: 2, idle: 5), retries: RetryPolicy(retries: retries, firstPause: 0.01))
        return try WebDAVFileProvider(configuration: configuration, options: options)
    }

    private func with(_ body: (NextcloudDouble, FaultServer) async throws -> Void) async throws {
        let cloud = NextcloudDouble()
        let server = try FaultServer { cloud.answer($0) }
        defer { server.stop() }
        try await body(cloud, server)
    }

    private func chunks(_ server: FaultServer) -> [FaultServer.Request] {
        server.requests.filter { $0.method == "PUT" }
    }

    @Test(arguments: ["", "remote.php/dav/files/u"])
    func `a large file goes in chunks and is joined with its time`(_ root: String) async throws {
        try await with { cloud, server in
            let path = try ProviderPath(root.isEmpty ? "remote.php/dav/files/u/large file" : "large file")
            let written = try await provider(server, root: root).writeContents(
                path: path, from: DataSource(data), options: WriteOptions(modificationDate: date))
            #expect(
                written.size == Int64(data.count) && written.modifiedDate == date && written.entryTag != nil
                    && written.path == path)
            #expect(cloud.state.value.files == [NextcloudDouble.files + "large file": data])
            #expect(cloud.state.value.times[NextcloudDouble.files + "large file"] == "784111777")
            #expect(chunks(server).map(\.body.count) == [chunk, chunk, data.count - 2 * chunk])
            #expect(chunks(server).map { $0.target.suffix(6) } == ["/00001", "/00002", "/00003"])
            #expect(server.requests.allSatisfy { $0.headers["content-range"] == nil })
        }
    }

    @Test func `what is small, or can be read only once, goes in one piece`() async throws {
        try await with { cloud, server in
            let provider = try provider(server, root: "remote.php/dav/files/u")
            try await provider.writeContents(path: ProviderPath("small"), contents: Data(count: chunk))
            let stream = AsyncStream<Data> { continuation in
                continuation.yield(data)
                continuation.finish()
            }
            _ = try await provider.writeContents(
                path: ProviderPath("once"), from: SequenceSource(stream, length: Int64(data.count)),
                options: WriteOptions())
            #expect(!server.requests.contains { $0.target.contains("/uploads/") })
            #expect(cloud.state.value.files[NextcloudDouble.files + "once"] == data)
        }
    }

    @Test func `after a restart the chunks that are there are not sent again`() async throws {
        try await with { cloud, server in
            let path = try ProviderPath("f")
            let options = WriteOptions(modificationDate: date)
            cloud.state.update { $0.faults["PUT"] = [0, 0, 503] }
            let error = await #expect(throws: HTTPStatusError.self) {
                _ = try await provider(server, root: "remote.php/dav/files/u", retries: 0).writeContents(
                    path: path, from: DataSource(data), options: options)
            }
            #expect(error?.code.rawValue == 503)
            #expect(cloud.state.value.files.count == 2)
            // One that was cut short by a crash of the server's is not taken for whole.
            cloud.state.update { state in
                for name in state.files.keys where name.hasSuffix("/00002") { state.files[name] = Data(count: 10) }
            }
            let before = chunks(server).count
            _ = try await provider(server, root: "remote.php/dav/files/u").writeContents(
                path: path, from: DataSource(data), options: options)
            #expect(chunks(server).dropFirst(before).map { $0.target.suffix(6) } == ["/00002", "/00003"])
            #expect(cloud.state.value.files == [NextcloudDouble.files + "f": data])
        }
    }

    @Test func `chunks of another file on its way to the same place are not taken for this one's`() async throws {
        try await with { cloud, server in
            let path = try ProviderPath("f")
            let options = WriteOptions(modificationDate: date)
            cloud.state.update { $0.faults["PUT"] = [0, 0, 503] }
            let error = await #expect(throws: HTTPStatusError.self) {
                _ = try await provider(server, root: "remote.php/dav/files/u", retries: 0).writeContents(
                    path: path, from: DataSource(data), options: options)
            }
            #expect(error?.code.rawValue == 503)
            let other = Data(data.reversed())
            _ = try await provider(server, root: "remote.php/dav/files/u").writeContents(
                path: path, from: DataSource(other), options: options)
            #expect(cloud.state.value.files[NextcloudDouble.files + "f"] == other)
        }
    }

    @Test(arguments: [[-504], [-504, 423], [-504, 404], [423, 423], [503], [-502]])
    func `a joining that the gateway gave up is looked at before it is asked for again`(_ faults: [Int]) async throws {
        try await with { cloud, server in
            cloud.state.update { $0.faults["MOVE"] = faults }
            let written = try await provider(server, root: "remote.php/dav/files/u").writeContents(
                path: ProviderPath("f"), from: DataSource(data), options: WriteOptions(modificationDate: date))
            #expect(written.size == Int64(data.count))
            #expect(cloud.state.value.files == [NextcloudDouble.files + "f": data])
            // What was joined was not asked for a second time.
            let moves = server.requests.filter { $0.method == "MOVE" }.count
            #expect(moves == (faults[0] < 0 ? 1 : faults.count + 1))
        }
    }

    @Test func `a joining is waited for longer than other requests, and its chunks are never removed`() async throws {
        try await with { cloud, server in
            // As often as five times it is still at it.
            cloud.state.update { $0.faults["MOVE"] = [504, 423, 423, 423, 423] }
            let provider = try provider(server, root: "remote.php/dav/files/u", retries: 1)
            _ = try await provider.writeContents(
                path: ProviderPath("f"), from: DataSource(data), options: WriteOptions())
            #expect(cloud.state.value.files == [NextcloudDouble.files + "f": data])
            cloud.state.update { $0.faults["MOVE"] = Array(repeating: 504, count: 1000) }
            await #expect(throws: HTTPStatusError.self) {
                try await ChunkedUpload.$joinTime.withValue(0.2) {
                    _ = try await provider.writeContents(
                        path: ProviderPath("g"), from: DataSource(data), options: WriteOptions())
                }
            }
            #expect(cloud.state.value.files.keys.filter { $0.contains("/uploads/") }.count == 3)
            #expect(!server.requests.contains { $0.method == "DELETE" })
        }
    }

    @Test func `waiting for a joining ends when it is cancelled`() async throws {
        try await with { cloud, server in
            cloud.state.update { $0.faults["MOVE"] = Array(repeating: 504, count: 1000) }
            let provider = try provider(server, root: "remote.php/dav/files/u")
            let writing = Task {
                _ = try await provider.writeContents(
                    path: ProviderPath("f"), from: DataSource(data), options: WriteOptions())
            }
            try await eventually { server.requests.count { $0.method == "MOVE" } >= 3 }
            writing.cancel()
            let error = await #expect(throws: (any Error).self) { try await writing.value }
            #expect(error?.isCancellation == true)
            #expect(!server.requests.contains { $0.method == "DELETE" })
        }
    }

    @Test func `a file of the same size that another put there meanwhile is not taken for the one that was sent`()
        async throws
    {
        try await with { cloud, server in
            let target = NextcloudDouble.files + "f"
            // The chunks are gone, for whatever reason, and the join was never begun.
            cloud.state.update { $0.faults["MOVE"] = [404] }
            let other = Data(data.reversed())
            let provider = try provider(server, root: "remote.php/dav/files/u")
            let source = ScriptedSource(data) { cloud.state.update { $0.files[target] = other } }
            let error = await #expect(throws: CocoaError.self) {
                _ = try await provider.writeContents(
                    path: ProviderPath("f"), from: source, options: WriteOptions(overwrite: true))
            }
            #expect(error?.isNoSuchFile == true)
            #expect(cloud.state.value.files[target] == other)
        }
    }

    @Test func `what is there is not replaced by a joining either`() async throws {
        try await with { cloud, server in
            let path = NextcloudDouble.files + "f"
            cloud.state.update { $0.faults["PUT"] = [0, 0, 0] }
            let provider = try provider(server, root: "remote.php/dav/files/u")
            cloud.state.update { $0.files[path] = Data("old".utf8) }
            let error = await #expect(throws: CocoaError.self) {
                _ = try await provider.writeContents(
                    path: ProviderPath("f"), from: DataSource(data), options: WriteOptions())
            }
            #expect(error?.code == .fileWriteFileExists)
            #expect(cloud.state.value.files == [path: Data("old".utf8)])
        }
    }

    @Test func `an upload that fails for good leaves no chunks, one without a time never does`() async throws {
        for (status, options) in [(507, WriteOptions(modificationDate: date)), (503, WriteOptions())] {
            try await with { cloud, server in
                cloud.state.update { $0.faults["PUT"] = [0, status] }
                await #expect {
                    _ = try await provider(server, root: "remote.php/dav/files/u", retries: 0).writeContents(
                        path: ProviderPath("f"), from: DataSource(data), options: options)
                } throws: {
                    status == 507
                        ? ($0 as? CocoaError)?.code == .fileWriteOutOfSpace
                        : ($0 as? HTTPStatusError)?.code.rawValue == 503
                }
                #expect(cloud.state.value.files == [:])
            }
        }
    }

    @Test func `a source that has more than it promised is not joined`() async throws {
        try await with { cloud, server in
            let error = await #expect(throws: CocoaError.self) {
                _ = try await provider(server, root: "remote.php/dav/files/u").writeContents(
                    path: ProviderPath("f"), from: ScriptedSource(data, length: Int64(data.count) - 1),
                    options: WriteOptions(modificationDate: date))
            }
            #expect(error?.code == .fileWriteUnknown)
            #expect(!server.requests.contains { $0.method == "MOVE" })
            #expect(cloud.state.value.files == [:])
        }
    }

    @Test func `what was kept in a folder of the file is forgotten, whichever connection joins the chunks`()
        async throws
    {
        try await with { cloud, server in
            let folder = try TemporaryFolder()
            var quirks = WebDAVQuirks(.nextcloud)
            quirks.chunkSize = Int64(chunk)
            let root = server.url().appending(path: "remote.php/dav/files/u")
            let provider = try WebDAVFileProvider(
                configuration: WebDAVConfiguration(baseURL: root, quirks: quirks),
                options: ConnectionOptions(
                    cache: CachePolicy(lifetime: 1000, folder: folder.url.path, validates: false)))
            let path = try ProviderPath("f")
            cloud.state.update { $0.files[NextcloudDouble.files + "f"] = Data("old".utf8) }
            #expect(try await provider.contents(path: path) == Data("old".utf8))
            _ = try await provider.writeContents(
                path: path, from: DataSource(data), options: WriteOptions(overwrite: true))
            #expect(try await provider.contents(path: path) == data)
        }
    }
}
