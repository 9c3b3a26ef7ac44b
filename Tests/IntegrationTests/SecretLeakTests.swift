import Carrel
import FaultServer
import Foundation
import Logging
import ProviderDoubles
import SampleBooks
import Testing

/// Known secrets go through every provider against real servers, and are looked for in all that is written: every line
/// of a log at `.trace`, all forms of errors, and what the command prints with `--verbose` and `--json`.
@Suite(.serialized) struct SecretLeakTests {
    private static let servers: [TestServer] = TestServer.webDAV + TestServer.ftp + TestServer.ftpes + TestServer.sftp
    private static let user = TestServers.environment["CARREL_TEST_USER"] ?? ""
    private static let password = TestServers.environment["CARREL_TEST_PASSWORD"] ?? ""

    private func expectNone(
        of secrets: [String], in text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for secret in secrets {
            // An empty one would be in every text.
            #expect(!secret.isEmpty, sourceLocation: sourceLocation)
            guard let location = text.range(of: secret) else { continue }
            let line = text[text.lineRange(for: location)]
            Issue.record("A secret is in: \(line)", sourceLocation: sourceLocation)
        }
    }

    /// Reads, writes, lists, moves, fails and removes.
    ///
    /// - Returns: All forms of the errors.
    private func work(_ provider: any FileProvider, _ folder: ProviderPath) async throws -> String {
        let (a, b) = (try folder.appending("a"), try folder.appending("b"))
        try await provider.writeContents(path: a, contents: Data("12345".utf8))
        try await provider.writeContents(path: b, contents: Data(count: 300_000))
        #expect(try await provider.contents(path: a) == Data("12345".utf8))
        _ = try await provider.contentsOfDirectory(path: folder)
        try await provider.moveItem(path: a, to: folder.appending("c"))
        var errors = ""
        for body in [
            { _ = try await provider.contents(path: a) }, { try await provider.removeItem(path: a) },
            { try await provider.writeContents(path: b, contents: Data()) },
            { _ = try await provider.contentsOfDirectory(path: a) },
        ] as [() async throws -> Void] {
            do { try await body() } catch { errors += shownForms(of: error) }
        }
        try await provider.removeItem(path: b)
        return errors
    }

