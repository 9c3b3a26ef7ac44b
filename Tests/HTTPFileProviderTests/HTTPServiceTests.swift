import CurlTransport
import FaultServer
import FileProviderConformance
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing

/// What a third party's service gets from the base.
@Suite struct HTTPServiceTests {
    private let bytes = Data((0..<10_500).map { UInt8(truncatingIfNeeded: $0 / 7) })

    private func provider(_ server: DriveServer, _ service: DriveService = DriveService()) throws -> HTTPFileProvider<
        DriveService
    > {
        let options = ConnectionOptions(
            timeouts: Timeouts(connect: 20, idle: 60), retries: RetryPolicy(retries: 1, firstPause: 0.01))
        return try HTTPFileProvider(service: service, url: server.url, options: options)
    }

    @Test func `a service of eight functions passes the conformance kit`() async throws {
        let server = try DriveServer()
        // Its largest file goes in 32 parts: a thousand would measure how busy the machine is.
        var service = DriveService()
        service.partSize = 32 << 10
        let kit = Conformance(
            provider: try provider(server, service), folder: .root,
            connect: { [service] in try provider(server, service) })
        let report = await kit.run()
        #expect(report.isConforming, "\(report)")
    }

    @Test func `a web server is read by a provider that was registered with one line`() async throws {
        let server = try FaultServer { _ in .reply(200, body: Data("Hello".utf8)) }
        defer { server.stop() }
        let registry = ProviderRegistry()
        try registry.register(WebFileProvider.registration)
        let url = try #require(URL(string: "a%20b/c.txt", relativeTo: server.url()))
        let location = try await registry.location(of: url)
        #expect(try location.path == ProviderPath("/a b/c.txt"))
        #expect(try await location.provider.contents(path: location.path) == Data("Hello".utf8))
        #expect(server.requests.map(\.target) == ["/a%20b/c.txt"])
    }

    // MARK: Pages

    private func fill(_ server: DriveServer, _ count: Int) throws {
        for number in 0..<count { server.put(try ProviderPath("file \(number)"), bytes) }
    }

    @Test func `a page is handed on before the next one is asked for`() async throws {
        let server = try DriveServer()
        try fill(server, 8)
        let seen = LockedValue<[(items: Int, requests: Int)]>([])
        try await provider(server).contentsOfDirectory(path: .root) { items in
            seen.update { $0.append((items.count, server.requests.count)) }
        }
        #expect(seen.value.map(\.items) == [3, 3, 2])
        #expect(seen.value.map(\.requests) == [1, 2, 3])
    }

    @Test func `a request handler that gives nothing ends the listing`() async throws {
        let server = try DriveServer()
        try fill(server, 8)
        let pages = LockedValue(0)
        let provider = try provider(server)
        try await provider.connection.paginated { token in
            token == nil ? try provider.service.request(forContentsOf: .root, token: nil) : nil
        } pageHandler: { data, head in
            try provider.service.page(ofContentsOf: .root, data: data, head: head)
        } page: { _ in
            pages.update { $0 += 1 }
        }
        #expect(pages.value == 1)
        #expect(server.requests.count == 1)
    }

