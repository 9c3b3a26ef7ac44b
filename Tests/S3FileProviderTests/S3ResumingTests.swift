import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import ProviderDoubles
import S3FileProvider
import Testing

/// Uploads in parts that stop, and those that go on with them in another process.
@Suite final class S3ResumingTests: Sendable {
    private let contents = Data((0..<2500).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    private let bucket = PartsServer()
    private let processes = CollectedValues<ScriptedS3>()

    deinit {
        for process in processes.values { process.stop() }
    }

    /// A provider that knows nothing of the others' uploads: its server has an address that no other has.
    private func process() throws -> ScriptedS3 {
        let s3 = try ScriptedS3(retries: 0, partSize: 1000) { [bucket] in bucket.answer($0) }
        processes.append(s3)
        return s3
    }

    private func write(_ source: any WriteSource, _ identity: String?, by s3: ScriptedS3) async throws {
        _ = try await s3.provider.writeContents(
            path: ProviderPath("file"), from: source, options: WriteOptions(overwrite: true, resumption: identity))
    }

    /// Writes in a process of its own.
    ///
    /// - Returns: Bytes of the file that were sent.
    private func send(_ source: any WriteSource, _ identity: String?) async throws -> Int {
        let s3 = try process()
        try await write(source, identity, by: s3)
        return sent(by: s3)
    }

    private func sent(by s3: ScriptedS3) -> Int {
        s3.server.requests.filter { $0.target.contains("partNumber") }.reduce(0) { $0 + $1.body.count }
    }

    /// Loses the connection after two of three parts.
    private func stop(_ identity: String?) async throws {
        let s3 = try process()
        await #expect(throws: URLError.self) {
            try await write(ScriptedSource(contents.prefix(2000), length: 2500, then: .lost), identity, by: s3)
        }
        #expect(bucket.parts.count == 2)
    }

    @Test func `the provider says that writes are resumed`() async throws {
        #expect(try await process().provider.capabilities()[.resumingWrites] == .native)
    }

    @Test func `an upload that stopped goes on in another process, which sends the rest alone`() async throws {
        try await stop("v1")
        #expect(bucket.notes == [Data("u1".utf8)])
        #expect(try await send(DataSource(contents), "v1") == 500)
        #expect(bucket.object == contents)
        #expect(bucket.notes.isEmpty && bucket.uploads == 0)
    }

    @Test func `without an identity, nothing is kept beside the target, and nothing is gone on with`() async throws {
        try await stop(nil)
        #expect(bucket.notes.isEmpty)
        #expect(try await send(DataSource(contents), nil) == 2500)
        #expect(bucket.object == contents)
    }

    @Test(arguments: [(2500, nil), (100, "v1")] as [(Int, String?)])
    func `an upload that leaves no token removes none`(count: Int, identity: String?) async throws {
        let s3 = try process()
        try await write(DataSource(contents.prefix(count)), identity, by: s3)
        #expect(bucket.object == contents.prefix(count))
        #expect(!s3.lines.contains { $0.hasPrefix("DELETE") || $0.contains(TemporaryName.suffix) })
    }

    @Test func `an upload that does not begin removes no token`() async throws {
        let s3 = try ScriptedS3(retries: 0, partSize: 1000) { [bucket] request in
            request.method == "POST" ? .error(403, "AccessDenied") : bucket.answer(request)
        }
        defer { s3.stop() }
        let error = await #expect(throws: CocoaError.self) { try await write(DataSource(contents), "v1", by: s3) }
        #expect(error?.code == .fileWriteNoPermission)
        #expect(s3.lines.contains { $0.hasPrefix("GET") && $0.contains(TemporaryName.suffix) })
        #expect(!s3.lines.contains { $0.hasPrefix("DELETE") } && bucket.notes.isEmpty)
    }

    @Test func `another version of the source goes up from its start`() async throws {
        try await stop("v1")
        var other = contents
        other[1500] ^= 1
        #expect(try await send(DataSource(other), "v2") == 2500)
        #expect(bucket.object == other)
        // The first one's is still there for whoever has that version.
        #expect(bucket.notes == [Data("u1".utf8)] && bucket.uploads == 1)
    }

    @Test func `a part that is not the source's is sent again`() async throws {
        try await stop("v1")
        bucket.damage(part: 2)
        #expect(try await send(DataSource(contents), "v1") == 1500)
        #expect(bucket.object == contents)
    }

    @Test(arguments: [Data(), Data("gone".utf8), Data([0xFF]), Data(repeating: 65, count: 5000)])
    func `a token that leads nowhere has the file go up from its start`(token: Data) async throws {
        try await stop("v1")
        bucket.note(token)
        #expect(try await send(DataSource(contents), "v1") == 2500)
        #expect(bucket.object == contents && bucket.notes.isEmpty)
    }

    @Test(arguments: ["v1", nil])
    func `a cancelled upload is kept where it can be found again`(identity: String?) async throws {
        let s3 = try process()
        let source = ScriptedSource(contents.prefix(2000), length: 2500, then: .sleep)
        let writing = Task { try await write(source, identity, by: s3) }
        // The second part waits for the byte that tells that it is not the last.
        try await eventually { bucket.parts.count == 1 }
        writing.cancel()
        let error = await #expect(throws: (any Error).self) { try await writing.value }
        #expect(error?.isCancellation == true)
        #expect(bucket.uploads == (identity == nil ? 0 : 1) && bucket.notes.count == bucket.uploads)
        #expect(try await send(DataSource(contents), identity) == (identity == nil ? 2500 : 1500))
        #expect(bucket.object == contents && bucket.uploads == 0 && bucket.notes.isEmpty)
    }

    @Test func `a source of another length than it said leaves neither parts nor a token`() async throws {
        let s3 = try process()
        await #expect(throws: CocoaError.self) {
            try await write(ScriptedSource(contents.prefix(2000), length: 2500), "v1", by: s3)
        }
        #expect(bucket.uploads == 0 && bucket.notes.isEmpty && bucket.object == nil)
    }
}
