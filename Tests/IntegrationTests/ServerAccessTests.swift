import FileProviderCore
import Foundation
import Testing
import WebDAVFileProvider

/// Proxies and client certificates with real servers.
@Suite struct ServerAccessTests {
    /// A proxy of this run, and how it is used.
    struct Way: Sendable, CustomTestStringConvertible {
        var scheme: String
        var variable: String
        var tunnelsAll = false

        var address: String? { TestServers.environment[variable] }
        var testDescription: String { scheme + (tunnelsAll ? ", tunnel" : "") }
    }

    private static let ways = [
        Way(scheme: "http", variable: "CARREL_TEST_HTTP_PROXY"),
        Way(scheme: "http", variable: "CARREL_TEST_HTTP_PROXY", tunnelsAll: true),
        Way(scheme: "socks5", variable: "CARREL_TEST_SOCKS_PROXY"),
        Way(scheme: "socks5h", variable: "CARREL_TEST_SOCKS_PROXY"),
    ].filter { $0.address != nil }

    private static let login = Credential.password(
        user: TestServers.environment["CARREL_TEST_PROXY_USER"] ?? "",
        password: TestServers.environment["CARREL_TEST_PROXY_PASSWORD"] ?? ""
    )

    private func options(_ way: Way, _ login: Credential?, retries: Int = 0) throws -> ConnectionOptions {
        var options = TestServers.options(retries: retries)
        let url = try #require(URL(string: "\(way.scheme)://\(way.address ?? "")"))
        let server = try ProxyServer(url: url, exceptions: [], tunnelsAll: way.tunnelsAll)
        options.proxy = .server(server)
        options.credentials = CredentialChain([FixedCredential(login, for: server.origin), options.credentials])
        return options
    }

    @Test(
        .enabled(if: !ways.isEmpty && !TestServers.webDAV.isEmpty, "no proxy is up"), arguments: ways,
        TestServers.webDAV.prefix(3))
    func `a proxy passes on reads and writes`(_ way: Way, _ server: TestServers.WebDAV) async throws {
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        // The folder is made on a way of its own: tinyproxy ends connections without saying so, and what may be done is
        // not asked for twice.
        try await server.withFolder { _, folder in
            let provider = try server.provider(options(way, Self.login, retries: 1))
            let path = try folder.appending("by a proxy")
            try await provider.writeContents(path: path, contents: body)
            #expect(try await provider.contents(path: path) == body)
            #expect(try await provider.contentsOfDirectory(path: folder).map(\.name) == ["by a proxy"])
        }
    }

    @Test(.enabled(if: !ways.isEmpty && !TestServers.webDAV.isEmpty, "no proxy is up"), arguments: ways)
    func `a proxy that refuses the login is told from a server that does`(_ way: Way) async throws {
        let server = try #require(TestServers.named("Apache, TLS"))
        for login in [Credential.password(user: "passenger", password: "wr0ng"), nil] {
            let provider = try server.provider(options(way, login))
            let error = await #expect(throws: URLError.self) { try await provider.checkReachability() }
            #expect(error?.code == .userAuthenticationRequired)
            #expect(error?.sentence.hasPrefix("The proxy “") == true)
            #expect(error.map { "\($0 as NSError)".contains("wr0ng") } == false)
        }
    }

    // MARK: Client certificates

    private static let certificate = TestServers.environment["CARREL_TEST_CLIENT_CERT"]
    private static let key = TestServers.environment["CARREL_TEST_CLIENT_KEY"]
    private static let door = TestServers.environment["CARREL_TEST_APACHE_MTLS_URL"].flatMap { URL(string: $0) }

    private func open(_ certificate: String?, _ key: String?, password: String? = nil) async throws {
        var options = TestServers.options(nil, retries: 0)
        options.trust.clientCertificate = certificate
        options.trust.clientKey = key
        options.clientKeyPassword = password.map { .password(user: "", password: $0) }
        let configuration = WebDAVConfiguration(baseURL: try #require(Self.door))
        try await WebDAVFileProvider(configuration: configuration, options: options).checkReachability()
    }

    /// The client's key, encrypted with `password`, for the test to remove.
    private func encryptedKey(_ password: String) async throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "carrel-key-\(UInt64.random(in: 0 ... .max)).pem"
        ).path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "pkcs8", "-topk8", "-in", try #require(Self.key), "-out", file, "-v2", "aes256", "-passout",
            "pass:\(password)",
        ]
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do { try CommandRunner.begin(process) } catch { ended.resume(throwing: error) }
        }
        return file
    }

    @Test(.enabled(if: door != nil && key != nil, "the servers are not up; run bash Tests/run.sh"))
    func `a client certificate opens, its key encrypted or not`() async throws {
        try await open(Self.certificate, Self.key)
        await #expect(throws: URLError.self) { try await open(nil, nil) }
        let locked = try await encryptedKey("op€n sesame")
        defer { try? FileManager.default.removeItem(atPath: locked) }
        try await open(Self.certificate, locked, password: "op€n sesame")
        for password in ["wrong", "", nil] {
            let error = await #expect(throws: URLError.self) {
                try await open(Self.certificate, locked, password: password)
            }
            #expect(error?.code == .clientCertificateRejected)
            #expect(error?.sentence.hasSuffix("the key's password is wrong.") == true)
        }
    }

    @Test(.enabled(if: door != nil && key != nil, "the servers are not up; run bash Tests/run.sh"))
    func `certificate files that are missing or none are named`() async throws {
        let missing = await #expect(throws: URLError.self) { try await open("/no/such.pem", nil) }
        #expect(
            missing?.sentence
                == "The client certificate's file “/no/such.pem” cannot be read: No such file or directory.")
        let noKey = await #expect(throws: URLError.self) { try await open(Self.certificate, "/no/key.pem") }
        #expect(noKey?.sentence.contains("“/no/key.pem”") == true)
        let none = await #expect(throws: URLError.self) { try await open("/etc/hostname", Self.key) }
        #expect(none?.sentence.hasPrefix("The client certificate “/etc/hostname” cannot be used") == true)
        for error in [missing, noKey, none] { #expect(error?.code == .clientCertificateRejected) }
        var options = TestServers.options(nil, retries: 0)
        options.trust.authorities = "/no/ca.pem"
        let door = try #require(Self.door)
        let authorities = await #expect(throws: URLError.self) {
            try await WebDAVFileProvider(configuration: WebDAVConfiguration(baseURL: door), options: options)
                .checkReachability()
        }
        #expect(authorities?.code == .serverCertificateHasUnknownRoot)
        #expect(authorities?.sentence.contains("“/no/ca.pem”") == true)
    }
}
