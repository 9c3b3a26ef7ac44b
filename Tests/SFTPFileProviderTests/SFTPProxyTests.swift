import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@testable import SFTPFileProvider

/// Proxies on the way to a server, which has the beginning of what an SSH client says, and closes.
@Suite(.timeLimit(.minutes(1))) struct SFTPProxyTests {
    /// Secrets by origin; notes who was asked for and what was refused.
    private final class Source: CredentialSource {
        let asked = CollectedValues<Origin>()
        let refusals = CollectedValues<Origin>()
        private let proxyPasswords: LockedValue<[String]>

        init(_ proxyPasswords: [String]) { self.proxyPasswords = LockedValue(proxyPasswords) }

        func credential(for origin: Origin, user: String?) async throws -> Credential? {
            guard origin.isProxy else { return .password(user: "anna", password: SFTPFaults.secret) }
            asked.append(origin)
            return proxyPasswords.value.first.map { .password(user: "jo", password: $0) }
        }

        func refused(_ credential: Credential, for origin: Origin, user: String?) {
            refusals.append(origin)
            proxyPasswords.update { if !$0.isEmpty { $0.removeFirst() } }
        }
    }

    private func access(
        to address: String = "sftp://server.test/", by policy: ProxyPolicy, _ source: any CredentialSource,
        environment: [String: String] = [:]
    ) throws -> SFTPAccess {
        var configuration = SFTPConfiguration(baseURL: try #require(URL(string: address)))
        configuration.readsSSHConfig = false
        configuration.transport = .embedded
        let options = ConnectionOptions(
            credentials: source, trust: TrustPolicy(knownHosts: []), timeouts: Timeouts(connect: 20, idle: 20),
            retries: RetryPolicy(retries: 0), proxy: policy)
        return try SFTPAccess(
            configuration: configuration, password: nil, options: options,
            environment: environment.merging(["HOME": "/nowhere"]) { $1 })
    }

    private func given(_ proxy: ProxyDouble, _ scheme: String, user: String? = nil) throws -> ProxyPolicy {
        .server(try ProxyServer(url: proxy.url(scheme, login: user), exceptions: []))
    }

    private func failure(_ access: SFTPAccess) async throws -> URLError {
        let error = try await SFTPFaults.mustFail { _ = try await access.connect() }
        return try #require(error as? URLError, "\(error)")
    }

    private func server() throws -> ScriptedPeer { try ScriptedPeer([.receive(8)]) }

    @Test(arguments: ["http", "socks5h"])
    func `the environment's proxy gets the login of its variable, and is none for exceptions and this machine`(
        scheme: String
    ) async throws {
        let server = try server()
        defer { server.stop() }
        let proxy = try ProxyDouble(to: server.port, login: "jo:s3cret")
        defer { proxy.stop() }
        var environment = ["ALL_PROXY": proxy.url(scheme, login: "jo:s3cret").absoluteString]
        let source = Source([])
        #expect(
            try await failure(access(by: .environment, source, environment: environment)).code == .networkConnectionLost
        )
        #expect(proxy.visits.map(\.target) == ["server.test:22"] && proxy.visits.map(\.login) == ["jo:s3cret"])
        #expect(server.received == [Array("SSH-2.0-".utf8)])
        environment["NO_PROXY"] = "direct.invalid"
        let direct = try access(
            to: "sftp://direct.invalid/", by: .environment, source, environment: environment)
        #expect(try await failure(direct).code == .cannotFindHost)
        let local = try access(
            to: "sftp://127.0.0.1:\(server.port)/", by: .environment, source, environment: environment)
        #expect(try await failure(local).code == .networkConnectionLost)
        #expect(server.received.count == 2)
        let none = try access(to: "sftp://server.invalid/", by: .none, source, environment: environment)
        #expect(try await failure(none).code == .cannotFindHost)
        #expect(proxy.visits.count == 1 && source.asked.values.isEmpty)
    }

    @Test func `a login of the environment that the proxy refuses is an error without it`() async throws {
        let proxy = try ProxyDouble(to: 1, login: "jo:s3cret")
        defer { proxy.stop() }
        let source = Source(["s3cret"])
        let environment = ["sftp_proxy": proxy.url(login: "jo:wr0ng").absoluteString]
        let error = try await failure(access(by: .environment, source, environment: environment))
        #expect(error.code == .userAuthenticationRequired)
        #expect(error.sentence.hasPrefix("The proxy “http://127.0.0.1:\(proxy.port)” asks for a login"))
        for form in secretForms(of: "wr0ng", user: "jo") { #expect(!shownForms(of: error).contains(form)) }
        #expect(source.asked.values.isEmpty && source.refusals.values.isEmpty)
    }

    @Test(arguments: ["http", "socks5h"])
    func `the source is asked for the proxy when that wants a login, and not again`(scheme: String) async throws {
        let server = try server()
        defer { server.stop() }
        let proxy = try ProxyDouble(to: server.port, login: "jo:p w@:%")
        defer { proxy.stop() }
        let source = Source(["p w@:%"])
        let access = try access(by: given(proxy, scheme), source)
        for count in 1...2 {
            #expect(try await failure(access).code == .networkConnectionLost)
            #expect(server.received.count == count)
        }
        let origin = Origin(scheme: scheme, host: "127.0.0.1", port: proxy.port, isProxy: true)
        #expect(source.asked.values == [origin] && source.refusals.values.isEmpty)
        #expect(proxy.visits.compactMap(\.login) == ["jo:p w@:%", "jo:p w@:%"])
    }

    @Test(arguments: ["http", "socks5h"])
    func `a refused login is told to the source, whose next one is tried`(scheme: String) async throws {
        let server = try server()
        defer { server.stop() }
        let proxy = try ProxyDouble(to: server.port, login: "jo:s3cret")
        defer { proxy.stop() }
        let source = Source(["wr0ng", "s3cret"])
        #expect(try await failure(access(by: given(proxy, scheme, user: "jo"), source)).code == .networkConnectionLost)
        #expect(proxy.visits.map(\.login) == ["jo:wr0ng", "jo:s3cret"])
        #expect(source.refusals.values.map(\.isProxy) == [true])
    }

    @Test(arguments: ["http", "socks5h"])
    func `a proxy that refuses every login is named, and the server's password stays out of it`(scheme: String)
        async throws
    {
        let proxy = try ProxyDouble(to: 1, login: "jo:s3cret")
        defer { proxy.stop() }
        let source = Source(["wr0ng", "wr0nger", "s3cret"])
        let error = try await failure(access(by: given(proxy, scheme, user: "jo"), source))
        #expect(error.code == .userAuthenticationRequired)
        #expect(
            error.sentence
                == "The proxy “\(scheme)://127.0.0.1:\(proxy.port)” asks for a login, or refused the one it got.")
        #expect(!shownForms(of: error).contains("wr0ng"))
        #expect(source.refusals.values.map(\.isProxy) == [true, true])
        #expect(proxy.visits.map(\.login) == ["jo:wr0ng", "jo:wr0nger"])
    }

    @Test func `a variable that names no proxy ends the connection, unless none is wanted`() async throws {
        let environment = ["ALL_PROXY": "socks4://jo:s3cret@127.0.0.1"]
        let error = try await failure(access(by: .environment, Source([]), environment: environment))
        #expect(error.code == .badURL && error.sentence.contains("ALL_PROXY"))
        #expect(!shownForms(of: error).contains("s3cret"))
        let direct = try access(to: "sftp://127.0.0.1:1/", by: .none, Source([]), environment: environment)
        #expect(try await failure(direct).code == .cannotConnectToHost)
    }
}
