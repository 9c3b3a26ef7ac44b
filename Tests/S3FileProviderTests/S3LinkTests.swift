import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import S3FileProvider
import Testing

@Suite struct S3LinkTests {
    @Test func `a public link is a signed URL that works for a week, and holds no secret key`() async throws {
        let s3 = try ScriptedS3 { request in
            request.method == "HEAD"
                ? .reply(200, headers: ["ETag": "\"a\""], body: Data("bytes".utf8))
                : .reply(200, body: Data("bytes".utf8))
        }
        defer { s3.stop() }
        let link = try await s3.provider.publicLink(to: ProviderPath("folder/shared ü+&"))
        let expiration = try #require(link.expiration)
        #expect(abs(expiration.timeIntervalSinceNow - 7 * 86_400) < 60)
        let text = link.url.absoluteString
        #expect(
            text.hasPrefix(
                "http://127.0.0.1:\(s3.server.port)/bucket/folder/shared%20%C3%BC%2B%26?X-Amz-Algorithm=AWS4-HMAC-SHA256"
            ))
        #expect(text.contains("&X-Amz-Expires=604800&"))
        #expect(!text.contains("hush"))
        let anybody = try HTTPConnection(url: link.url.serverRoot, options: ConnectionOptions())
        var request = HTTPRequest("GET", path: .root)
        request.url = link.url
        #expect(try await anybody.data(for: request).0 == Data("bytes".utf8))
        #expect(s3.server.requests.last?.headers["authorization"] == nil)
    }

    @Test func `there is no public link to a folder, nor to what is not there`() async throws {
        let s3 = try ScriptedS3 { request in
            request.method == "HEAD"
                ? .reply(404) : request.target.contains("folder") ? .listing(["folder/"]) : .listing([])
        }
        defer { s3.stop() }
        let folder = await #expect(throws: CocoaError.self) {
            try await s3.provider.publicLink(to: ProviderPath("folder"))
        }
        #expect(folder?.code == .featureUnsupported)
        let missing = await #expect(throws: CocoaError.self) {
            try await s3.provider.publicLink(to: ProviderPath("missing"))
        }
        #expect(missing?.code == .fileReadNoSuchFile)
    }

    @Test func `without a credential nothing is signed, and a link is the plain URL`() async throws {
        let server = try FaultServer { _ in .reply(200, headers: ["ETag": "\"a\""], body: Data("bytes".utf8)) }
        defer { server.stop() }
        let provider = try S3FileProvider(configuration: S3Configuration(bucket: "bucket", endpoint: server.url()))
        let link = try await provider.publicLink(to: ProviderPath("file"))
        #expect(link == PublicLink(url: server.url().appending(path: "bucket/file")))
        #expect(server.requests.first?.headers["authorization"] == nil)
    }
}
