import Carrel
import Foundation
import Testing

/// Servers whose authority nobody knows, trusted by the hash of their key or certificate.
@Suite struct PinTests {
    private static let wrong = [
        ServerPin.certificate([UInt8](repeating: 7, count: 32)), .publicKey([UInt8](repeating: 7, count: 32)),
    ]

    private func trusting(_ trust: TrustPolicy, _ options: ConnectionOptions) -> ConnectionOptions {
        var options = options
        options.trust = trust
        return options
    }

    /// Looks by `look` with each kind of trust.
    private func tryAll(_ options: ConnectionOptions, _ look: (ConnectionOptions) async throws -> Void) async throws {
        let error = await #expect(throws: URLError.self) { try await look(trusting(TrustPolicy(), options)) }
        #expect(error?.code == .serverCertificateUntrusted)
        let shown = try #require(error?.shownPins)
        try #require(shown.count == 2, "\(error?.sentence ?? "")")
        for pin in shown {
            #expect(error?.sentence.contains("\(pin)") == true)
            try await look(trusting(TrustPolicy(pins: [pin]), options))
            try await look(trusting(TrustPolicy(pins: Self.wrong + [pin]), options))
        }
        for pins in [Self.wrong, [Self.wrong[0]], [Self.wrong[1]]] {
            // Neither an authority that vouches nor no check at all stands in for a pin.
            for trust in [
                TrustPolicy(pins: pins), TrustPolicy(isInsecure: true, pins: pins),
                TrustPolicy(authorities: options.trust.authorities, pins: pins),
            ] {
                let error = await #expect(throws: URLError.self) { try await look(trusting(trust, options)) }
                #expect(error?.code == .serverCertificateUntrusted, "\(trust)")
                #expect(error?.shownPins == shown)
            }
        }
    }

    @Test(arguments: TestServers.webDAV.filter { $0.url.scheme == "https" })
    func `a server over HTTP is trusted by its pin, and by no other`(_ server: TestServers.WebDAV) async throws {
        try await tryAll(TestServers.options()) { options in
            let provider = try WebDAVFileProvider(
                configuration: WebDAVConfiguration(baseURL: server.url), options: options)
            _ = try await provider.attributesOfItem(path: .root)
            // A second request, on the connection that is kept or on a session that is resumed.
            _ = try await provider.attributesOfItem(path: .root)
            provider.invalidate()
        }
    }

    @Test(arguments: TestServers.ftps)
    func `a server over FTP is trusted by its pin, and by no other, also for its data`(_ server: TestServers.FTP)
        async throws
    {
        try await tryAll(TestServers.ftpOptions) { options in
            let provider = try server.provider(options)
            _ = try await provider.contentsOfDirectory(path: .root)
            provider.invalidate()
        }
    }

    @Test(.enabled(if: TestServers.named("Apache, TLS") != nil))
    func `the command shows the fingerprint, and takes it`() async throws {
        let secure = try #require(TestServers.named("Apache, TLS")).url.absoluteString
        try await CommandRunner.use { runner in
            runner.environment["CARREL_PASSWORD"] = TestServers.environment["CARREL_TEST_PASSWORD"]
            let user = ["--user", TestServers.environment["CARREL_TEST_USER"] ?? ""]
            let refused = try await runner.run(["stat"] + user + [secure])
            let key = try #require(refused.error.firstMatch(of: /sha256\/\/[A-Za-z0-9+\/]{43}=/)).output
            expectFailure(refused, 4, "certificate")
            #expect(try await runner.run(["stat", "--pin", String(key)] + user + [secure]).code == 0)
            let other = "sha256//" + String(repeating: "A", count: 43) + "="
            expectFailure(try await runner.run(["stat", "--pin", other] + user + [secure]), 4, "neither is pinned")
            expectFailure(try await runner.run("stat", "--pin", "x", secure), 2, "--pin needs")
            expectFailure(try await runner.run("stat", "--pin", other, "--insecure", secure), 2, "cannot be combined")
        }
    }
}
