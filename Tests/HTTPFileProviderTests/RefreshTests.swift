import CurlTransport
import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing

/// Bearer tokens that run out.
@Suite struct RefreshTests {
    /// A server that takes the tokens for which `isGood`, and says what it wants by `challenge`.
    private func server(
        challenge: String = "Bearer error=\"invalid_token\"", status: Int = 401,
        _ isGood: @escaping @Sendable (String) -> Bool
    ) throws -> FaultServer {
        try FaultServer { request in
            let token = request.headers["authorization"].map { String($0.dropFirst("Bearer ".count)) }
            guard let token, isGood(token) else { return .reply(status, headers: ["WWW-Authenticate": challenge]) }
            return .reply(200, body: Data("hello".utf8))
        }
    }

    private func connection(_ server: FaultServer, _ source: any CredentialSource, clear: Bool = false) throws
        -> HTTPConnection
    {
        let options = ConnectionOptions(
            credentials: source, retries: RetryPolicy(retries: 0), allowsClearPassword: clear)
        return try HTTPConnection(url: server.url(), options: options)
    }

    /// Hands out `t1`, `t2`, … and counts.
    private func source(
        _ refreshes: CollectedValues<Origin>, first: Credential? = nil, lasting: Double? = nil
    ) -> RefreshingToken {
        RefreshingToken(first) { origin in
            refreshes.append(origin)
            // Long enough for every request of a crowd to come and wait.
            try await Task.sleep(for: .milliseconds(50))
            return .bearer("t\(refreshes.values.count)", expires: lasting.map { Date(timeIntervalSinceNow: $0) })
        }
    }

    private func expectHello(_ connection: HTTPConnection, path: String = "f") async throws {
        let data = try await read(connection, path)
        #expect(data == Data("hello".utf8))
    }

    private func read(_ connection: HTTPConnection, _ path: String = "f") async throws -> Data {
        try await WebFileProvider(service: WebService(), connection: connection).contents(path: ProviderPath(path))
    }