    @Test(.enabled(if: !servers.isEmpty, "the servers are not up; run bash Tests/run.sh"), arguments: servers)
    func `no secret is in the log and in the errors of a provider`(_ server: TestServer) async throws {
        let log = RecordedLog()
        let wrong = "WrongS3cret"
        try await server.withFolder { _, folder in
            var options = server.options(TestServers.credential, 1)
            options.logger = log.logger
            let provider = try server.connect(server.url, options)
            let errors = try await work(provider, folder)
            #expect(!errors.isEmpty)
            expectNone(of: secretForms(of: Self.password, user: Self.user), in: errors)
            // Pure-FTPd takes its time over a refusal, and then closes.
            if server.testDescription.contains("Pure-FTPd") { return }
            var refused = server.options(.password(user: Self.user, password: wrong), 0)
            refused.logger = log.logger
            let stranger = try server.connect(server.url, refused)
            let error = await #expect(throws: (any Error).self) {
                _ = try await stranger.contents(path: folder.appending("c"))
            }
            expectNone(of: secretForms(of: wrong, user: Self.user), in: shownForms(of: try #require(error)))
        }
        #expect(log.lines.contains { $0.metadata["provider"] != nil && $0.level == .debug }, "\(log.text)")
        let secrets = secretForms(of: Self.password, user: Self.user) + secretForms(of: wrong, user: Self.user)
        expectNone(of: secrets, in: log.text)
        // Lines without which the log would be of no use.
        #expect(log.lines.contains { $0.metadata["error"] != nil || $0.metadata["status"] != nil })
        #expect(log.text.contains("\(server.url.host() ?? "")"))
    }

    @Test(.enabled(if: TestServers.s3 != nil, "there is no S3 server in this run"))
    func `no key, secret or signature is in the log and in the errors of S3`() async throws {
        let server = try #require(TestServers.s3)
        guard case .password(let key, let secret) = server.credential.kind else {
            Issue.record("The login is another.")
            return
        }
        let log = RecordedLog()
        try await server.withFolder { _, folder in
            let provider = try S3FileProvider(
                configuration: S3Configuration(bucket: server.bucket, endpoint: server.endpoint),
                options: ConnectionOptions(
                    credentials: FixedCredential(server.credential), timeouts: Timeouts(connect: 5, idle: 20),
                    retries: RetryPolicy(retries: 1, firstPause: 0.02), logger: log.logger))
            let errors = try await work(provider, folder)
            expectNone(of: [secret, "Signature=", "Credential=\(key)"], in: errors)
        }
        #expect(log.lines.contains { $0.message.hasPrefix("PUT ") && $0.metadata["provider"] == S3FileProvider.type })
        expectNone(of: [secret, "Signature=", "Credential=\(key)"], in: log.text)
    }

    @Test(.enabled(if: !servers.isEmpty, "the servers are not up; run bash Tests/run.sh"), arguments: servers)
    func `the command prints its requests, and no secret`(_ server: TestServer) async throws {
        try await server.withFolder { provider, folder in
            try await CommandRunner.use { runner in
                try runner.makeFolder(".ssh")
                if server.url.scheme == "sftp" {
                    try runner.write(".ssh/known_hosts", try Data(contentsOf: URL(filePath: TestServers.knownHosts)))
                }
                try runner.write("a", "12345")
                let encoded = try #require(Self.password.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
                var parts = try #require(URLComponents(url: server.url, resolvingAgainstBaseURL: false))
                (parts.user, parts.percentEncodedPassword) = (Self.user, encoded)
                let root = try #require(parts.string)
                let location = (root.hasSuffix("/") ? root : root + "/") + folder.percentEncoded
                let flags = [
                    "--json", "--verbose", "--cacert", TestServers.environment["CARREL_TEST_CA"] ?? "", "--retries",
                    "0",
                ]
                for (arguments, code) in [
                    (["cp", "a", "\(location)/a"], 0), (["cat", "\(location)/a"], 0), (["ls", location], 0),
                    (["stat", "\(location)/none"], 3), (["cp", "a", "\(location)/a"], 5), (["rm", "\(location)/a"], 0),
                ] as [([String], Int32)] {
                    let outcome = try await runner.run(arguments + flags)
                    #expect(outcome.code == code, "\(arguments[0]): \(outcome.error)")
                    #expect(outcome.error.contains(" provider="), "\(outcome.error)")
                    expectNone(of: secretForms(of: Self.password, user: Self.user), in: outcome.error + outcome.text)
                }
            }
        }
    }

    @Test func `the command follows a signed URL, and prints it without its secret`() async throws {
        let book = try SampleBook.small(.epub3)
        let storage = try FaultServer { request in
            request.target.contains("s3cretSignature") ? BookServer.answer(request, book) : .reply(403)
        }
        defer { storage.stop() }
        let target = "http://127.0.0.1:\(storage.port)/lamp.epub?X-Amz-Signature=s3cretSignature"
        let server = try FaultServer { request in
            request.method == "OPTIONS" ? .reply(405) : .reply(307, headers: ["Location": target])
        }
        defer { server.stop() }
        try await CommandRunner.use { runner in
            let location = "http://anna:s3cretPassword@127.0.0.1:\(server.port)/lamp.epub"
            for verb in [["cat"], ["book", "info"]] {
                let outcome = try await runner.run(verb + ["--verbose", "--json", location])
                #expect(outcome.code == 0, "\(outcome.error)")
                #expect(outcome.error.contains("status=307 ") && outcome.error.contains("location=http://127.0.0.1:"))
                let secrets = ["s3cretSignature", "X-Amz-Signature"] + secretForms(of: "s3cretPassword", user: "anna")
                expectNone(of: secrets, in: outcome.error + String(decoding: outcome.output, as: UTF8.self))
            }
            let opened = try await runner.run(["book", "info", "--verbose", location])
            #expect(opened.error.contains("carrel: recognize /lamp.epub by=hint media-type=application/epub+zip"))
            #expect(opened.error.contains("parser=EPUBParser"))
        }
    }
}
