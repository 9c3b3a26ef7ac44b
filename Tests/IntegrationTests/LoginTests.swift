import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing

/// When a credential source is asked, and when it is asked again.
@Suite struct LoginTests {
    /// A server that lets in `right`, and nobody to `/closed`.
    private func server(_ right: String) throws -> FaultServer {
        let login = "Basic " + Data("ann:\(right)".utf8).base64EncodedString()
        return try FaultServer { request in
            guard request.headers["authorization"] == login, request.target != "/closed" else {
                return .reply(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
            }
            return .reply(200, body: Data("hello".utf8))
        }
    }

    private func provider(_ server: FaultServer, _ source: any CredentialSource) throws -> WebFileProvider {
        let options = ConnectionOptions(credentials: source, retries: RetryPolicy(retries: 0))
        return try WebFileProvider(configuration: HTTPConfiguration(baseURL: server.url()), options: options)
    }

    /// Answers with one password after the other, the last one again and again.
    private func source(_ passwords: [String], _ asked: CollectedValues<String>) -> AskedCredentials {
        AskedCredentials { _, _ in
            let password = passwords[min(asked.values.count, passwords.count - 1)]
            asked.append(password)
            return .password(user: "ann", password: password)
        }
    }

    @Test func `a login that is refused is asked for anew, one that works is kept`() async throws {
        let server = try server("right")
        defer { server.stop() }
        let asked = CollectedValues<String>()
        let provider = try provider(server, source(["wrong", "right", "never"], asked))
        let error = await #expect(throws: URLError.self) { try await provider.contents(path: ProviderPath("a")) }
        #expect(error?.code == .userAuthenticationRequired)
        for _ in 0..<3 { #expect(try await provider.contents(path: ProviderPath("a")) == Data("hello".utf8)) }
        await #expect { try await provider.contents(path: ProviderPath("closed")) } throws: {
            ($0 as? URLError)?.code == .userAuthenticationRequired
        }
        #expect(try await provider.contents(path: ProviderPath("b")) == Data("hello".utf8))
        #expect(asked.values == ["wrong", "right"])
    }

    @Test func `many requests whose login is refused are one new question`() async throws {
        let server = try server("right")
        defer { server.stop() }
        let asked = CollectedValues<String>()
        let source = source(["wrong", "right"], asked)
        let provider = try provider(server, source)
        let read: @Sendable (Int) async throws -> Void = {
            _ = try await provider.contents(path: ProviderPath("\($0)"))
        }
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<8 { group.addTask { try? await read(index) } }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<8 { group.addTask { try await read(index) } }
            try await group.waitForAll()
        }
        #expect(asked.values == ["wrong", "right"])
    }
}
