import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import ProviderDoubles
import Testing

@testable import WebDAVFileProvider

/// Uploads in chunks that stop, and those that go on with them by the identity of their source. Against a double that
/// follows Nextcloud's manual.
@Suite final class ChunkedResumingTests {
    private let chunk = 64 << 10
    private let data = Data((0..<(150 << 10)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    private let target = NextcloudDouble.files + "f"
    private let cloud = NextcloudDouble()
    private let server: FaultServer

    init() throws {
        let cloud = cloud
        server = try FaultServer { cloud.answer($0) }
    }

    deinit {
        server.stop()
    }

    private func provider(vendor: WebDAVQuirks.Vendor = .nextcloud, root: String = "remote.php/dav/files/u") throws
        -> WebDAVFileProvider
    {
        var quirks = WebDAVQuirks(vendor)
        if vendor == .nextcloud { quirks.chunkSize = Int64(chunk) }
        let configuration = WebDAVConfiguration(baseURL: server.url().appending(path: root), quirks: quirks)
        let options = ConnectionOptions(
            timeouts: Timeouts(connect: 2, idle: 5), retries: RetryPolicy(retries: 0, firstPause: 0.01))
        return try WebDAVFileProvider(configuration: configuration, options: options)
    }

    /// Writes by a provider of its own.
    ///
    /// - Returns: Bytes that were sent.
    private func send(_ source: any WriteSource, _ identity: String?) async throws -> Int {
        let before = sent
        _ = try await provider().writeContents(
            path: ProviderPath("f"), from: source, options: WriteOptions(overwrite: true, resumption: identity))
        return sent - before
    }

    private var sent: Int { server.requests.filter { $0.method == "PUT" }.reduce(0) { $0 + $1.body.count } }

    private var kept: Int { cloud.state.value.files.keys.count { $0.contains("/uploads/") } }

    /// Fails at the third of three chunks.
    private func stop(_ identity: String?) async throws {
        cloud.state.update { $0.faults["PUT"] = [0, 0, 503] }
        await #expect(throws: HTTPStatusError.self) { _ = try await send(DataSource(data), identity) }
    }

    @Test func `writes are resumed below the files of a Nextcloud, and nowhere else`() async throws {
        #expect(try await provider().capabilities()[.resumingWrites] == .native)
        _ = cloud.state.update { $0.folders.insert("/remote.php/webdav") }
        #expect(try await !provider(root: "remote.php/webdav").capabilities().has(.resumingWrites))
        #expect(try await !provider(vendor: .apache).capabilities().has(.resumingWrites))
    }

    @Test func `an upload that stopped goes on by the identity of its source, which needs no time`() async throws {
        try await stop("v1")
        #expect(kept == 2)
        #expect(try await send(DataSource(data), "v1") == data.count - 2 * chunk)
        #expect(cloud.state.value.files == [target: data])
    }

    @Test func `without an identity and a time, nothing is kept`() async throws {
        try await stop(nil)
        #expect(kept == 0)
        #expect(try await send(DataSource(data), nil) == data.count)
    }

    @Test func `another version of the source goes up from its start`() async throws {
        try await stop("v1")
        #expect(try await send(DataSource(data), "v2") == data.count)
        #expect(cloud.state.value.files[target] == data && kept == 2)
    }

    @Test(arguments: ["/00001", "/00002"])
    func `chunks that are not the source's are removed, and all of it is sent`(name: String) async throws {
        try await stop("v1")
        cloud.state.update { [chunk] state in
            for path in state.files.keys where path.hasSuffix(name) { state.files[path] = Data(count: chunk) }
        }
        #expect(try await send(DataSource(data), "v1") == data.count)
        #expect(cloud.state.value.files == [target: data])
    }

    @Test func `chunks that the server does not show are not gone on with`() async throws {
        try await stop("v1")
        cloud.state.update { $0.faults["GET"] = [403] }
        #expect(try await send(DataSource(data), "v1") == data.count)
        #expect(cloud.state.value.files == [target: data])
    }

    @Test func `what lies behind a missing chunk is sent again`() async throws {
        try await stop("v1")
        cloud.state.update { state in
            for path in state.files.keys where path.hasSuffix("/00001") { state.files[path] = nil }
        }
        #expect(try await send(DataSource(data), "v1") == data.count)
        #expect(cloud.state.value.files == [target: data])
    }
}
