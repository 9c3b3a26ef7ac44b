import CurlTransport
import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing

/// What a server may make of a client that it wants to harm, or of one that it serves badly.
@Suite struct HostileServerTests {
    private static func options(retries: Int = 0) -> ConnectionOptions {
        var options = ConnectionOptions(
            timeouts: Timeouts(connect: 10, idle: 10), retries: RetryPolicy(retries: retries, firstPause: 0.01))
        options.proxy = .none
        return options
    }

    private func connection(_ server: FaultServer, _ options: ConnectionOptions = options()) throws -> HTTPConnection {
        try HTTPConnection(url: server.url(), options: options)
    }

    private func provider(_ server: FaultServer, retries: Int = 0) throws -> WebFileProvider {
        try WebFileProvider(
            configuration: HTTPConfiguration(baseURL: server.url()), options: Self.options(retries: retries))
    }

    // MARK: Heads

    @Test(arguments: ["HTTP/1.1 103 Early Hints\r\nLink: <LONG>\r\n\r\n", "X-Filler: LONG\r\n"])
    func `heads without an end are cut off`(_ piece: String) async throws {
        let filler = String(repeating: piece.replacing("LONG", with: String(repeating: "x", count: 1000)), count: 290)
        let isHeader = piece.hasPrefix("X-")
        let answer =
            isHeader
            ? "HTTP/1.1 200 OK\r\n\(filler)Content-Length: 0\r\n\r\n"
            : "\(filler)HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        let server = try FaultServer { _ in .raw(Data(answer.utf8)) }
        defer { server.stop() }
        let error = await #expect(throws: URLError.self) {
            _ = try await provider(server).contents(path: ProviderPath("f"))
        }
        #expect(error?.code == .badServerResponse)
        #expect(error?.sentence.contains("256 KiB") == true)
    }

    @Test func `no header is sent that holds a control character`() async throws {
        let server = try FaultServer { _ in .reply(200) }
        defer { server.stop() }
        let connection = try connection(server)
        for value in ["\"a\r\nX-Evil: 1\"", "\"a\nb\"", "\"a\u{0}b\"", "\"a\u{7F}\""] {
            let request = HTTPRequest("GET", path: try ProviderPath("f"), headers: [("If-Match", value)])
            let error = await #expect(throws: URLError.self) { _ = try await connection.send(request) }
            #expect(error?.sentence.contains("If-Match") == true)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `a tag with a control character in it is none`() async throws {
        let server = try FaultServer { _ in .reply(200, headers: ["ETag": "\"a\u{1}b\""], body: Data("x".utf8)) }
        defer { server.stop() }
        let reader = try await provider(server).open(path: ProviderPath("f"))
        _ = try await reader.read(.whole)
        #expect(try await reader.attributes().validator == nil)
    }

    // MARK: Redirects

    @Test func `another origin gets none of the caller's headers but those that say what is wanted`() async throws {
        let elsewhere = try FaultServer { _ in .reply(200) }
        defer { elsewhere.stop() }
        let server = try FaultServer { _ in .reply(302, headers: ["Location": "\(elsewhere.url())x"]) }
        defer { server.stop() }
        let headers = [
            ("X-Api-Key", "secret"), ("Cookie", "id=1"), ("Authorization", "Key 1"), ("If", "(<opaquelocktoken:1>)"),
            ("Accept", "text/plain"),
            ("Range", "bytes=0-1"), ("If-Match", "\"1\""), ("Depth", "0"),
        ]
        _ = try await connection(server).send(HTTPRequest("GET", path: try ProviderPath("f"), headers: headers))
        let (sent, there) = (try #require(server.requests.first), try #require(elsewhere.requests.first))
        #expect(sent.headers["x-api-key"] == "secret" && sent.headers["if"] != nil)
        #expect(Set(there.headers.keys) == ["host", "user-agent", "accept", "range", "if-match", "depth"])
    }

    @Test func `an option keeps redirects in the origin`() async throws {
        let elsewhere = try FaultServer { _ in .reply(200) }
        defer { elsewhere.stop() }
        let server = try FaultServer {
            $0.target == "/home"
                ? .reply(302, headers: ["Location": "/g"])
                : $0.target == "/g" ? .reply(200) : .reply(302, headers: ["Location": "\(elsewhere.url())x"])
        }
        defer { server.stop() }
        var options = Self.options()
        options.keepsRedirectsInOrigin = true
        let connection = try connection(server, options)
        #expect(try await connection.send(HTTPRequest("GET", path: try ProviderPath("home"))).isSuccess)
        let error = await #expect(throws: URLError.self) {
            _ = try await connection.send(HTTPRequest("GET", path: try ProviderPath("f")))
        }
        #expect(error?.code == .redirectToNonExistentLocation)
        #expect(elsewhere.requests.isEmpty)
    }

    @Test(arguments: [
        "http://127.0.0.1:1/x", "http://localhost/x", "http://2130706433/", "http://0x7f.1/", "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://169.254.169.254/latest/meta-data", "http://192.168.1.1/", "http://[fe80::1]/", "http://[fd00::1]/",
    ])
    func `a public server leads nobody into a private network`(_ location: String) async throws {
        let server = try FaultServer { $0.target == "/f" ? .reply(302, headers: ["Location": location]) : .reply(200) }
        defer { server.stop() }
        let proxy = try ProxyDouble(to: server.port)
        defer { proxy.stop() }
        var options = Self.options()
        options.proxy = .server(try ProxyServer(url: proxy.url()))
        let connection = try HTTPConnection(url: try #require(URL(string: "http://server.test/")), options: options)
        let error = await #expect(throws: URLError.self) {
            _ = try await connection.send(HTTPRequest("GET", path: try ProviderPath("f")))
        }
        #expect(error?.code == .redirectToNonExistentLocation)
        #expect(server.requests.map(\.target) == ["/f"])
    }

    @Test func `the address that a name turns out to have is looked at before anything is sent`() async throws {
        let server = try FaultServer { _ in .reply(200) }
        defer { server.stop() }
        let transport = try CurlTransport(options: Self.options())
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        // Once for a new connection, once for one that is kept.
        for isKept in [false, true] {
            if isKept { #expect(try await transport.send(TransferRequest(url: url)).serverAddress == "127.0.0.1") }
            var request = TransferRequest(url: url)
            request.refusesLocalAddresses = true
            let error = await #expect(throws: URLError.self) { _ = try await transport.send(request) }
            #expect(error?.code == .redirectToNonExistentLocation)
            #expect(server.requests.count == (isKept ? 1 : 0))
        }
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("10.9.8.7", true), ("172.16.0.1", true), ("172.32.0.1", false), ("192.168.0.1", true),
        ("169.254.1.1", true),
        ("100.64.0.1", true), ("0.0.0.0", true), ("203.0.113.1", false), ("8.8.8.8", false), ("::1", true),
        ("::", true),
        ("fe80::1%eth0", true),
        ("fd12::1", true), ("2001:db8::1", false), ("::ffff:127.0.0.1", true), ("::ffff:8.8.8.8", false),
        ("64:ff9b::a00:1", true),
        ("2002:7f00:1::", true), ("2606:4700::1", false), ("host", false),
    ])
    func `private addresses are told from public ones`(_ address: String, _ isLocal: Bool) {
        #expect(LocalAddress.holds(address) == isLocal)
    }

    // MARK: Bodies

    private static func gzip(_ data: Data) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-9", "-c"]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: data)
        try input.fileHandleForWriting.close()
        return try output.fileHandleForReading.readToEnd() ?? Data()
    }

    @Test func `a whole file that comes compressed unasked is decoded, a range of it is refused`() async throws {
        let body = Data(String(repeating: "a line of text\n", count: 5000).utf8)
        let packed = try Self.gzip(body)
        let server = try FaultServer { _ in
            .reply(200, headers: ["Content-Encoding": "gzip", "ETag": "\"1\""], body: packed)
        }
        defer { server.stop() }
        let provider = try provider(server)
        #expect(try await provider.contents(path: ProviderPath("f")) == body)
        let reader = try await provider.open(path: ProviderPath("f"))
        #expect(try await reader.read(.whole).extent.size == Int64(body.count))
        #expect(try await reader.attributes().size == Int64(body.count))
        for part in [FilePart.range(10..<20), .suffix(5)] {
            let error = await #expect(throws: URLError.self) {
                _ = try await provider.contents(path: ProviderPath("f"), part: part)
            }
            #expect(error?.sentence.contains("compressed") == true)
        }
        #expect(server.requests.allSatisfy { $0.headers["accept-encoding"] == "identity" })
    }

    @Test func `what is compressed may neither grow without end nor lack its end`() async throws {
        let bomb = try Self.gzip(Data(count: 8 << 20))
        let half = try Self.gzip(Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* $0) })).dropLast(20)
        for (body, isTooLarge) in [(bomb, true), (Data(half), false)] {
            let server = try FaultServer { _ in .reply(200, headers: ["Content-Encoding": "gzip"], body: body) }
            defer { server.stop() }
            let error = await #expect(throws: (any Error).self) {
                _ = try await provider(server).contents(path: ProviderPath("f"))
            }
            #expect((error as? CocoaError)?.code == (isTooLarge ? .fileReadTooLarge : nil))
            #expect((error as? URLError)?.code == (isTooLarge ? nil : .badServerResponse))
        }
    }

    @Test(arguments: [0, 2], [true, false])
    func `an answer that is shorter than it said is told with both numbers`(retries: Int, isRefused: Bool) async throws
    {
        let server = try FaultServer { request in
            guard request.headers["range"] != nil else { return .truncated(200, promised: 200, body: Data(count: 100)) }
            return isRefused
                ? .reply(416, headers: ["Content-Range": "bytes */100"])
                : .reply(206, headers: ["Content-Range": "bytes 100-149/150"], body: Data(count: 50))
        }
        defer { server.stop() }
        let error = await #expect(throws: (any Error).self) {
            _ = try await provider(server, retries: retries).contents(path: ProviderPath("f"))
        }
        let sentence = error?.sentence ?? ""
        #expect(sentence.contains("100") && sentence.contains("200"))
        #expect(!sentence.contains("refused") && !sentence.contains("changed"))
        #expect((error as? CocoaError)?.code == (retries > 0 ? .fileReadCorruptFile : nil))
    }

    // MARK: Time and logins

    @Test func `a transfer that drips is found out after a minute, one that rests is not`() {
        let start = ContinuousClock.now
        var watch = RateWatch()
        #expect(watch.deadline(moved: 0, least: 100, now: start) == start + .seconds(60))
        #expect(watch.deadline(moved: 90, least: 100, now: start + .seconds(30)) == start + .seconds(60))
        #expect(watch.deadline(moved: 200, least: 100, now: start + .seconds(60)) == start + .seconds(120))
        // Nothing at all moves: the idle time decides.
        #expect(watch.deadline(moved: 200, least: 100, now: start + .seconds(120)) == start + .seconds(180))
        #expect(watch.deadline(moved: 299, least: 100, now: start + .seconds(180)) == start + .seconds(180))
        watch.pause()
        #expect(watch.deadline(moved: 299, least: 100, now: start + .seconds(300)) == start + .seconds(360))
    }

    @Test func `a server that calls every answer stale has refused the login`() async throws {
        let count = LockedValue(0)
        let server = try FaultServer { _ in
            let nonce = count.update { count in
                count += 1
                return count
            }
            return .reply(
                401, headers: ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\(nonce)\", qop=\"auth\", stale=true"])
        }
        defer { server.stop() }
        var options = Self.options()
        options.credentials = FixedCredential(.password(user: "ann", password: "pw"))
        let connection = try connection(server, options)
        let put = HTTPRequest(
            "PUT", path: try ProviderPath("f"), body: .source(DataSource(Data(count: 10))), repetition: .ifNotDone,
            isWriting: true)
        for request in [HTTPRequest("GET", path: try ProviderPath("f")), put] {
            let error = await #expect(throws: URLError.self) { _ = try await connection.send(request) }
            #expect(error?.code == .userAuthenticationRequired)
        }
        #expect(server.requests.count < 20)
    }
}
