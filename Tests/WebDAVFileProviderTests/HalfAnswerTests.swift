import FaultServer
import FileProviderCore
import Foundation
import Testing
import WebDAVFileProvider

/// Multi-status documents that are not whole.
@Suite struct HalfAnswerTests {
    private static func response(_ href: String, _ property: String = "") -> String {
        """
        <d:response><d:href>\(href)</d:href><d:propstat><d:prop><d:resourcetype>\(property)</d:resourcetype></d:prop>\
        <d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>
        """
    }

    private static let document =
        "<?xml version=\"1.0\"?><d:multistatus xmlns:d=\"DAV:\">" + response("/", "<d:collection/>") + response("/a")
        + response("/b")
        + "</d:multistatus>"

    private func provider(_ server: FaultServer) throws -> WebDAVFileProvider {
        let options = ConnectionOptions(timeouts: Timeouts(connect: 10, idle: 10), retries: RetryPolicy(retries: 0))
        return try WebDAVFileProvider(configuration: WebDAVConfiguration(baseURL: server.url("dav")), options: options)
    }

    @Test func `no beginning of a listing is a listing`() async throws {
        let end = LockedValue(0)
        let server = try FaultServer { _ in .reply(207, body: Data(Self.document.utf8.prefix(end.value))) }
        defer { server.stop() }
        let provider = try provider(server)
        for count in stride(from: 0, to: Self.document.utf8.count, by: 3) {
            end.update { $0 = count }
            let error = await #expect(throws: CocoaError.self) {
                _ = try await provider.contentsOfDirectory(path: .root)
            }
            #expect(error?.code == .fileReadCorruptFile, "\(count)")
        }
        end.update { $0 = Self.document.utf8.count }
        #expect(try await provider.contentsOfDirectory(path: .root).map(\.name) == ["a", "b"])
    }

    @Test(arguments: [0, 60, 300])
    func `a listing whose connection ends is a lost connection`(count: Int) async throws {
        let server = try FaultServer { _ in
            .truncated(207, promised: Self.document.utf8.count, body: Data(Self.document.utf8.prefix(count)))
        }
        defer { server.stop() }
        let error = await #expect(throws: URLError.self) {
            _ = try await provider(server).contentsOfDirectory(path: .root)
        }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test(arguments: ["", "<d:multistatus xmlns:d=\"DAV:\"><d:response><d:href>/f", "not XML"])
    func `a change whose answer is half a multi-status is not told as done`(answer: String) async throws {
        let server = try FaultServer { request in
            request.method == "PROPFIND"
                ? .reply(207, body: Data("<d:multistatus xmlns:d=\"DAV:\">\(Self.response("/f"))</d:multistatus>".utf8))
                : .reply(207, body: Data(answer.utf8))
        }
        defer { server.stop() }
        let provider = try provider(server)
        let error = await #expect(throws: CocoaError.self) { try await provider.removeItem(path: ProviderPath("f")) }
        #expect(error?.code == .fileReadCorruptFile)
    }

    @Test func `a listing that is compressed unasked is an error`() async throws {
        let packed = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        let server = try FaultServer { _ in .reply(207, headers: ["Content-Encoding": "gzip"], body: packed) }
        defer { server.stop() }
        let error = await #expect(throws: (any Error).self) {
            _ = try await provider(server).contentsOfDirectory(path: .root)
        }
        #expect(
            (error as? CocoaError)?.code == .fileReadCorruptFile || (error as? URLError)?.code == .badServerResponse)
    }
}
