import CurlTransport
import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing

/// What a server gets that another one leads to.
@Suite struct OriginTests {
    private func connection(_ server: FaultServer, _ credential: Credential) throws -> HTTPConnection {
        var options = ConnectionOptions(credentials: FixedCredential(credential), retries: RetryPolicy(retries: 0))
        options.proxy = .none
        return try HTTPConnection(url: server.url(), options: options)
    }

    @Test(
        arguments: [Credential.password(user: "ann", password: "pw"), .bearer("t")],
        ["http://127.0.0.1:PORT/x", "http://localhost:HOME/x"])
    func `another host or port gets no login, also when it asks for one, and no cookie`(
        _ credential: Credential, _ address: String
    )
        async throws
    {
        let challenge = ["WWW-Authenticate": "Basic realm=\"r\"", "Set-Cookie": "id=1"]
        let elsewhere = try FaultServer { _ in .reply(401, headers: challenge) }
        defer { elsewhere.stop() }
        let target = LockedValue("")
        let server = try FaultServer { request in
            // The same server under another name is another origin.
            if request.headers["host"]?.hasPrefix("localhost") == true { return .reply(401, headers: challenge) }
            if request.headers["authorization"] == nil { return .reply(401, headers: challenge) }
            return request.target == "/home"
                ? .reply(200) : .reply(302, headers: ["Location": target.value, "Set-Cookie": "id=1"])
        }
        defer { server.stop() }
        target.update {
            $0 = address.replacing("PORT", with: "\(elsewhere.port)").replacing("HOME", with: "\(server.port)")
        }
        let connection = try connection(server, credential)
        _ = try await connection.send(HTTPRequest("GET", path: try ProviderPath("home")))
        for method in ["GET", "PROPFIND", "HEAD", "OPTIONS"] {
            let error = await #expect(throws: URLError.self) {
                _ = try await connection.send(HTTPRequest(method, path: try ProviderPath("away")))
            }
            #expect(error?.code == .userAuthenticationRequired)
        }
        let away = elsewhere.requests + server.requests.filter { $0.headers["host"]?.hasPrefix("localhost") == true }
        #expect(away.count == 4)
        #expect(away.allSatisfy { $0.headers["authorization"] == nil })
        #expect((server.requests + away).allSatisfy { $0.headers["cookie"] == nil })
        // The foreign refusal is nothing that the login is to blame for.
        #expect(try await connection.send(HTTPRequest("GET", path: try ProviderPath("home"))).isSuccess)
        for method in ["PUT", "MOVE", "DELETE", "MKCOL", "COPY"] {
            let change = HTTPRequest(method, path: try ProviderPath("away"), repetition: .ifNotDone, isWriting: true)
            let error = await #expect(throws: URLError.self) { _ = try await connection.send(change) }
            #expect(error?.code == .redirectToNonExistentLocation)
        }
        #expect(elsewhere.requests.allSatisfy { ["GET", "PROPFIND", "HEAD", "OPTIONS"].contains($0.method) })
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x", "javascript:1", "//", "http://",
    ])
    func `a redirect out of HTTP is refused`(location: String) async throws {
        let server = try FaultServer { _ in .reply(302, headers: ["Location": location]) }
        defer { server.stop() }
        let connection = try connection(server, .bearer("t"))
        let error = await #expect(throws: URLError.self) {
            _ = try await connection.send(HTTPRequest("GET", path: try ProviderPath("f")))
        }
        #expect(error.map { $0.code != .unknown } == true)
    }

    @Test(arguments: [true, false])
    func `a redirect names nobody to log in as`(staysHome: Bool) async throws {
        let challenge = FaultServer.Answer.reply(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
        let elsewhere = try FaultServer { _ in challenge }
        defer { elsewhere.stop() }
        let target = LockedValue("")
        let server = try FaultServer {
            $0.target == "/f" ? .reply(302, headers: ["Location": target.value]) : challenge
        }
        defer { server.stop() }
        target.update { $0 = "http://mallory:pw@127.0.0.1:\(staysHome ? server.port : elsewhere.port)/g" }
        let connection = try connection(server, .password(user: "ann", password: "pw"))
        let error = await #expect(throws: URLError.self) {
            _ = try await connection.send(HTTPRequest("GET", path: try ProviderPath("f")))
        }
        let sent = (server.requests + elsewhere.requests).compactMap { $0.headers["authorization"] }
        #expect(Set(sent) == (staysHome ? ["Basic " + Data("ann:pw".utf8).base64EncodedString()] : []))
        #expect(error.map { "\($0 as NSError)".contains("mallory") } == false)
        #expect(!staysHome || server.requests.count > 1)
        #expect(staysHome || !elsewhere.requests.isEmpty)
    }
}
