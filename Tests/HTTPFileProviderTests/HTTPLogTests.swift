import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Logging
import ProviderDoubles
import Testing

/// The lines of requests over HTTP, and that no secret is in them.
@Suite struct HTTPLogTests {
    private static let secrets =
        ["s3cretToken", "s3cretSignature", "s3cretCookie"] + secretForms(of: "s3cretPassword", user: "anna")

    private func provider(_ server: FaultServer, _ log: RecordedLog?, retries: Int = 0) throws -> WebFileProvider {
        let options = ConnectionOptions(
            timeouts: Timeouts(connect: 5, idle: 5), retries: RetryPolicy(retries: retries, firstPause: 0.01),
            proxy: .none, logger: log?.logger)
        let url = try #require(URL(string: "http://anna:s3cretPassword@127.0.0.1:\(server.port)/?token=s3cretToken"))
        return try WebFileProvider(service: WebService(), url: url, options: options)
    }

    private func expectNoSecret(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        for secret in Self.secrets { #expect(!text.contains(secret), "\(text)", sourceLocation: sourceLocation) }
    }

    @Test func `a redirect to a signed URL is a line for each request, without its secrets`() async throws {
        let storage = try FaultServer { request in
            request.target.contains("X-Amz-Signature=s3cretSignature") && request.headers["authorization"] == nil
                ? .reply(200, headers: ["Set-Cookie": "id=s3cretCookie"], body: Data("hello".utf8)) : .reply(403)
        }
        defer { storage.stop() }
        let target = "http://anna:s3cretPassword@127.0.0.1:\(storage.port)/b/k%20x?X-Amz-Signature=s3cretSignature"
        let server = try FaultServer { request in
            guard request.headers["authorization"] != nil else {
                return .reply(401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
            }
            return request.target.contains("token=s3cretToken")
                ? .reply(302, headers: ["Location": target]) : .reply(400)
        }
        defer { server.stop() }
        let log = RecordedLog()
        let provider = try provider(server, log)
        #expect(try await provider.contents(path: ProviderPath("f")) == Data("hello".utf8))
        let lines = log.lines.filter { $0.message.hasPrefix("GET") }
        #expect(lines.allSatisfy { $0.level == .debug })
        let redirect = try #require(lines.first { $0.metadata["status"] == "302" })
        #expect(redirect.message == "GET /f")
        #expect(redirect.metadata["provider"] == WebFileProvider.type)
        #expect(redirect.metadata["host"] == "127.0.0.1:\(server.port)")
        #expect(redirect.metadata["location"] == "http://127.0.0.1:\(storage.port)/b/k%20x")
        let answer = try #require(lines.last)
        #expect(answer.message == "GET /b/k%20x" && answer.metadata["status"] == "200")
        #expect(try Int64(#require(answer.metadata["bytes-in"])) ?? 0 >= 5)
        #expect(answer.metadata["retry"] == nil && answer.metadata["error"] == nil)
        expectNoSecret(log.text)
    }

    @Test func `a request that is sent again says so, and why`() async throws {
        let isFirst = LockedValue(true)
        let busy = try FaultServer { _ in
            let answersBusy = isFirst.update { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return answersBusy
                ? .reply(503, headers: ["Content-Type": "text/plain"], body: Data("busy ?token=s3cretToken".utf8))
                : .reply(200, body: Data("hello".utf8))
        }
        defer { busy.stop() }
        let log = RecordedLog()
        _ = try await provider(busy, log, retries: 1).contents(path: ProviderPath("f"))
        let again = log.lines.filter { $0.metadata["retry"] == "1" }
        #expect(!again.isEmpty && again.allSatisfy { $0.metadata["reason"]?.contains("503") == true }, "\(log.text)")
        #expect(log.lines.first?.metadata["status"] == "503")
        expectNoSecret(log.text)
    }

    @Test(arguments: [
        "Authorization: Basic YW5uYTpzM2NyZXRQYXNzd29yZA== is not known", "token=s3cretToken has expired",
        "http://anna:s3cretPassword@h/?X-Amz-Signature=s3cretSignature is gone", "Cookie: id=s3cretCookie",
    ])
    func `what a server repeats of a request is in no error and no line`(_ words: String) async throws {
        let server = try FaultServer { _ in
            .reply(418, headers: ["Content-Type": "text/plain"], body: Data(words.utf8))
        }
        defer { server.stop() }
        let log = RecordedLog()
        let provider = try provider(server, log)
        let error = await #expect(throws: (any Error).self) { _ = try await provider.contents(path: ProviderPath("f")) }
        expectNoSecret(shownForms(of: try #require(error)))
        #expect(log.lines.contains { $0.metadata["status"] == "418" })
        expectNoSecret(log.text)
    }

    @Test func `a request that was not answered is a line with the error`() async throws {
        let server = try FaultServer { _ in .truncated(200, promised: 10, body: Data("123".utf8)) }
        defer { server.stop() }
        let log = RecordedLog()
        let provider = try provider(server, log)
        _ = await #expect(throws: (any Error).self) { try await provider.contents(path: ProviderPath("f")) }
        let line = try #require(log.lines.last)
        #expect(line.metadata["error"] != nil && line.message == "GET /f", "\(log.text)")
        expectNoSecret(log.text)
    }
}
