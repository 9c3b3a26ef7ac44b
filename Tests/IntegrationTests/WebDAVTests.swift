import FileProviderCore
import Foundation
import ProviderDoubles
import Testing
import WebDAVFileProvider

/// WebDAV against real servers. Without them these are skipped: `bash Tests/run.sh` starts them.
@Suite(.enabled(if: !TestServers.webDAV.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct WebDAVTests {
    private func pattern(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    }

    @Test(arguments: TestServers.webDAV)
    func `a file comes back as it was written`(_ server: TestServers.WebDAV) async throws {
        try await server.withFolder { provider, folder in
            let path = try folder.appending("name with spaces, % and ü.bin")
            let written = try await provider.writeContents(path: path, contents: pattern(300_000))
            #expect(written.size == 300_000)
            #expect(try await provider.contents(path: path) == pattern(300_000))
            #expect(try await provider.contents(path: path, part: .suffix(10)) == pattern(300_000).suffix(10))
            #expect(try await provider.contents(path: path, part: .range(1000..<1010)) == pattern(300_000)[1000..<1010])
        }
    }

    /// A command that is left while the transport changes its connections must not be lost: it would end at the next
    /// idle time only.
    @Test(.enabled(if: TestServers.named("Apache, Digest") != nil), .timeLimit(.minutes(1)))
    func `what runs ends at once when its provider is invalidated, at any moment`() async throws {
        let server = try #require(TestServers.named("Apache, Digest"))
        try await server.withFolder { _, folder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<6 {
                    group.addTask {
                        for round in 0..<60 {
                            let provider = try server.provider()
                            let path = try folder.appending("\(worker)-\(round)")
                            let (ended, signal) = AsyncStream<Never>.makeStream()
                            provider.writeContents(path: path.string, contents: Data(count: 100_000)) { _ in
                                signal.finish()
                            }
                            try await Task.sleep(for: .microseconds(Int.random(in: 0..<40_000)))
                            provider.invalidate()
                            for await _ in ended {}
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a listing is remembered as long as allowed, and own changes are seen at once`() async throws {
        let server = try #require(TestServers.named("Apache, Basic"))
        var options = TestServers.options()
        options.cache = CachePolicy(lifetime: 600)
        let counters = options.counters
        try await server.withFolder(options) { provider, folder in
            let (a, b) = (try folder.appending("a"), try folder.appending("b"))
            try await provider.writeContents(path: a, contents: Data("1".utf8))
            #expect(try await provider.contentsOfDirectory(path: folder).map(\.name) == ["a"])
            let before = counters[.requests]
            #expect(try await provider.contentsOfDirectory(path: folder).map(\.name) == ["a"])
            #expect(try await provider.attributesOfItem(path: a).size == 1)
            #expect(counters[.requests] == before)
            try await provider.writeContents(path: a, contents: Data("22".utf8), overwrite: true)
            #expect(try await provider.attributesOfItem(path: a).size == 2)
            _ = try await provider.contentsOfDirectory(path: folder)
            try await provider.moveItem(path: a, to: b)
            #expect(try await provider.contentsOfDirectory(path: folder).map(\.name) == ["b"])
            try await provider.createFolder(path: a)
            #expect(try await provider.contentsOfDirectory(path: folder).map(\.name).sorted() == ["a", "b"])
            try await provider.removeItem(path: b)
            #expect(try await provider.contentsOfDirectory(path: folder).map(\.name) == ["a"])
            #expect(provider.useCache)
            provider.dropCache(path: .root)
            let asked = counters[.requests]
            _ = try await provider.contentsOfDirectory(path: folder)
            #expect(counters[.requests] == asked + 1)
        }
    }

    @Test(arguments: TestServers.webDAV)
    func `nothing is left of a write that fails`(_ server: TestServers.WebDAV) async throws {
        struct BrokenError: Error {}
        try await server.withFolder { provider, folder in
            let path = try folder.appending("f")
            try await provider.writeContents(path: path, contents: Data("old".utf8))
            let stream = AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(Data(count: 100_000))
                continuation.finish(throwing: BrokenError())
            }
            await #expect(throws: BrokenError.self) {
                try await provider.writeContents(
                    path: path, from: SequenceSource(stream), options: WriteOptions(overwrite: true))
            }
            #expect(try await provider.contents(path: path) == Data("old".utf8))
            #expect(try server.names(folder).filter(TemporaryName.matches) == [])
            #expect(try await server.names(folder, onceTheyAre: ["f"]) == ["f"])
        }
    }

    @Test func `a server whose certificate nobody vouches for is not trusted`() async throws {
        let server = try #require(TestServers.named("Apache, TLS"))
        var options = TestServers.options()
        options.trust = TrustPolicy()
        let error = await #expect(throws: URLError.self) {
            _ = try await server.provider(options).attributesOfItem(path: .root)
        }
        #expect(error?.code == .serverCertificateUntrusted)
    }

    @Test func `a client certificate opens the server that asks for one`() async throws {
        let url = try #require(TestServers.environment["CARREL_TEST_APACHE_MTLS_URL"].flatMap { URL(string: $0) })
        var options = TestServers.options()
        let without = try WebDAVFileProvider(configuration: WebDAVConfiguration(baseURL: url), options: options)
        await #expect(throws: URLError.self) { _ = try await without.attributesOfItem(path: .root) }
        options.trust.clientCertificate = TestServers.environment["CARREL_TEST_CLIENT_CERT"]
        options.trust.clientKey = TestServers.environment["CARREL_TEST_CLIENT_KEY"]
        let with = try WebDAVFileProvider(configuration: WebDAVConfiguration(baseURL: url), options: options)
        #expect(try await with.attributesOfItem(path: .root).isDirectory)
    }

    @Test func `digest costs one round for the first request and none after it`() async throws {
        let server = try #require(TestServers.named("Apache, Digest"))
        let options = TestServers.options()
        let provider = try server.provider(options)
        _ = try await provider.attributesOfItem(path: .root)
        #expect(options.counters[.requests] == 2)
        for _ in 0..<5 { _ = try await provider.attributesOfItem(path: .root) }
        #expect(options.counters[.requests] == 7)
        #expect(options.counters[.connections] == 1)
    }

    @Test func `many requests share one connection where the server speaks HTTP 2`() async throws {
        let server = try #require(TestServers.named("nginx, HTTP/2"))
        let options = TestServers.options()
        let provider = try server.provider(options)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await provider.attributesOfItem(path: .root) } }
            try await group.waitForAll()
        }
        #expect(options.counters[.requests] >= 20)
        #expect(options.counters[.connections] == 1)
    }

    @Test func `a password does not go in clear to another machine`() async throws {
        // No request leaves: the host is never looked up before the login is settled to be digest only.
        let source = FixedCredential(.password(user: "u", password: "p"))
        let server = try #require(TestServers.named("Apache, Basic"))
        var options = TestServers.options()
        options.credentials = source
        var parts = try #require(URLComponents(url: server.url, resolvingAgainstBaseURL: false))
        parts.host = "0.0.0.0"
        let provider = try WebDAVFileProvider(
            configuration: WebDAVConfiguration(baseURL: #require(parts.url)), options: options)
        let error = await #expect(throws: URLError.self) { _ = try await provider.attributesOfItem(path: .root) }
        #expect(error?.localizedDescription.contains("password in clear") == true)
    }

    // At a rate at which it takes seconds: a download that is over before anybody comes to cancel it proves nothing.
    @Test(.serialized, arguments: TestServers.webDAV)
    func `cancelling a download stops it at once and leaves no file`(_ server: TestServers.WebDAV) async throws {
        try await server.withFolder { provider, folder in
            let path = try folder.appending("big")
            try await provider.writeContents(path: path, contents: Data(count: 64 << 20))
            var options = TestServers.options()
            options.bandwidth = 8 << 20
            let slow = try server.provider(options)
            let folder = try TemporaryFolder()
            let ending = Ending()
            let progress = try #require(
                slow.copyItem(path: path.string, toLocalURL: folder.url.appending(path: "big")) { ending.record($0) })
            try await eventually { progress.completedUnitCount >= 1 << 20 || ending.count > 0 }
            progress.cancel()
            try await eventually { ending.count > 0 }
            #expect((ending.error as? CocoaError)?.code == .userCancelled)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
            #expect(ending.count == 1)
        }
    }

    @Test(arguments: TestServers.webDAV)
    func `cancelling an upload leaves nothing on the server`(_ server: TestServers.WebDAV) async throws {
        try await server.withFolder { _, folder in
            let path = try folder.appending("big")
            let file = FileManager.default.temporaryDirectory.appending(path: "upload-\(UInt64.random(in: 0 ... .max))")
            try Data(count: 64 << 20).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            var options = TestServers.options()
            options.bandwidth = 8 << 20
            let slow = try server.provider(options)
            let ending = Ending()
            let progress = try #require(slow.copyItem(localFile: file, to: path.string) { ending.record($0) })
            try await eventually { progress.completedUnitCount >= 1 << 20 || ending.count > 0 }
            progress.cancel()
            try await eventually { ending.count > 0 }
            #expect((ending.error as? CocoaError)?.code == .userCancelled)
            #expect(ending.count == 1)
            #expect(!server.isThere(path))
            // rclone brings the part to light at times of its own, after everybody has stopped looking.
            if server.name == "rclone" { return }
            #expect(try server.names(folder).filter(TemporaryName.matches) == [])
            #expect(try await server.names(folder, onceTheyAre: []) == [])
        }
    }

    @Test func `a slow reader holds the server back instead of filling memory`() async throws {
        // In a process of its own, whose memory is nobody else's.
        await #expect(processExitsWith: .success) {
            let server = try #require(TestServers.named("Apache, Basic"))
            try await server.withFolder { provider, folder in
                let path = try folder.appending("big")
                let zeros = (0..<128).map { _ in Data(count: 1 << 20) }
                let source = AsyncStream { continuation in
                    for piece in zeros { continuation.yield(piece) }
                    continuation.finish()
                }
                _ = try await provider.writeContents(path: path, from: SequenceSource(source), options: WriteOptions())
                let before = try residentBytes()
                var read = 0
                for try await piece in try await provider.open(path: path).bytes() {
                    read += piece.count
                    if read < 16 << 20 { try await Task.sleep(for: .milliseconds(2)) }
                }
                #expect(read == 128 << 20)
                #expect(try residentBytes() - before < 32 << 20)
            }
        }
    }
}

/// The memory that this process holds, in bytes. Source: proc(5).
private func residentBytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) * 1024
}

/// Counts how often a completion handler is called, and keeps what it was told.
final class Ending: Sendable {
    private let calls = LockedValue<[(any Error)?]>([])

    var count: Int { calls.value.count }
    var error: (any Error)? { calls.value.first ?? nil }

    func record(_ error: (any Error)?) { calls.update { $0.append(error) } }
}
