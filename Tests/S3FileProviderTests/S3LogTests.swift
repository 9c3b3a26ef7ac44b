import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import ProviderDoubles
import S3FileProvider
import Testing

/// Lines and errors of signed requests.
@Suite struct S3LogTests {
    private func provider(_ server: FaultServer, _ log: RecordedLog) throws -> S3FileProvider {
        try S3FileProvider(
            configuration: S3Configuration(bucket: "bucket", endpoint: server.url()),
            options: ConnectionOptions(
                credentials: FixedCredential(.password(user: "AKIDS3CRET", password: "hush-hush")),
                timeouts: Timeouts(connect: 5, idle: 5), retries: RetryPolicy(retries: 0), proxy: .none,
                logger: log.logger))
    }

    @Test func `a signed request is a line without key and signature, whatever the server repeats of it`() async throws
    {
        let signature = LockedValue("")
        let server = try FaultServer { request in
            let header = request.headers["authorization"] ?? ""
            signature.update { $0 = header.split(separator: "=").last.map(String.init) ?? "" }
            let body = """
                <Error><Code>SomethingElse</Code><Message>Authorization: \(header)</Message>\
                <StringToSign>hush-hush</StringToSign></Error>
                """
            return .reply(400, headers: ["Content-Type": "application/xml"], body: Data(body.utf8))
        }
        defer { server.stop() }
        let log = RecordedLog()
        let provider = try provider(server, log)
        let error = await #expect(throws: (any Error).self) { _ = try await provider.contents(path: ProviderPath("k")) }
        let text = try log.text + shownForms(of: #require(error))
        try #require(signature.value.count == 64, "\(signature.value)")
        for secret in [signature.value, "hush-hush", "AKIDS3CRET"] { #expect(!text.contains(secret), "\(text)") }
        let line = try #require(log.lines.first)
        #expect(line.message == "GET /bucket/k" && line.metadata["status"] == "400")
        #expect(line.metadata["provider"] == S3FileProvider.type)
    }
}
