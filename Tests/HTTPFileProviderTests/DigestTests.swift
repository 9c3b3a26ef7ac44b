import CurlTransport
import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import ProviderDoubles
import Testing

@Suite struct DigestTests {
    private let hello = FaultServer.Answer.reply(200, body: Data("hello".utf8))

    private func refuse(_ challenges: String) -> FaultServer.Answer {
        .reply(401, headers: ["WWW-Authenticate": challenges])
    }

    private func connection(
        _ server: FaultServer, _ login: DigestGuard = DigestGuard(), _ options: ConnectionOptions = ConnectionOptions()
    ) throws -> HTTPConnection {
        var options = options
        options.credentials = FixedCredential(.password(user: login.user, password: login.password))
        options.retries.retries = 0
        return try HTTPConnection(url: server.url(), options: options)
    }

    /// The connection of a host that is not this machine: a proxy here leads to `server`.
    private func remote(
        _ server: FaultServer, _ proxy: ProxyDouble, allowsClear: Bool,
        credential: Credential = .password(user: "ann", password: "pw")
    ) throws -> HTTPConnection {
        var options = ConnectionOptions(credentials: FixedCredential(credential), allowsClearPassword: allowsClear)
        options.retries.retries = 0
        options.proxy = .server(try ProxyServer(url: proxy.url()))
        return try HTTPConnection(url: try #require(URL(string: "http://server.test/")), options: options)
    }

    private func expectHello(_ connection: HTTPConnection, path: String = "f") async throws {
        let data = try await read(connection, path)
        #expect(data == Data("hello".utf8))
    }

    private func read(_ connection: HTTPConnection, _ path: String = "f") async throws -> Data {
        try await WebFileProvider(service: WebService(), connection: connection).contents(path: ProviderPath(path))
    }

    private func seesBasic(_ server: FaultServer) -> Bool {
        server.requests.contains { $0.headers["authorization"]?.lowercased().hasPrefix("basic") == true }
    }

    @Test func `the hashes are those of the standards`() {
        #expect(Digests.md5("abc") == "900150983cd24fb0d6963f7d28e17f72")
        #expect(Digests.sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test(arguments: ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess"])
    func `each algorithm opens, and once it is known nothing is asked twice`(algorithm: String) async throws {
        let login = DigestGuard(algorithm: algorithm)
        let server = try FaultServer { login.admits($0, nonce: "n1") ? hello : refuse(login.challenge("n1")) }
        defer { server.stop() }
        let connection = try connection(server, login)
        for _ in 0..<3 { #expect(try await read(connection) == Data("hello".utf8)) }
        #expect(server.requests.count == 4)
    }

    @Test(arguments: [
        DigestGuard(user: "ann:b", password: "p:w"), DigestGuard(user: "a\"n\\n", password: "\"\\"),
        DigestGuard(user: "ännè", password: "pâß wörd%1"),
        DigestGuard(user: "ann,b=c", password: "", realm: "a \"quoted\\ realm\""),
        DigestGuard(user: "ann b", password: " "),
    ])
    func `names and passwords with awkward characters open`(login: DigestGuard) async throws {
        let server = try FaultServer { login.admits($0, nonce: "n1") ? hello : refuse(login.challenge("n1")) }
        defer { server.stop() }
        #expect(try await read(connection(server, login)) == Data("hello".utf8))
    }

    @Test(arguments: [true, false])
    func `a new challenge in the middle is answered, whether it calls the old one stale or not`(isStale: Bool)
        async throws
    {
        let login = DigestGuard()
        let nonce = LockedValue("n1")
        let server = try FaultServer { request in
            login.admits(request, nonce: nonce.value)
                ? hello : refuse(login.challenge(nonce.value, isStale: isStale && DigestGuard.nonce(request) != nil))
        }
        defer { server.stop() }
        let connection = try connection(server)
        // Several handles, each with a challenge of its own.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<8 { group.addTask { _ = try await read(connection, "\(index)") } }
            try await group.waitForAll()
        }
        for round in 2..<5 {
            nonce.update { $0 = "n\(round)" }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<4 { group.addTask { try await expectHello(connection, path: "\(index)") } }
                try await group.waitForAll()
            }
            let body = Data(repeating: 7, count: 50_000)
            nonce.update { $0 = "m\(round)" }
            let put = HTTPRequest("PUT", path: try ProviderPath("f"), body: .source(DataSource(body)), isWriting: true)
            #expect(try await connection.send(put).isSuccess)
            #expect(server.requests.last?.body == body)
        }
    }

    @Test func `a challenge that changes under an upload that cannot be repeated is said`() async throws {
        let login = DigestGuard()
        let nonce = LockedValue("n1")
        let server = try FaultServer {
            login.admits($0, nonce: nonce.value) ? hello : refuse(login.challenge(nonce.value))
        }
        defer { server.stop() }
        let connection = try connection(server)
        _ = try await read(connection)
        nonce.update { $0 = "n2" }
        let put = HTTPRequest(
            "PUT", path: try ProviderPath("f"), body: .source(ScriptedSource(Data(count: 50_000), isRepeatable: false)),
            isWriting: true)
        let error = await #expect(throws: CocoaError.self) { _ = try await connection.send(put) }
        #expect(error?.sentence == FileError.notRepeatable().sentence)
    }

    @Test func `a server that offers both never sees Basic, also when it refuses the digest`() async throws {
        let login = DigestGuard()
        let server = try FaultServer { request in
            request.target == "/open" && login.admits(request, nonce: "n1")
                ? hello : refuse("Basic realm=\"r\", " + login.challenge("n1"))
        }
        defer { server.stop() }
        let connection = try connection(server)
        for path in ["closed", "open", "closed", "open"] { _ = try? await read(connection, path) }
        #expect(try await read(connection, "open") == Data("hello".utf8))
        let wrong = try self.connection(server, DigestGuard(password: "wrong"))
        for _ in 0..<2 {
            let error = await #expect(throws: URLError.self) { try await read(wrong, "open") }
            #expect(error?.sentence == "“127.0.0.1” refused this user and password.")
        }
        #expect(!seesBasic(server))
    }

    @Test(arguments: [true, false])
    func `nobody on the way gets the password by taking digest out of the offer`(allowsClear: Bool) async throws {
        let login = DigestGuard()
        let isAttacked = LockedValue(false)
        let server = try FaultServer { request in
            if isAttacked.value { return refuse("Basic realm=\"r\"") }
            return login.admits(request, nonce: "n1") ? hello : refuse(login.challenge("n1"))
        }
        defer { server.stop() }
        let proxy = try ProxyDouble(to: server.port)
        defer { proxy.stop() }
        let connection = try remote(server, proxy, allowsClear: allowsClear)
        #expect(try await read(connection) == Data("hello".utf8))
        isAttacked.update { $0 = true }
        for _ in 0..<2 {
            let error = await #expect(throws: URLError.self) { try await read(connection) }
            #expect(error?.code == .userAuthenticationRequired)
            #expect(error?.sentence.contains("in clear") == true)
        }
        isAttacked.update { $0 = false }
        #expect(try await read(connection) == Data("hello".utf8))
        #expect(!seesBasic(server))
    }

    @Test func `the offer that changes between the rounds of one login gets no password either`() async throws {
        let login = DigestGuard()
        let server = try FaultServer { request in
            DigestGuard.nonce(request) == nil ? refuse(login.challenge("n1")) : refuse("Basic realm=\"r\"")
        }
        defer { server.stop() }
        let proxy = try ProxyDouble(to: server.port)
        defer { proxy.stop() }
        let connection = try remote(server, proxy, allowsClear: true)
        for _ in 0..<2 { await #expect(throws: URLError.self) { try await read(connection) } }
        #expect(!seesBasic(server))
    }

    @Test func `a password or token in clear leaves this machine only where that is allowed`() async throws {
        let server = try FaultServer { $0.headers["authorization"] == nil ? refuse("Basic realm=\"r\"") : hello }
        defer { server.stop() }
        let proxy = try ProxyDouble(to: server.port)
        defer { proxy.stop() }
        for credential in [Credential.password(user: "ann", password: "pw"), .bearer("t")] {
            let error = await #expect(throws: URLError.self) {
                try await read(remote(server, proxy, allowsClear: false, credential: credential))
            }
            #expect(error?.sentence.contains("not encrypted") == true)
            #expect(server.requests.allSatisfy { $0.headers["authorization"] == nil })
        }
        let allowed = try remote(server, proxy, allowsClear: true)
        #expect(try await read(allowed) == Data("hello".utf8))
        let put = HTTPRequest(
            "PUT", path: try ProviderPath("f"), body: .source(DataSource(Data("x".utf8))), isWriting: true)
        #expect(try await allowed.send(put).isSuccess)
        #expect(server.requests.last?.body == Data("x".utf8))
        #expect(
            try await read(remote(server, proxy, allowsClear: true, credential: .bearer("t"))) == Data("hello".utf8))
    }

    @Test func `a user with a colon cannot log in by Basic, which is said`() async throws {
        let server = try FaultServer { _ in refuse("Basic realm=\"r\"") }
        defer { server.stop() }
        let error = await #expect(throws: URLError.self) {
            try await read(connection(server, DigestGuard(user: "a:b")))
        }
        #expect(error?.sentence.contains("colon") == true)
        #expect(!seesBasic(server))
    }
}
