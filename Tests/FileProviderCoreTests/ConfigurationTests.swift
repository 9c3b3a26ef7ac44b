import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@Suite struct ConfigurationTests {
    private func decode(_ text: String) throws -> ProviderConfiguration {
        try JSONDecoder().decode(ProviderConfiguration.self, from: Data(text.utf8))
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func `a configuration survives its coded form`() throws {
        var full = try ProviderConfiguration(url: url("davs://nas.example:8443/b%20c/%FF/"), user: "ann@b:c")
        full.trust = TrustPolicy(
            authorities: "ca.pem", clientCertificate: "c.pem", clientKey: "k.pem", isInsecure: true)
        full.timeouts = Timeouts(connect: 1.5, idle: 7, whole: 3600)
        full.retries = RetryPolicy(retries: 9, firstPause: 0.5, longestPause: 5)
        full.connectionsPerHost = 3
        full.maxRangesAtOnce = 2
        full.bandwidth = 1 << 40
        full.cache = CachePolicy(lifetime: 2.5, maxItems: 100)
        full.allowsClearPassword = true
        full.settings = ["endpoint": "x"]
        let plain = try ProviderConfiguration(url: url("file:///srv/"))
        for configuration in [full, plain] {
            let data = try JSONEncoder().encode(configuration)
            #expect(try JSONDecoder().decode(ProviderConfiguration.self, from: data) == configuration)
        }
        let coder = JSONEncoder()
        coder.outputFormatting = .withoutEscapingSlashes
        #expect(
            String(decoding: try coder.encode(plain), as: UTF8.self) == #"{"url":"file:///srv/"}"#,
            "what is usual is not written")
    }

    @Test func `the document of earlier versions is read`() throws {
        let found = try decode(
            #"{"url": "davs://me@h/b/", "cacert": "a", "clientCert": "b", "clientKey": "c", "insecure": true, "allowClearPassword": true}"#
        )
        var expected = try ProviderConfiguration(url: url("davs://h/b/"), user: "me")
        expected.trust = TrustPolicy(authorities: "a", clientCertificate: "b", clientKey: "c", isInsecure: true)
        expected.allowsClearPassword = true
        #expect(found == expected)
        #expect(try decode(#"{"url": "/srv/a b%"}"#).url.absoluteString == "file:///srv/a%20b%25")
    }

    @Test(arguments: [
        (#"{"url": "dav://u:SECRET@h/"}"#, "password"), (#"{"url": "dav://u:SECRET@h/%"}"#, "not a URL"),
        (#"{"url": "dav://h/?k=SECRET"}"#, "query"),
        (#"{"url": "dav://h/#SECRET"}"#, "fragment"), (#"{"url": "srv/books"}"#, "scheme"),
        (#"{"url": "dav://u@h/", "user": "v"}"#, "user"),
        (#"{"url": "dav://h/", "password": "SECRET"}"#, "“password”"),
        (#"{"url": "dav://h/", "retries": -1}"#, "“retries”"),
        (#"{"url": "dav://h/", "timeout": 0}"#, "“timeout”"),
        (#"{"url": "dav://h/", "connectionsPerHost": 0}"#, "“connectionsPerHost”"),
        (#"{"url": "dav://h/", "maxRangesAtOnce": 0}"#, "“maxRangesAtOnce”"),
        (#"{"url": "dav://h/", "bandwidth": 0}"#, "“bandwidth”"),
        (#"{"url": "dav://h/", "insecure": "SECRET"}"#, "Bool"), ("{}", "url"),
    ])
    func `a document that is wrong is refused with a sentence, and repeats no secret`(_ text: String, _ part: String)
        throws
    {
        #expect { try decode(text) } throws: { "\($0)".contains(part) && !"\($0)".contains("SECRET") }
    }

    @Test func `a URL with a secret makes no configuration`() throws {
        for text in ["dav://u:SECRET@h/", "dav://h/?token=SECRET", "dav://h/#SECRET", "/relative"] {
            #expect { try ProviderConfiguration(url: url(text)) } throws: {
                ($0 as? URLError)?.code == .badURL && !"\($0) \($0.sentence)".contains("SECRET")
            }
        }
        let own = try ProviderConfiguration(url: url("dav://ann@h:1/b%2Fc/"))
        #expect(own.user == "ann" && own.url.absoluteString == "dav://h:1/b%2Fc/")
        #expect(own.urlWithUser.absoluteString == "dav://ann@h:1/b%2Fc/")
    }

    @Test func `a user with signs of URLs in the name stays whole`() throws {
        var own = try ProviderConfiguration(url: url("dav://h/"))
        own.user = "a:b@c/d%e"
        #expect(own.urlWithUser.user(percentEncoded: false) == "a:b@c/d%e")
        #expect(own.urlWithUser.password() == nil && own.urlWithUser.host() == "h")
    }
}

@Suite struct NamedConnectionsTests {
    private func registry() throws -> ProviderRegistry {
        let registry = ProviderRegistry()
        try registry.register(
            ProviderRegistration(type: "Stub", schemes: ["stub"]) { url, _ in
                ProviderLocation(
                    provider: StubProvider(), path: try ProviderPath(percentEncoded: url.path(percentEncoded: true)))
            })
        return registry
    }

    private func load(_ text: String) async throws -> NamedConnections {
        let folder = try TemporaryFolder()
        try Data(text.utf8).write(to: folder.url.appending(path: "c.json"))
        return try await .load(from: folder.url.appending(path: "c.json").path, registry: registry())
    }

    @Test func `NAME and path lead to an item of a provider whose URLs have no host`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "c.json").path
        let known = try registry()
        try known.register(
            ProviderRegistration(type: "Git", schemes: ["git"], needsHost: false) { url, _ in
                ProviderLocation(
                    provider: StubProvider(), path: try ProviderPath(percentEncoded: url.path(percentEncoded: true)))
            })
        let configuration = try ProviderConfiguration(url: #require(URL(string: "git:///srv/books.git")))
        try await NamedConnections.add(configuration, as: "books", to: file, registry: known)
        let item = try await NamedConnections.load(from: file, registry: known).configuration(of: "books:a b")
        #expect(item.url.absoluteString == "git:///srv/books.git/a%20b")
        #expect(try await known.location(of: item).path.string == "/srv/books.git/a b")
    }

    @Test func `NAME and path lead to an item below the connection's folder`() async throws {
        let all = try await load(
            #"{"connections": {"nas": {"url": "stub://ann@h/base", "retries": 7}}, "theme": "dark"}"#)
        for location in ["nas:a b%.txt", "nas:/a b%.txt"] {
            let item = try all.configuration(of: location)
            #expect(item.url.absoluteString == "stub://h/base/a%20b%25.txt")
            #expect(item.user == "ann" && item.retries.retries == 7)
            #expect(try await registry().location(of: item).path.string == "/base/a b%.txt")
        }
        #expect(try all.configuration(of: "nas:").url.absoluteString == "stub://h/base/")
    }

    @Test func `what names nothing is refused with a sentence`() async throws {
        let all = try await load(#"{"connections": {"nas": {"url": "stub://h/"}, "attic": {"url": "stub://i/"}}}"#)
        #expect { try all.configuration(of: "nos:a") } throws: { $0.isNoSuchFile && $0.sentence.contains("attic, nas") }
        #expect(throws: CocoaError.self) { try all.configuration(of: "nas:../a") }
    }

    @Test(arguments: [
        ("{", "is not what it should be"), ("{}", "is not what it should be"), ("[]", "is not what it should be"),
        (#"{"connections": {"nas": {"url": "stub://h/", "pasword": "SECRET"}}}"#, "connections.nas: “pasword”"),
        (#"{"connections": {"nas": {"url": "stub://u:SECRET@h/"}}}"#, "password"),
        (#"{"connections": {"STUB": {"url": "stub://h/"}}}"#, "is a scheme"),
        (#"{"connections": {"n s": {"url": "stub://h/"}}}"#, "cannot name"),
        (#"{"connections": {"": {"url": "stub://h/"}}}"#, "cannot name"),
    ])
    func `a file that is wrong is refused with a sentence`(_ text: String, _ part: String) async throws {
        await #expect { try await load(text) } throws: {
            ($0 as? CocoaError)?.code == .fileReadCorruptFile && $0.sentence.contains(part)
                && !"\($0)".contains("SECRET")
        }
    }

    @Test func `a file that is missing, too large or a folder is refused`() async throws {
        await #expect { try await NamedConnections.load(from: "/no/such/file") } throws: { $0.isNoSuchFile }
        await #expect { try await NamedConnections.load(from: "/tmp") } throws: {
            ($0 as? CocoaError)?.code == .fileReadUnknown
        }
        await #expect { try await NamedConnections.load(from: "/dev/zero") } throws: {
            ($0 as? CocoaError)?.code == .fileReadTooLarge
        }
    }

    @Test func `relative certificate files count from the file's folder`() async throws {
        let all = try await load(
            #"{"connections": {"nas": {"url": "stub://h/", "cacert": "ca.pem", "clientKey": "/k.pem"}}}"#)
        let trust = try #require(all.connections["nas"]).trust
        #expect(trust.authorities?.hasPrefix("/") == true && trust.authorities?.hasSuffix("/ca.pem") == true)
        #expect(trust.clientKey == "/k.pem" && trust.clientCertificate == nil)
    }

    @Test func `the coded form is the file's`() async throws {
        let all = try await load(#"{"connections": {"nas": {"url": "stub://h/"}}}"#)
        let coder = JSONEncoder()
        coder.outputFormatting = .withoutEscapingSlashes
        #expect(
            String(decoding: try coder.encode(all), as: UTF8.self) == #"{"connections":{"nas":{"url":"stub://h/"}}}"#)
    }
}
