import FileProviderCore
import Foundation
import Testing

/// Which proxy a provider with connections of its own goes by.
@Suite struct ProxyChoiceTests {
    private func choice(
        _ environment: [String: String], policy: ProxyPolicy = .environment, host: String = "nas.example"
    ) throws -> ProxyChoice? {
        try policy.proxy(scheme: "sftp", host: host, environment: environment)
    }

    private func given(_ exceptions: [String]? = nil) throws -> ProxyPolicy {
        .server(try ProxyServer(url: #require(URL(string: "socks5h://given.example")), exceptions: exceptions))
    }

    @Test(
        arguments: [
            ([:], nil), (["http_proxy": "http://p.example"], nil), (["ALL_PROXY": ""], nil),
            (["ALL_PROXY": "socks5://p.example:1"], "socks5://p.example:1"),
            (["ALL_PROXY": "socks5://a.example:1", "all_proxy": "http://b.example:2"], "http://b.example:2"),
            (["all_proxy": "http://b.example:2", "SFTP_PROXY": "http://c.example:3"], "http://c.example:3"),
            (["sftp_proxy": "", "all_proxy": "http://b.example:2"], "http://b.example:2"),
            (["all_proxy": "p.example"], "http://p.example:1080"),
            (["all_proxy": "p.example:3128/"], "http://p.example:3128"),
            (["all_proxy": "HTTPS://p.example"], "https://p.example"),
            (["all_proxy": "socks5h://[::1]:9"], "socks5h://[::1]:9"),
        ] as [([String: String], String?)])
    func `the environment names a proxy as it does for libcurl`(environment: [String: String], url: String?) throws {
        let choice = try choice(environment)
        #expect(choice?.server.url.absoluteString == url)
        #expect(choice?.isFromEnvironment == url.map { _ in true })
    }

    @Test func `the login of a variable is kept apart, and shown nowhere`() throws {
        let choice = try #require(try self.choice(["all_proxy": "http://jo:s3cr%40et@p.example:3128"]))
        #expect(choice.server.user == "jo" && choice.environmentPassword == "s3cr@et")
        #expect(choice.server.url.absoluteString == "http://p.example:3128")
        var dumped = "\(choice)"
        dump(choice, to: &dumped)
        #expect(!dumped.contains("s3cr"))
    }

    @Test(arguments: [
        "socks4://jo:s3cret@p.example", "ftp://p.example", "http://jo:s3cret@", "http://p example:s3cret",
    ])
    func `a variable that names no proxy is an error that does not repeat it`(text: String) throws {
        let error = #expect(throws: URLError.self) { try choice(["ALL_PROXY": text]) }
        #expect(error?.code == .badURL)
        #expect(error.map { $0.sentence.contains("ALL_PROXY") && !"\($0 as NSError)".contains("s3cret") } == true)
        #expect(try choice(["ALL_PROXY": text], policy: .none) == nil)
        #expect(try choice(["ALL_PROXY": text], host: "127.0.0.1") == nil)
    }

    @Test func `the options go before the environment, which has the exceptions where they name none`() throws {
        let environment = ["ALL_PROXY": "http://p.example:1", "NO_PROXY": "nas.example"]
        #expect(try choice(environment) == nil)
        #expect(try choice(environment, policy: .none) == nil)
        #expect(try choice(environment, policy: given()) == nil)
        for exceptions in [[], ["other.example"]] {
            let choice = try #require(try self.choice(environment, policy: given(exceptions)))
            #expect(choice.server.url.host() == "given.example" && !choice.isFromEnvironment)
        }
        #expect(try choice([:], policy: given(["nas.example"])) == nil)
        // Somebody who names a proxy for this machine itself means it.
        #expect(try choice([:], policy: given(), host: "127.0.0.1") != nil)
    }

    @Test(arguments: [
        ("*", "nas.example", true), ("nas.example", "NAS.Example", true), ("nas.example", "nas.example.", true),
        ("example", "nas.example", true), (".example", "nas.example", true), (".example", "example", true),
        ("example", "nas-example", false), ("as.example", "nas.example", false), ("nas.example", "example", false),
        ("a.example, nas.example", "nas.example", true), ("a.example nas.example", "nas.example", true),
        ("", "nas.example", false), (",", "nas.example", false), (".", "nas.example", false),
        ("*.example", "nas.example", false), ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.70", false),
        ("192.0.2.0/24", "192.0.2.7", true), ("192.0.2.0/30", "192.0.2.7", false), ("192.0.2.4/30", "192.0.2.7", true),
        ("0.0.0.0/0", "192.0.2.7", true), ("192.0.2.0/33", "192.0.2.7", false), ("192.0.2.0/x", "192.0.2.7", false),
        ("2", "192.0.2.2", false), ("2001:db8::/32", "2001:db8::7", true), ("2001:db8::/32", "192.0.2.7", false),
        ("[2001:db8::7]", "2001:db8:0::7", true), ("2001:db8::8/127", "2001:db8::7", false),
    ])
    func `exceptions are names, domains, addresses and networks`(text: String, host: String, isException: Bool) throws {
        let environment = ["ALL_PROXY": "http://p.example:1", "NO_PROXY": text]
        #expect((try choice(environment, host: host) == nil) == isException)
        let exceptions = text.split(separator: ",").map(String.init)
        #expect((try choice([:], policy: given(exceptions), host: host) == nil) == isException)
    }
}