    @Test func `many first requests wait for one token`() async throws {
        let refreshes = CollectedValues<Origin>()
        let server = try server { $0 == "t1" }
        defer { server.stop() }
        let connection = try connection(server, source(refreshes))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<20 { group.addTask { try await expectHello(connection, path: "\(index)") } }
            try await group.waitForAll()
        }
        #expect(refreshes.values == [Origin(scheme: "http", host: "127.0.0.1", port: server.port)])
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == "Bearer t1" })
    }

    @Test func `all requests that the old token was refused for wait for one refresh, also in two providers`()
        async throws
    {
        let refreshes = CollectedValues<Origin>()
        let isOld = LockedValue(false)
        let server = try server { isOld.value ? $0 == "t1" : $0 == "t0" }
        defer { server.stop() }
        let source = source(refreshes, first: .bearer("t0"))
        let connections = [try connection(server, source), try connection(server, source)]
        for connection in connections { _ = try await read(connection) }
        #expect(refreshes.values == [])
        isOld.update { $0 = true }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<20 { group.addTask { try await expectHello(connections[index % 2]) } }
            try await group.waitForAll()
        }
        #expect(refreshes.values.count == 1)
    }

    @Test func `a token that is refused when it is new is an error, asked for once`() async throws {
        let refreshes = CollectedValues<Origin>()
        let server = try server { _ in false }
        defer { server.stop() }
        let connection = try connection(server, source(refreshes, first: .bearer("t0")))
        let error = await #expect(throws: URLError.self) { try await read(connection) }
        #expect(error?.code == .userAuthenticationRequired)
        #expect(error?.sentence == "“127.0.0.1” refused this token.")
        #expect(refreshes.values.count == 1)
        #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer t0", "Bearer t1"])
    }

    @Test(arguments: [(403, "Bearer error=\"insufficient_scope\""), (401, "Bearer error=\"insufficient_scope\"")])
    func `what a token may not do asks for no other`(status: Int, challenge: String) async throws {
        let refreshes = CollectedValues<Origin>()
        let server = try server(challenge: challenge, status: status) { _ in false }
        defer { server.stop() }
        let connection = try connection(server, source(refreshes, first: .bearer("t0")))
        await #expect(throws: (any Error).self) { try await read(connection) }
        #expect(refreshes.values.isEmpty)
        #expect(server.requests.count == 1)
    }

    @Test func `a token past its date is not sent`() async throws {
        let refreshes = CollectedValues<Origin>()
        let server = try server { $0 == "t1" || $0 == "t2" }
        defer { server.stop() }
        let connection = try connection(
            server, source(refreshes, first: .bearer("t0", expires: .distantPast), lasting: 2))
        #expect(try await read(connection) == Data("hello".utf8))
        let deadline = ContinuousClock.now + .seconds(60)
        while refreshes.values.count == 1, ContinuousClock.now < deadline { _ = try await read(connection) }
        #expect(refreshes.values.count == 2)
        let sent = server.requests.map { $0.headers["authorization"] }
        #expect(Set(sent) == ["Bearer t1", "Bearer t2"])
    }

    @Test(arguments: [true, false])
    func `an upload is sent again with the new token where its source can be read again`(isRepeatable: Bool)
        async throws
    {
        let refreshes = CollectedValues<Origin>()
        let server = try server { $0 == "t1" }
        defer { server.stop() }
        let connection = try connection(server, source(refreshes, first: .bearer("t0")))
        let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        let source: any WriteSource = isRepeatable ? DataSource(body) : OneShot(body)
        let send = { @Sendable in
            try await connection.send(
                HTTPRequest("PUT", path: try ProviderPath("f"), body: .source(source), isWriting: true))
        }
        if isRepeatable {
            let head = try await send()
            #expect(head.status == 200)
            #expect(server.requests.map(\.body) == [body, body])
        } else {
            let error = await #expect(throws: CocoaError.self) { _ = try await send() }
            #expect(error?.sentence == FileError.notRepeatable().sentence)
        }
        #expect(refreshes.values.count == 1)
    }

    @Test func `a refresh that fails is everybody's error, and the next request tries again`() async throws {
        struct Offline: Error {}
        let calls = LockedValue(0)
        let source = RefreshingToken { _ in
            let call = calls.update { count in
                count += 1
                return count
            }
            if call > 1 { return .bearer("t") }
            // Until all have joined.
            try await Task.sleep(for: .seconds(2))
            throw Offline()
        }
        let server = try server { $0 == "t" }
        defer { server.stop() }
        let connection = try connection(server, source)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { await #expect(throws: Offline.self) { try await read(connection) } } }
        }
        #expect(try await read(connection) == Data("hello".utf8))
        #expect(calls.value == 2)
    }

    @Test func `whoever stops waiting for a token leaves it to the others`() async throws {
        let (signal, open) = AsyncStream<Never>.makeStream()
        let source = RefreshingToken { _ in
            for await _ in signal {}
            return .bearer("t")
        }
        let server = try server { $0 == "t" }
        defer { server.stop() }
        let connection = try connection(server, source)
        let impatient = Task { try await read(connection) }
        let patient = Task { try await read(connection) }
        impatient.cancel()
        await #expect(throws: CancellationError.self) { try await impatient.value }
        open.finish()
        #expect(try await patient.value == Data("hello".utf8))
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a b", "", "tök"])
    func `a token that cannot stand in a header is not sent`(token: String) async throws {
        let server = try server { _ in true }
        defer { server.stop() }
        let connection = try connection(server, FixedCredential(.bearer(token)))
        let error = await #expect(throws: URLError.self) { try await read(connection) }
        #expect(error?.code == .userAuthenticationRequired)
        #expect(server.requests.isEmpty)
    }
}

/// Bytes that are given once.
struct OneShot: WriteSource {
    let data: Data
    var length: Int64? { Int64(data.count) }
    var isRepeatable: Bool { false }

    init(_ data: Data) {
        self.data = data
    }

    func bytes(from offset: Int64) throws -> any ByteSource { try DataSource(data).bytes(from: offset) }
}
