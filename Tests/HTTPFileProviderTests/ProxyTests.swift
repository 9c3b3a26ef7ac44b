import CurlTransport
import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing

@Suite struct ProxyTests {
    private let hello = Data("hello".utf8)

    private func server() throws -> FaultServer {
        let hello = hello
        return try FaultServer { _ in .reply(200, body: hello) }
    }

    private func options(_ url: URL, exceptions: [String]? = [], tunnelsAll: Bool = false) throws -> ConnectionOptions {
        var options = ConnectionOptions(timeouts: Timeouts(connect: 10, idle: 10), retries: RetryPolicy(retries: 0))
        try options.useProxy(at: url, exceptions: exceptions, tunnelsAll: tunnelsAll)
        return options
    }

    private func provider(_ options: ConnectionOptions, _ home: String = "http://server.test/") throws
        -> WebFileProvider
    {
        try WebFileProvider(configuration: HTTPConfiguration(baseURL: #require(URL(string: home))), options: options)
    }

    private func read(_ provider: WebFileProvider) async throws -> Data {
        try await provider.contents(path: ProviderPath("f"))
    }

    @Test(arguments: [
        ("http", false, "GET", "http://server.test/f"), ("http", true, "CONNECT", "server.test:80"),
        ("socks5h", false, "SOCKS5", "server.test:80"),
    ])
    func `requests go by the proxy, and its own words are not the answer's`(
        scheme: String, tunnelsAll: Bool, method: String, target: String
    ) async throws {
        let server = try server()
        defer { server.stop() }
        let proxy = try ProxyDouble(to: server.port)
        defer { proxy.stop() }
        let provider = try provider(options(proxy.url(scheme), tunnelsAll: tunnelsAll))
        let reader = try await provider.open(path: ProviderPath("f"))
        #expect(try await reader.read(.whole).data == hello)
        let attributes = try await reader.attributes()
        #expect(attributes.validator == nil && attributes.mimeType == nil)
        #expect(proxy.visits.map(\.method) == [method] && proxy.visits.map(\.target) == [target])
    }

    @Test func `a name that this machine cannot find is found by socks5h alone`() async throws {
        let server = try server()
        defer { server.stop() }
        let proxy = try ProxyDouble(to: server.port)
        defer { proxy.stop() }
        #expect(try await read(provider(options(proxy.url("socks5h")), "http://nowhere.invalid/")) == hello)
        let error = await #expect(throws: URLError.self) {
            try await read(provider(options(proxy.url("socks5")), "http://nowhere.invalid/"))
        }
        #expect([.cannotFindHost, .cannotConnectToHost].contains(error?.code))
        #expect(try await read(provider(options(proxy.url("socks5")), "http://127.0.0.1:7/")) == hello)
        #expect(proxy.visits.map(\.target) == ["nowhere.invalid:80", "127.0.0.1:7"])
    }

    @Test(arguments: [("http", false), ("http", true), ("socks5h", false)])
    func `the proxy's password comes from its own origin's source, and the server gets none of it`(
        scheme: String, tunnelsAll: Bool
    )
        async throws
    {
        let server = try server()
        defer { server.stop() }
        let proxy = try ProxyDouble(to: server.port, login: "jo:p w@:%")
        defer { proxy.stop() }
        var options = try options(proxy.url(scheme), tunnelsAll: tunnelsAll)
        let asked = CollectedValues<Origin>()
        options.credentials = AskedCredentials { origin, _ in
            asked.append(origin)
            return origin.isProxy ? .password(user: "jo", password: "p w@:%") : nil
        }
        for _ in 0..<2 { #expect(try await read(provider(options)) == hello) }
        #expect(
            asked.values.filter(\.isProxy) == [
                Origin(scheme: scheme, host: "127.0.0.1", port: proxy.port, isProxy: true)
            ])
        #expect(proxy.visits.contains { $0.login == "jo:p w@:%" })
        #expect(server.requests.allSatisfy { !$0.headers.keys.contains { $0.hasPrefix("proxy-") } })
    }

    @Test func `a password in the proxy's URL is used and not shown`() async throws {
        let server = try server()
        defer { server.stop() }
        let proxy = try ProxyDouble(to: server.port, login: "jo:s3cret")
        defer { proxy.stop() }
        let options = try options(proxy.url(login: "jo:s3cret"))
        #expect(try await read(provider(options)) == hello)
        let wrong = try self.options(proxy.url(login: "jo:wr0ng"))
        let error = await #expect(throws: URLError.self) { try await read(provider(wrong)) }
        #expect(error?.code == .userAuthenticationRequired)
        #expect(
            error?.sentence == "The proxy “http://127.0.0.1:\(proxy.port)” asks for a login, or refused the one it got."
        )
        for text in ["\(options)", "\(wrong)", error.map { "\($0 as NSError)" } ?? ""] {
            #expect(!text.contains("s3cret") && !text.contains("wr0ng"))
        }
    }

