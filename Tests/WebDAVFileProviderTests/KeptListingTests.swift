import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing
import WebDAVFileProvider

/// Listings kept in a folder. The server is a double: tags that change with everything below are what Nextcloud
/// documents.
@Suite struct KeptListingTests {
    private let temporary: TemporaryFolder
    private var folder: URL { temporary.url }

    init() throws { temporary = try TemporaryFolder() }

    /// A server whose root has the folder `f` with these files; its tag counts changes.
    private func server(_ names: LockedValue<[String]>, _ tag: LockedValue<Int>, treeTags: Bool = true) throws
        -> FaultServer
    {
        try FaultServer { request in
            guard request.method == "PROPFIND" else {
                if ["PUT", "MOVE", "DELETE"].contains(request.method) { tag.update { $0 += 1 } }
                return .reply(201, headers: treeTags ? ["DAV": "1, 3, nextcloud-checksum-update"] : ["DAV": "1"])
            }
            func response(_ href: String, _ tag: String, _ properties: String) -> String {
                "<d:response><d:href>\(href)</d:href><d:propstat><d:prop>\(properties)<d:getetag>\"\(tag)\"</d:getetag></d:prop>"
                    + "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
            }
            var text = response("/f/", "\(tag.value)", "<d:resourcetype><d:collection/></d:resourcetype>")
            let isFile = request.headers["depth"] == "0" && request.target.hasPrefix("/f/") && request.target != "/f/"
            if isFile { text = response(request.target, "x", "<d:getcontentlength>5</d:getcontentlength>") }
            if request.headers["depth"] == "1" {
                text += names.value.map { response("/f/\($0)", "x", "<d:getcontentlength>5</d:getcontentlength>") }
                    .joined()
            }
            return .reply(207, body: Data(#"<d:multistatus xmlns:d="DAV:">\#(text)</d:multistatus>"#.utf8))
        }
    }

    private func names(_ server: FaultServer, _ change: (inout CachePolicy) -> Void = { _ in }) async throws -> [String]
    {
        var policy = CachePolicy(folder: folder.path)
        change(&policy)
        let options = ConnectionOptions(
            timeouts: Timeouts(connect: 2, idle: 5), retries: RetryPolicy(retries: 0), cache: policy)
        let provider = try WebDAVFileProvider(
            configuration: WebDAVConfiguration(baseURL: server.url()), options: options)
        return try await provider.contentsOfDirectory(path: ProviderPath("f")).map(\.name)
    }

    /// Without the look at the root, which is for the question what the server is.
    private func depths(_ server: FaultServer) -> [String] {
        server.requests.filter { $0.target != "/" }.compactMap { $0.headers["depth"] }
    }

    @Test func `a folder whose tag is the same is not listed again, by no process`() async throws {
        let (files, tag) = (LockedValue(["a", "b"]), LockedValue(1))
        let server = try server(files, tag)
        defer { server.stop() }
        #expect(try await names(server) == ["a", "b"])
        #expect(try await names(server) == ["a", "b"])
        #expect(depths(server) == ["0", "1", "0"])
        files.update { $0 = ["c"] }
        tag.update { $0 = 2 }
        #expect(try await names(server) == ["c"])
        #expect(try await names(server) == ["c"])
        #expect(depths(server) == ["0", "1", "0", "0", "1", "0"])
    }

    @Test func `without validation a listing is taken for true while the lifetime lasts`() async throws {
        let server = try server(LockedValue(["a"]), LockedValue(1))
        defer { server.stop() }
        for _ in 0..<3 {
            #expect(try await names(server) { ($0.validates, $0.lifetime) = (false, 1000) } == ["a"])
        }
        #expect(depths(server) == ["0", "1"])
    }

    @Test func `where tags of folders tell nothing, every listing is asked for`() async throws {
        let server = try server(LockedValue(["a"]), LockedValue(1), treeTags: false)
        defer { server.stop() }
        for _ in 0..<2 { #expect(try await names(server) == ["a"]) }
        #expect(depths(server) == ["1", "1"])
    }

    @Test func `own changes are seen at once`() async throws {
        let (files, tag) = (LockedValue(["a"]), LockedValue(1))
        let server = try server(files, tag)
        defer { server.stop() }
        let options = ConnectionOptions(
            timeouts: Timeouts(connect: 2, idle: 5), retries: RetryPolicy(retries: 0),
            cache: CachePolicy(lifetime: 1000, folder: folder.path, validates: false))
        let provider = try WebDAVFileProvider(
            configuration: WebDAVConfiguration(baseURL: server.url()), options: options)
        #expect(try await provider.contentsOfDirectory(path: ProviderPath("f")).map(\.name) == ["a"])
        files.update { $0 = ["a", "b"] }
        try await provider.writeContents(path: ProviderPath("f/b"), contents: Data("12345".utf8), overwrite: true)
        #expect(try await provider.contentsOfDirectory(path: ProviderPath("f")).map(\.name) == ["a", "b"])
    }
}
