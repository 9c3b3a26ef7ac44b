import Carrel
import FaultServer
import Foundation
import LCPConnection
import ProviderDoubles
import SampleBooks
import Testing

/// The servers of licences, asked by Carrel's HTTP client.
@Suite struct LicenseConnectionTests {
    private static let status = """
        {"id": "\(SampleLicense().id)", "status": "active", "message": "",
         "updated": {"license": "2026-01-01T00:00:00Z", "status": "2026-01-01T00:00:00Z"},
         "links": [{"rel": "license", "href": "https://books.example.org/license"}]}
        """

    private func license(of server: FaultServer) throws -> LicenseDocument {
        var license = SampleLicense()
        license.statusHref = server.url().absoluteString + "status/?of=1"
        return try LicenseDocument(data: license.signed())
    }

    private func client(cachingIn folder: String? = nil) -> LicenseStatusClient {
        let options = ConnectionOptions(
            retries: RetryPolicy(retries: 0), cache: CachePolicy(folder: folder), proxy: .none)
        return LicenseStatusClient(connection: HTTPLicenseConnection(options: options))
    }

    @Test func `a status is asked for with its validators, and never kept on a disk`() async throws {
        let server = try FaultServer { request in
            request.headers["if-none-match"] == "\"1\""
                ? .reply(304) : .reply(200, headers: ["ETag": "\"1\""], body: Data(Self.status.utf8))
        }
        defer { server.stop() }
        let (license, folder) = (try license(of: server), try TemporaryFolder())
        let client = client(cachingIn: folder.url.path(percentEncoded: false))
        let first = try await client.status(of: license)
        #expect(first.status == .active)
        #expect(try await client.status(of: license) == first)
        #expect(server.requests.map(\.target) == ["/status/?of=1", "/status/?of=1"])
        #expect(server.requests.map { $0.headers["if-none-match"] } == [nil, "\"1\""])
        #expect(server.requests.allSatisfy { $0.headers["accept"] == StatusDocument.mediaType })
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path(percentEncoded: false)).isEmpty)
    }

    @Test func `a refusal comes back with the server's words`() async throws {
        let server = try FaultServer { _ in .reply(503, body: Data(#"{"title": "Closed on Sundays."}"#.utf8)) }
        defer { server.stop() }
        let license = try license(of: server)
        let error = await #expect(throws: LCPProblem.self) { _ = try await client().status(of: license) }
        #expect(error?.kind == .statusUnavailable && error?.sentence.contains("“Closed on Sundays.”") == true)
    }

    @Test func `an answer that is too long, and a server that is not there, are errors of the network`() async throws {
        let server = try FaultServer { _ in .reply(200, body: Data(count: StatusDocument.largest + 1)) }
        let license = try license(of: server)
        for code in [URLError.Code.badServerResponse, .cannotConnectToHost] {
            let error = await #expect(throws: URLError.self) { _ = try await client().status(of: license) }
            #expect(error?.code == code)
            server.stop()
        }
    }
}
