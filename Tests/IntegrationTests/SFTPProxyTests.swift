import FileProviderCore
import Foundation
import ProviderDoubles
import SFTPFileProvider
import Testing

extension TestServers {
    /// A proxy of this run by which any port is reached, and how it is talked to.
    struct Tunnel: Sendable, CustomTestStringConvertible {
        var scheme: String
        var address: String

        var testDescription: String { scheme }
    }

    static let tunnels = [
        ("http", "CARREL_TEST_HTTP_PROXY"), ("socks5", "CARREL_TEST_SOCKS_PROXY"),
        ("socks5h", "CARREL_TEST_SOCKS_PROXY"),
    ].compactMap { scheme, variable in environment[variable].map { Tunnel(scheme: scheme, address: $0) } }
}

/// SFTP through the real proxies of this run, which want a login, to real servers.
@Suite(
    .enabled(
        if: !TestServers.tunnels.isEmpty && !TestServers.sftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct SFTPProxyTests {
    private static let user = TestServers.environment["CARREL_TEST_PROXY_USER"] ?? ""
    private static let password = TestServers.environment["CARREL_TEST_PROXY_PASSWORD"] ?? ""

    private func options(_ way: TestServers.Tunnel, _ password: String?) throws -> ConnectionOptions {
        var options = TestServers.sftpOptions(retries: 0)
        let url = try #require(URL(string: "\(way.scheme)://\(way.address)"))
        let proxy = try ProxyServer(url: url, exceptions: [])
        options.proxy = .server(proxy)
        let own = FixedCredential(
            password.map { .password(user: Self.user, password: $0) }, for: proxy.origin)
        options.credentials = CredentialChain([own, options.credentials])
        return options
    }

    @Test(arguments: TestServers.tunnels, TestServers.sftp)
    func `a proxy passes on reads and writes`(_ way: TestServers.Tunnel, _ server: TestServers.SFTP) async throws {
        // Larger than what goes by one channel.
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await server.withFolder(options(way, Self.password)) { provider, folder in
            let path = try folder.appending("by a proxy")
            try await provider.writeContents(path: path, contents: body)
            #expect(try await provider.contents(path: path) == body)
            #expect(try await provider.contentsOfDirectory(path: folder).map(\.name) == ["by a proxy"])
        }
    }

    @Test(arguments: TestServers.tunnels, ["wr0ng", nil] as [String?])
    func `a proxy that refuses the login is told from a server that does`(
        _ way: TestServers.Tunnel, _ password: String?
    )
        async throws
    {
        let provider = try TestServers.sftp("OpenSSH").provider(options(way, password))
        let error = await #expect(throws: URLError.self) { try await provider.checkReachability() }
        #expect(error?.code == .userAuthenticationRequired)
        #expect(error?.sentence.hasPrefix("The proxy “\(way.scheme)://\(way.address)” ") == true)
        let forms = secretForms(of: "wr0ng", user: Self.user)
        #expect(error.map { error in forms.contains { shownForms(of: error).contains($0) } } == false)
    }

    @Test(arguments: TestServers.tunnels)
    func `a server that a proxy does not reach is the proxy's refusal`(_ way: TestServers.Tunnel) async throws {
        var server = try TestServers.sftp("OpenSSH")
        server = try server.through(1)
        let provider = try server.provider(options(way, Self.password))
        let error = await #expect(throws: URLError.self) { try await provider.checkReachability() }
        #expect(error?.code == .cannotConnectToHost)
        #expect(error?.sentence.contains(" does not connect to “127.0.0.1” (") == true, "\(error?.sentence ?? "")")
    }

    @Test(arguments: TestServers.tunnels)
    func `the command goes by a proxy that it is given, and prints no password`(_ way: TestServers.Tunnel) async throws
    {
        let server = try TestServers.sftp("OpenSSH")
        try await server.withFolder { provider, folder in
            let path = try folder.appending("a")
            try await provider.writeContents(path: path, contents: Data("12345".utf8))
            let user = try #require(TestServers.environment["CARREL_TEST_USER"])
            let secret = try #require(TestServers.environment["CARREL_TEST_PASSWORD"])
            let encoded = try #require(secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            try await CommandRunner.use { runner in
                try runner.makeFolder(".ssh")
                try runner.write(".ssh/known_hosts", try Data(contentsOf: URL(filePath: TestServers.knownHosts)))
                var parts = try #require(URLComponents(url: server.url, resolvingAgainstBaseURL: false))
                (parts.user, parts.percentEncodedPassword) = (user, encoded)
                let root = try #require(parts.string)
                let location = (root.hasSuffix("/") ? root : root + "/") + path.percentEncoded
                for (password, code) in [(Self.password, 0), ("wr0ng", 4)] as [(String, Int32)] {
                    let proxy = "\(way.scheme)://\(Self.user):\(password)@\(way.address)"
                    let outcome = try await runner.run([
                        "cat", "--verbose", "--retries", "0", "--proxy", proxy, location,
                    ])
                    #expect(outcome.code == code, "\(outcome.error)")
                    #expect((outcome.text == "12345") == (code == 0))
                    for form in secretForms(of: password, user: Self.user) + secretForms(of: secret, user: user) {
                        #expect(!outcome.error.contains(form))
                    }
                }
            }
        }
    }
}