    @Test func `a secret for whoever asks first is for no proxy`() async throws {
        let server = try server()
        defer { server.stop() }
        let proxy = try ProxyDouble(to: server.port, login: "ann:pw")
        defer { proxy.stop() }
        for url in [proxy.url(), proxy.url(login: "ann")] {
            var options = try options(url)
            options.credentials = FixedCredential(.password(user: "ann", password: "pw"))
            await #expect(throws: URLError.self) { try await read(provider(options)) }
        }
        #expect(proxy.visits.allSatisfy { $0.login == nil })
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [("http", false), ("http", true), ("socks5h", false)])
    func `a proxy that asks for a login nobody has is said to do so`(scheme: String, tunnelsAll: Bool) async throws {
        let proxy = try ProxyDouble(to: 1, login: "ann:pw")
        defer { proxy.stop() }
        let error = await #expect(throws: URLError.self) {
            try await read(provider(options(proxy.url(scheme), tunnelsAll: tunnelsAll)))
        }
        #expect(error?.code == .userAuthenticationRequired)
        #expect(error?.sentence.hasPrefix("The proxy “\(scheme)://127.0.0.1:\(proxy.port)” asks for a login") == true)
    }

    @Test(arguments: [("http", true, " (403)"), ("socks5h", false, "")])
    func `a proxy that refuses is named, and the refusal is not the server's`(
        scheme: String, tunnelsAll: Bool, status: String
    ) async throws {
        let proxy = try ProxyDouble(to: 1, refusal: 403)
        defer { proxy.stop() }
        let error = await #expect(throws: URLError.self) {
            try await read(provider(options(proxy.url(scheme), tunnelsAll: tunnelsAll)))
        }
        #expect(error?.code == .cannotConnectToHost)
        #expect(
            error?.sentence
                == "The proxy “\(scheme)://127.0.0.1:\(proxy.port)” does not connect to “server.test”\(status).")
    }

    @Test(arguments: ["http", "https", "socks5h"])
    func `a proxy that is not there is named`(scheme: String) async throws {
        let proxy = try ProxyDouble(to: 1)
        let url = proxy.url(scheme)
        proxy.stop()
        let error = await #expect(throws: URLError.self) { try await read(provider(options(url))) }
        #expect(error?.code == .cannotConnectToHost)
        #expect(error?.sentence == "The proxy “\(url.absoluteString)” does not accept a connection.")
        let lost = try #require(URL(string: "http://proxy.invalid:3128"))
        let unknown = await #expect(throws: URLError.self) { try await read(provider(options(lost))) }
        #expect(unknown?.code == .cannotFindHost)
        #expect(unknown?.sentence == "The proxy “http://proxy.invalid:3128” cannot be found.")
    }

    @Test func `exceptions are reached without the proxy`() async throws {
        let server = try server()
        defer { server.stop() }
        let proxy = try ProxyDouble(to: server.port)
        defer { proxy.stop() }
        let home = server.url().absoluteString
        #expect(
            try await read(provider(options(proxy.url(), exceptions: ["elsewhere.test", "127.0.0.1"]), home)) == hello)
        #expect(proxy.visits.isEmpty)
        #expect(try await read(provider(options(proxy.url(), exceptions: ["elsewhere.test"]), home)) == hello)
        #expect(proxy.visits.count == 1)
    }

    /// In a process of its own: an environment is everybody's.
    @Test func `the environment names a proxy, exceptions, and none for this machine`() async {
        await #expect(processExitsWith: .success) {
            let server = try FaultServer { _ in .reply(200, body: Data("hello".utf8)) }
            let proxy = try ProxyDouble(to: server.port, login: "jo:s3cret")
            setenv("http_proxy", proxy.url(login: "jo:s3cret").absoluteString, 1)
            setenv("NO_PROXY", "direct.invalid", 1)
            func read(_ home: String, _ policy: ProxyPolicy = .environment) async throws -> Data {
                let options = ConnectionOptions(retries: RetryPolicy(retries: 0), proxy: policy)
                let configuration = HTTPConfiguration(baseURL: try #require(URL(string: home)))
                return try await WebFileProvider(configuration: configuration, options: options).contents(
                    path: ProviderPath("f"))
            }
            #expect(try await read("http://server.test/") == Data("hello".utf8))
            #expect(proxy.visits.last?.login == "jo:s3cret")
            let count = proxy.visits.count
            #expect(try await read(server.url().absoluteString) == Data("hello".utf8))
            for (home, policy) in [
                ("http://direct.invalid/", ProxyPolicy.environment), ("http://server.invalid/", .none),
            ] {
                let error = await #expect(throws: URLError.self) { try await read(home, policy) }
                #expect(error?.code == .cannotFindHost)
            }
            #expect(proxy.visits.count == count)
        }
    }
}
