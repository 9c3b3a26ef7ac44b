import FileProviderCore
import Foundation
import Testing

@Suite struct ProxyPolicyTests {
    private func configuration(_ keys: String) throws -> ProviderConfiguration {
        try JSONDecoder().decode(
            ProviderConfiguration.self, from: Data("{\"url\": \"davs://nas.example/\"\(keys)}".utf8))
    }

    @Test(arguments: [
        "", #", "proxy": "none""#, #", "proxy": "http://p.example:3128""#,
        #", "proxy": "socks5h://a%3Ab@p.example", "noProxy": []"#,
        #", "proxy": "https://p.example", "noProxy": ["localhost", ".example"], "proxyTunnel": true"#,
    ])
    func `a proxy survives its coded form`(keys: String) throws {
        let first = try configuration(keys)
        let second = try JSONDecoder().decode(ProviderConfiguration.self, from: JSONEncoder().encode(first))
        #expect(first == second)
        #expect(ConnectionOptions(second).proxy == first.proxy)
        #expect((first.proxy == .environment) == keys.isEmpty)
    }

    @Test(arguments: [
        #", "proxy": "http://u:s3cret@p.example""#, #", "proxy": "ftp://p.example""#,
        #", "proxy": "http://p.example/s3cret""#,
        #", "proxy": "p.example""#, #", "noProxy": ["a"]"#, #", "proxy": "none", "proxyTunnel": true"#,
        #", "proxy": "http://p.example?s3cret""#,
    ])
    func `what is no proxy, or holds a password, is refused without repeating it`(keys: String) {
        let error = #expect(throws: DecodingError.self) { try configuration(keys) }
        #expect(error.map { "\($0)".contains("s3cret") } == false)
    }

    @Test func `a password in the URL of the options goes to that proxy alone and is shown nowhere`() async throws {
        var options = ConnectionOptions(credentials: FixedCredential(.password(user: "ann", password: "home")))
        try options.useProxy(at: try #require(URL(string: "http://jo:s3cr%40et@p.example:3128")))
        guard case .server(let server) = options.proxy else { throw CocoaError(.coderInvalidValue) }
        #expect(server.url.absoluteString == "http://p.example:3128" && server.user == "jo")
        let proxy = try await options.credentials.credential(for: server.origin, user: server.user)
        #expect(proxy == .password(user: "jo", password: "s3cr@et"))
        let home = try await options.credentials.credential(
            for: Origin(scheme: "http", host: "p.example", port: 3128), user: nil)
        #expect(home == .password(user: "ann", password: "home"))
        var text = ""
        dump(options, to: &text)
        #expect(!text.contains("s3cr"))
    }

    @Test func `a secret without an origin waits for a server`() async throws {
        let proxy = Origin(scheme: "http", host: "p.example", port: 3128, isProxy: true)
        let home = Origin(scheme: "https", host: "nas.example", port: 443)
        let source = FixedCredential(.password(user: "ann", password: "pw"))
        #expect(try await source.credential(for: proxy, user: nil) == nil)
        #expect(try await source.credential(for: home, user: nil) != nil)
        #expect(try await source.credential(for: proxy, user: nil) == nil)
    }

    @Test func `tokens are for one origin, and a chain passes on the question for another`() async throws {
        let home = Origin(scheme: "https", host: "nas.example", port: 443)
        let calls = CollectedValues<Origin>()
        let source = RefreshingToken { origin in
            calls.append(origin)
            return .bearer("t\(calls.values.count)")
        }
        let chain = CredentialChain([FixedCredential(nil), source], user: "ann")
        #expect(try await chain.credential(for: home, user: nil) == .bearer("t1"))
        #expect(
            try await chain.credential(for: Origin(scheme: "https", host: "other.example", port: 443), user: nil) == nil
        )
        #expect(try await chain.replacement(for: .bearer("t1"), origin: home, user: nil) == .bearer("t2"))
        #expect(try await chain.replacement(for: .bearer("t1"), origin: home, user: nil) == .bearer("t2"))
        #expect(calls.values == [home, home])
    }
}
