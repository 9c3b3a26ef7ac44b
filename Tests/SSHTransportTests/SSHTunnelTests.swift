import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

import SSHTransport

/// Proxies on the way to an SSH server. Behind them is nobody who speaks SSH: a connection that gets through ends there.
@Suite(.timeLimit(.minutes(1))) struct SSHTunnelTests {
    private func connect(
        to host: String = "server.test", by url: URL, login: String? = nil, isWithheld: Bool = false,
        connect: Double = 20
    ) async throws {
        var options = SSHOptions(timeouts: Timeouts(connect: connect)) { _ in }
        let words = login?.split(separator: ":", maxSplits: 1).map(String.init)
        options.proxy = SSHProxy(
            try ProxyServer(url: url), user: words?.first, password: words?.last.map { SSHSecret($0) },
            isWithheld: isWithheld)
        _ = try await SSHConnection.connect(
            to: SSHServer(host: host), login: SSHLogin(user: "reader", methods: [.password(SSHSecret("x"))]),
            options: options)
    }

    /// Has the beginning of the client's version (RFC 4253, section 4.2), and closes.
    private func server() throws -> ScriptedPeer { try ScriptedPeer([.receive(8)]) }

    private func url(_ scheme: String, _ peer: ScriptedPeer) throws -> URL {
        try #require(URL(string: "\(scheme)://127.0.0.1:\(peer.port)"))
    }

    @Test(arguments: ["http", "socks5h"], [nil, "jo:p w@:%"] as [String?])
    func `a proxy connects to the server, with a login where there is one`(scheme: String, login: String?) async throws
    {
        let server = try server()
        defer { server.stop() }
        let proxy = try ProxyDouble(to: server.port, login: login)
        defer { proxy.stop() }
        let error = await #expect(throws: URLError.self) { try await connect(by: proxy.url(scheme), login: login) }
        #expect(error?.code == .networkConnectionLost)
        #expect(server.received == [Array("SSH-2.0-".utf8)])
        #expect(proxy.visits.map(\.method) == [scheme == "http" ? "CONNECT" : "SOCKS5"])
        #expect(proxy.visits.map(\.target) == ["server.test:22"] && proxy.visits.map(\.login) == [login])
    }

    @Test func `a name is looked up by socks5h alone, and a number needs no lookup`() async throws {
        let server = try server()
        defer { server.stop() }
        let proxy = try ProxyDouble(to: server.port)
        defer { proxy.stop() }
        let unknown = await #expect(throws: URLError.self) {
            try await connect(to: "nowhere.invalid", by: proxy.url("socks5"))
        }
        #expect(unknown?.code == .cannotFindHost && unknown?.sentence.contains("nowhere.invalid") == true)
        #expect(proxy.visits.isEmpty)
        for (scheme, host) in [("socks5", "192.0.2.7"), ("socks5h", "192.0.2.7"), ("socks5h", "nowhere.invalid")] {
            await #expect(throws: URLError.self) { try await connect(to: host, by: proxy.url(scheme)) }
            #expect(proxy.visits.last?.target == "\(host):22")
        }
    }

    @Test func `an address of IPv6 is in brackets, or 16 bytes`() async throws {
        let http = try ScriptedPeer([.receiveHead])
        defer { http.stop() }
        await #expect(throws: URLError.self) { try await connect(to: "2001:db8::7", by: url("http", http)) }
        let head = String(decoding: http.received.first ?? [], as: UTF8.self)
        #expect(head == "CONNECT [2001:db8::7]:22 HTTP/1.1\r\nHost: [2001:db8::7]:22\r\n\r\n")
        let socks = try ScriptedPeer([.receive(3), .send([5, 0]), .receive(4 + 16 + 2)])
        defer { socks.stop() }
        await #expect(throws: URLError.self) { try await connect(to: "2001:db8::7", by: url("socks5h", socks)) }
        #expect(
            socks.received.last
                == [5, 1, 0, 4, 0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7] + [0, 22])
    }

    // MARK: Refusals

    @Test(arguments: ["http", "socks5h"], [nil, "jo:wr0ng"] as [String?])
    func `a proxy that wants another login is named without it`(scheme: String, login: String?) async throws {
        let proxy = try ProxyDouble(to: 1, login: "jo:s3cret")
        defer { proxy.stop() }
        let refusal = await #expect(throws: SSHProxyRefusal.self) {
            try await connect(by: proxy.url(scheme), login: login)
        }
        let error = try #require(refusal?.error)
        #expect(refusal?.asksForLogin == true && error.code == .userAuthenticationRequired)
        #expect(
            error.sentence
                == "The proxy “\(scheme)://127.0.0.1:\(proxy.port)” asks for a login, or refused the one it got.")
        for form in secretForms(of: "wr0ng", user: "jo") { #expect(!shownForms(of: error).contains(form)) }
    }

    @Test(arguments: ["http", "socks5h"])
    func `a login that must not go in clear is not sent, and that is said`(scheme: String) async throws {
        let proxy = try ProxyDouble(to: 1, login: "jo:s3cret")
        defer { proxy.stop() }
        let refusal = await #expect(throws: SSHProxyRefusal.self) {
            try await connect(by: proxy.url(scheme), login: "jo:s3cret", isWithheld: true)
        }
        #expect(refusal?.error.sentence.contains("in clear") == true)
        #expect(proxy.visits.allSatisfy { $0.login == nil })
    }

    @Test func `a proxy that takes no login by Basic is not asked again`() async throws {
        let answer =
            "HTTP/1.1 407 No\r\nProxy-Authenticate: Digest realm=\"basic\", nonce=\"1\"\r\nproxy-authenticate: NTLM\r\n\r\n"
        let proxy = try ScriptedPeer([.receiveHead, .send(Array(answer.utf8)), .wait])
        defer { proxy.stop() }
        let refusal = await #expect(throws: SSHProxyRefusal.self) { try await connect(by: url("http", proxy)) }
        #expect(refusal?.asksForLogin == false && refusal?.error.sentence.contains("Basic") == true)
    }

    @Test(arguments: [("http", "403"), ("socks5h", "not allowed by its rules")])
    func `a proxy that refuses the server says so`(scheme: String, reason: String) async throws {
        let proxy = try ProxyDouble(to: 1, refusal: 403)
        defer { proxy.stop() }
        let error = await #expect(throws: URLError.self) { try await connect(by: proxy.url(scheme)) }
        #expect(error?.code == .cannotConnectToHost)
        #expect(
            error?.sentence
                == "The proxy “\(scheme)://127.0.0.1:\(proxy.port)” does not connect to “server.test” (\(reason)).")
    }

    @Test(
        arguments: [
            (1, "SOCKS error 1"), (3, "network unreachable"), (4, "host unreachable"), (5, "connection refused"),
            (6, "too many hops"), (7, "it does not support connections"),
            (8, "it does not support this kind of address"),
            (255, "SOCKS error 255"),
        ] as [(UInt8, String)])
    func `each refusal of SOCKS has its words`(code: UInt8, reason: String) async throws {
        let proxy = try ScriptedPeer([.receive(3), .send([5, 0]), .receive(18), .send([5, code, 0, 1]), .wait])
        defer { proxy.stop() }
        let error = await #expect(throws: URLError.self) { try await connect(by: url("socks5h", proxy)) }
        #expect(error?.code == .cannotConnectToHost && error?.sentence.hasSuffix("(\(reason)).") == true)
    }

    @Test(arguments: ["http", "socks5", "socks5h"])
    func `a proxy that is not there is named`(scheme: String) async throws {
        let proxy = try ProxyDouble(to: 1)
        let url = proxy.url(scheme)
        proxy.stop()
        let error = await #expect(throws: URLError.self) { try await connect(by: url) }
        #expect(error?.code == .cannotConnectToHost)
        #expect(error?.sentence == "The proxy “\(url.absoluteString)” does not accept a connection.")
        let lost = try #require(URL(string: "\(scheme)://proxy.invalid:3128"))
        let unknown = await #expect(throws: URLError.self) { try await connect(by: lost) }
        #expect(unknown?.code == .cannotFindHost)
        #expect(unknown?.sentence == "The proxy “\(scheme)://proxy.invalid:3128” cannot be found.")
    }

    @Test func `a proxy over TLS is refused before anything is sent`() async throws {
        let proxy = try ScriptedPeer([.wait])
        defer { proxy.stop() }
        let error = await #expect(throws: URLError.self) { try await connect(by: url("https", proxy)) }
        #expect(error?.code == .unsupportedURL && error?.sentence.contains("http, socks5 and socks5h") == true)
        #expect(proxy.connections == 0)
    }

    @Test func `a login that SOCKS has no room for is refused`() async throws {
        let proxy = try ScriptedPeer([.receive(4), .send([5, 2]), .wait])
        defer { proxy.stop() }
        let refusal = await #expect(throws: SSHProxyRefusal.self) {
            try await connect(by: url("socks5h", proxy), login: "jo:" + String(repeating: "x", count: 256))
        }
        #expect(refusal?.asksForLogin == false && refusal?.error.sentence.contains("255") == true)
    }

    // MARK: What is no proxy

    private static let asked: [ScriptedPeer.Step] = [.receive(3), .send([5, 0]), .receive(18)]

    @Test(
        arguments: [
            ("http", [.send(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)), .wait], .badServerResponse),
            ("http", [.receiveHead, .send(Array("HTTP/1.1 2x0 OK\r\n\r\n".utf8)), .wait], .badServerResponse),
            (
                "http",
                [
                    .receiveHead, .send(Array("HTTP/1.1 200 OK\r\n".utf8)),
                    .sendForEver(Array(String(repeating: "X: y\r\n", count: 500).utf8)),
                ], .badServerResponse
            ),
            ("http", [.receiveHead, .sendForEver(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))], .badServerResponse),
            ("http", [.receiveHead], .networkConnectionLost),
            ("http", [.receiveHead, .send(Array("HTTP/1.1 200 OK\r\nX:".utf8))], .networkConnectionLost),
            ("socks5h", [.receive(3)], .networkConnectionLost),
            ("socks5h", [.receive(3), .send([5])], .networkConnectionLost),
            ("socks5h", [.receive(3), .send([4, 0]), .wait], .badServerResponse),
            // Methods that nobody offered: one of its own, and a password.
            ("socks5h", [.receive(3), .send([5, 9]), .wait], .badServerResponse),
            ("socks5h", [.receive(3), .send([5, 2]), .wait], .badServerResponse),
            ("socks5h", asked + [.send([4, 0, 0, 1]), .wait], .badServerResponse),
            ("socks5h", asked + [.send([5, 0, 0, 9]), .wait], .badServerResponse),
            ("socks5h", asked + [.send([5, 0, 0, 3, 255, 1])], .networkConnectionLost),
            ("socks5h", [.sendForEver(Array("HTTP/1.1 400 Bad Request\r\n".utf8))], .badServerResponse),
        ] as [(String, [ScriptedPeer.Step], URLError.Code)])
    func `what is no proxy, or closes early, ends the connection soon`(
        scheme: String, script: [ScriptedPeer.Step], code: URLError.Code
    ) async throws {
        let proxy = try ScriptedPeer(script)
        defer { proxy.stop() }
        let error = await #expect(throws: URLError.self) { try await connect(by: url(scheme, proxy), connect: 50) }
        #expect(error?.code == code)
        #expect(error?.sentence.hasPrefix("The proxy “\(scheme)://127.0.0.1:\(proxy.port)” ") == true)
    }

    @Test(
        arguments: [
            ("http", [.receiveHead, .wait]), ("http", [.receiveHead, .send(Array("HTTP/1.1 200 OK\r\n".utf8)), .wait]),
            ("socks5h", [.wait]), ("socks5h", [.receive(3), .send([5, 0]), .wait]),
        ] as [(String, [ScriptedPeer.Step])])
    func `a proxy that falls silent is timed out`(scheme: String, script: [ScriptedPeer.Step]) async throws {
        let proxy = try ScriptedPeer(script)
        defer { proxy.stop() }
        let error = await #expect(throws: URLError.self) { try await connect(by: url(scheme, proxy), connect: 0.3) }
        #expect(error?.code == .timedOut)
        #expect(
            error?.sentence
                == "The proxy “\(scheme)://127.0.0.1:\(proxy.port)” took too long to connect to “server.test”.")
    }

    @Test func `a cancelled connection is given up while the proxy is silent`() async throws {
        let proxy = try ScriptedPeer([.receiveHead, .wait])
        defer { proxy.stop() }
        let task = Task { try await connect(by: url("http", proxy), connect: 60) }
        try await eventually { proxy.received.count == 1 }
        let start = ContinuousClock.now
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    // MARK: Getting through

    @Test(
        arguments: [
            ("http", [.receiveHead], "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"),
            ("http", [.receiveHead], "HTTP/1.0 200 Connection established\n\n"),
            ("http", [.receiveHead], "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
            ("socks5h", asked, "\u{5}\0\0\u{1}\0\0\0\0\0\0"), ("socks5h", asked, "\u{5}\0\0\u{3}\u{2}ab\0\0"),
            ("socks5h", asked, "\u{5}\0\0\u{4}" + String(repeating: "\0", count: 18)),
        ] as [(String, [ScriptedPeer.Step], String)])
    func `what the server says right behind the proxy's answer is the server's`(
        scheme: String, script: [ScriptedPeer.Step], answer: String
    ) async throws {
        // The client goes on to its keys (RFC 4253, section 7.1), which take far more than its version, only when it
        // has the server's whole version.
        let proxy = try ScriptedPeer(script + [.send(Array((answer + "SSH-2.0-double\r\n").utf8)), .receive(200)])
        defer { proxy.stop() }
        await #expect(throws: URLError.self) { try await connect(by: url(scheme, proxy)) }
        #expect(proxy.received.last?.count == 200)
        #expect(proxy.received.last?.starts(with: "SSH-2.0-".utf8) == true)
    }

    @Test func `a proxy shows its password in no description`() throws {
        let url = try #require(URL(string: "http://proxy.example:3128"))
        let proxy = SSHProxy(try ProxyServer(url: url), user: "jo", password: SSHSecret("s3cret"))
        var dumped = "\(proxy) \(String(reflecting: proxy))"
        dump(proxy, to: &dumped)
        #expect(!dumped.contains("s3cret") && dumped.contains("proxy.example"))
    }
}