    @Test func `cancelling between two pages ends the listing`() async throws {
        let server = try DriveServer()
        try fill(server, 30)
        let provider = try provider(server)
        let calls = LockedValue(0)
        let listing = Task {
            try await provider.contentsOfDirectory(path: .root) { _ in
                calls.update { $0 += 1 }
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await #expect(throws: CancellationError.self) { try await listing.value }
        #expect(calls.value == 1)
        #expect(server.requests.count == 1)
    }

    @Test func `cancelling a page that does not come ends the listing at once`() async throws {
        let server = try DriveServer { _ in .silence }
        let provider = try provider(server)
        let task = Task { try await provider.contentsOfDirectory(path: .root) { _ in } }
        while server.requests.isEmpty { await Task.yield() }
        let start = ContinuousClock.now
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func `a server whose pages go in a circle is found out`() async throws {
        let server = try DriveServer { request in
            request.target.contains("list") ? .reply(200, body: Data(#"{"items":[],"next":"7"}"#.utf8)) : nil
        }
        let error = await #expect(throws: URLError.self) {
            _ = try await provider(server).contentsOfDirectory(path: .root)
        }
        #expect(error?.code == .badServerResponse)
        #expect(server.requests.count == 2)
    }

    // MARK: Errors

    @Test func `an answer that the service reads otherwise becomes the error that it means`() async throws {
        let server = try DriveServer()
        let error = await #expect(throws: CocoaError.self) {
            _ = try await provider(server).attributesOfItem(path: ProviderPath("none"))
        }
        #expect(error?.code == .fileReadNoSuchFile)
        let below = error?.underlying as? HTTPStatusError
        #expect(below?.code.rawValue == 404)
        #expect(below?.serverDescription == "The drive says: missing")
    }

    // MARK: Uploads in parts

    @Test func `what is longer than one request may be goes up in parts, several at once`() async throws {
        let server = try DriveServer()
        let provider = try provider(server)
        let item = try await provider.writeContents(path: ProviderPath("large"), contents: bytes)
        #expect(item.size == Int64(bytes.count))
        #expect(try await provider.contents(path: ProviderPath("large")) == bytes)
        #expect(server.requests.count { $0.target.contains("part=") } == 11)
    }

    @Test(arguments: [0, 1, 4096, 4097, 10_500])
    func `a source without a length goes up in one request when it turns out short`(_ count: Int) async throws {
        let server = try DriveServer()
        let provider = try provider(server)
        let source = SequenceSource(
            AsyncStream { continuation in
                for start in stride(from: 0, to: count, by: 700) {
                    continuation.yield(bytes[start..<min(start + 700, count)])
                }
                continuation.finish()
            })
        let item = try await provider.writeContents(path: ProviderPath("piped"), from: source, options: WriteOptions())
        #expect(item.size == Int64(count))
        #expect(try await provider.contents(path: ProviderPath("piped")) == bytes.prefix(count))
        #expect(server.requests.contains { $0.target.contains("part=") } == (count > 4096))
    }

    @Test func `after a lost connection the next try sends only the parts that are missing`() async throws {
        let isBroken = LockedValue(true)
        let server = try DriveServer { request in
            isBroken.value && request.target.hasSuffix("part=6") ? .truncated(200, promised: 10, body: Data()) : nil
        }
        let provider = try provider(server, DriveService(sessions: DriveSessions(resumes: true)))
        await #expect(throws: URLError.self) {
            try await provider.writeContents(path: ProviderPath("large"), contents: bytes)
        }
        #expect(server.openUploads == 1)
        isBroken.update { $0 = false }
        let before = server.requests.count
        try await provider.writeContents(path: ProviderPath("large"), contents: bytes)
        #expect(try await provider.contents(path: ProviderPath("large")) == bytes)
        let again = server.requests.dropFirst(before).filter { $0.target.contains("part=") }.map(\.target)
        #expect(again.contains { $0.hasSuffix("part=6") })
        #expect(!again.contains { $0.hasSuffix("part=0") || $0.hasSuffix("part=1") })
        #expect(server.openUploads == 0)
    }

    @Test func `a source that fails in the middle gives the parts up`() async throws {
        let server = try DriveServer()
        let provider = try provider(server)
        let source = SequenceSource(
            AsyncThrowingStream { continuation in
                continuation.yield(bytes)
                continuation.finish(throwing: CocoaError(.fileReadCorruptFile))
            })
        await #expect(throws: CocoaError.self) {
            try await provider.writeContents(path: ProviderPath("large"), from: source, options: WriteOptions())
        }
        #expect(server.openUploads == 0)
        #expect(try await provider.contentsOfDirectory(path: .root).isEmpty)
    }

    @Test func `a source that gives less than it promised appears nowhere`() async throws {
        let server = try DriveServer()
        let provider = try provider(server)
        let bytes = bytes
        let source = SequenceSource(
            AsyncStream { continuation in
                continuation.yield(bytes)
                continuation.finish()
            }, length: 20_000)
        let error = await #expect(throws: CocoaError.self) {
            try await provider.writeContents(path: ProviderPath("large"), from: source, options: WriteOptions())
        }
        #expect(error?.code == .fileWriteUnknown)
        #expect(try await provider.contentsOfDirectory(path: .root).isEmpty)
        #expect(server.openUploads == 0)
    }
}
