import FileProviderCore
import Foundation
import Testing
import WebDAVFileProvider

/// The real servers of this run, as `Tests/Servers/servers.sh env` names them.
enum TestServers {
    static let environment = ProcessInfo.processInfo.environment

    /// Whether a server that is missing fails the run instead of skipping its tests.
    static let areRequired = environment["CARREL_REQUIRE_SERVERS"] == "1"

    /// A WebDAV server in one of its configurations.
    struct WebDAV: Sendable, CustomTestStringConvertible, ServerDisk {
        var name: String
        var url: URL
        /// The folder on this machine that the server shows.
        var data: URL

        var testDescription: String { name }
    }

    private static let locations: [(name: String, url: String, data: String)] = [
        ("Apache, Basic", "CARREL_TEST_APACHE_URL", "CARREL_TEST_APACHE_DATA"),
        ("Apache, Digest", "CARREL_TEST_APACHE_DIGEST_URL", "CARREL_TEST_APACHE_DATA"),
        ("Apache, TLS", "CARREL_TEST_APACHE_TLS_URL", "CARREL_TEST_APACHE_DATA"),
        ("nginx, Basic", "CARREL_TEST_NGINX_URL", "CARREL_TEST_NGINX_DATA"),
        ("nginx, HTTP/2", "CARREL_TEST_NGINX_TLS_URL", "CARREL_TEST_NGINX_DATA"),
        ("rclone", "CARREL_TEST_RCLONE_URL", "CARREL_TEST_RCLONE_DATA"),
        ("lighttpd, Basic", "CARREL_TEST_LIGHTTPD_URL", "CARREL_TEST_LIGHTTPD_DATA"),
        ("lighttpd, Digest", "CARREL_TEST_LIGHTTPD_DIGEST_URL", "CARREL_TEST_LIGHTTPD_DATA"),
        ("WsgiDAV", "CARREL_TEST_WSGIDAV_URL", "CARREL_TEST_WSGIDAV_DATA"),
    ]

    static let webDAV: [WebDAV] = locations.compactMap { location in
        guard let url = environment[location.url].flatMap({ URL(string: $0) }), let data = environment[location.data]
        else {
            return nil
        }
        return WebDAV(name: location.name, url: url, data: URL(fileURLWithPath: data))
    }

    static let missing: [String] = locations.map(\.name).filter { name in !webDAV.contains { $0.name == name } }

    static func named(_ name: String) -> WebDAV? { webDAV.first { $0.name == name } }

    static let credential = Credential.password(
        user: environment["CARREL_TEST_USER"] ?? "", password: environment["CARREL_TEST_PASSWORD"] ?? "")

    /// Options that log in, trust the servers' authority, and do not wait long.
    static func options(_ credential: Credential? = credential, retries: Int = 1) -> ConnectionOptions {
        ConnectionOptions(
            credentials: FixedCredential(credential), trust: TrustPolicy(authorities: environment["CARREL_TEST_CA"]),
            timeouts: Timeouts(connect: 5, idle: 20), retries: RetryPolicy(retries: retries, firstPause: 0.02))
    }

    /// A new folder of `provider` for one test, removed at its end.
    ///
    /// - Parameter remover: Gives the provider that removes it: that of the test may be one that cannot.
    static func withFolder<Value>(
        of provider: any FileProvider, removedBy remover: () throws -> any FileProvider,
        _ body: (ProviderPath) async throws -> Value
    ) async throws -> Value {
        let folder = try ProviderPath("test-\(UInt64.random(in: 0 ... .max))")
        try await provider.createFolder(path: folder)
        do {
            let value = try await body(folder)
            try await remover().removeItem(path: folder)
            return value
        } catch {
            // The test's own error is the one to show.
            try? await remover().removeItem(path: folder)
            throw error
        }
    }
}

extension TestServers.WebDAV {
    func provider(_ options: ConnectionOptions = TestServers.options()) throws -> WebDAVFileProvider {
        try WebDAVFileProvider(configuration: WebDAVConfiguration(baseURL: url), options: options)
    }

    /// A new folder on the server for one test, removed at its end.
    func withFolder<Value>(
        _ options: ConnectionOptions = TestServers.options(),
        _ body: (WebDAVFileProvider, ProviderPath) async throws -> Value
    ) async throws -> Value {
        let provider = try provider(options)
        return try await TestServers.withFolder(of: provider, removedBy: { provider }) { folder in
            try await body(provider, folder)
        }
    }
}

@Suite struct TestServersTests {
    @Test(.enabled(if: TestServers.areRequired, "only a run that requires the servers checks that they are there"))
    func `all servers are up`() {
        #expect(TestServers.missing == [])
    }
}
