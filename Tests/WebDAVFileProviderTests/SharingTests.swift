import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing
import WebDAVFileProvider

/// Public links against a server that is scripted by the documentation of Nextcloud and ownCloud; neither was at hand.
@Suite struct SharingTests {
    private static let newDAV = "cloud/remote.php/dav/files/ada/"
    private static let oldDAV = "remote.php/webdav/"

    /// A Nextcloud that answers a request for shares with `answer`.
    private func cloud(
        _ vendor: String = "1, 3, nextcloud-checksum-update", items: Set<String> = ["a b"],
        _ answer: @escaping @Sendable (FaultServer.Request) -> FaultServer.Answer
    ) throws -> FaultServer {
        try FaultServer { request in
            if request.method == "OPTIONS" { return .reply(200, headers: ["DAV": vendor]) }
            if request.target.contains("/ocs/") { return answer(request) }
            if request.target.hasSuffix("/") {
                return ScriptedReply.multistatus(ScriptedReply.response(request.target, isFolder: true))
            }
            let name = request.target.split(separator: "/").last?.removingPercentEncoding ?? ""
            return items.contains(name)
                ? ScriptedReply.multistatus(ScriptedReply.response(request.target)) : .reply(404)
        }
    }

    private func provider(_ server: FaultServer, base: String = newDAV) throws -> WebDAVFileProvider {
        try server.provider(base: base)
    }

    private static func ocs(_ status: Int, message: String = "OK", http: Int = 200, data: String = "")
        -> FaultServer.Answer
    {
        let text = """
            <?xml version="1.0"?><ocs><meta><status>\(status == 200 ? "ok" : "failure")</status><statuscode>\(status)</statuscode>\
            <message>\(message)</message></meta><data>\(data)</data></ocs>
            """
        return .reply(http, headers: ["Content-Type": "application/xml"], body: Data(text.utf8))
    }

    private static func share(
        _ token: String, type: Int = 3, permissions: Int = 1, password: String = "", expires: String = ""
    ) -> String {
        """
        <id>1</id><share_type>\(type)</share_type><permissions>\(permissions)</permissions><share_with>\(password)</share_with>\
        <expiration>\(expires)</expiration><url>https://cloud.example/s/\(token)</url>
        """
    }

    private func shareRequests(_ server: FaultServer) -> [FaultServer.Request] {
        server.requests.filter { $0.target.contains("/ocs/") }
    }

    @Test(arguments: [newDAV, oldDAV])
    func `a new link is made for reading, where there is none`(_ base: String) async throws {
        let server = try cloud { request in
            request.method == "GET"
                ? Self.ocs(200) : Self.ocs(200, data: Self.share("new", expires: "2031-05-06 00:00:00"))
        }
        defer { server.stop() }
        let provider = try provider(server, base: base)
        let link = try await provider.publicLink(to: ProviderPath("x/a b"))
        #expect(link.url.absoluteString == "https://cloud.example/s/new")
        #expect(link.expiration == Date(timeIntervalSince1970: 1_935_792_000))
        let requests = shareRequests(server)
        let endpoint = (base == Self.newDAV ? "/cloud" : "") + "/ocs/v2.php/apps/files_sharing/api/v1/shares"
        #expect(requests.map(\.target) == [endpoint + "?path=/x/a%20b&reshares=false", endpoint])
        #expect(requests.allSatisfy { $0.headers["ocs-apirequest"] == "true" })
        #expect(
            requests.last.map { String(decoding: $0.body, as: UTF8.self) } == "path=/x/a%20b&shareType=3&permissions=1")
        #expect(try await provider.capabilities()[.publicLinks] == .native)
    }

    @Test func `the link that is there is given, the lasting one first; others than open links for reading are none`()
        async throws
    {
        let server = try cloud { _ in
            Self.ocs(
                200,
                data: [
                    Self.share("user", type: 0), Self.share("drop", permissions: 4),
                    Self.share("secret", password: "***"),
                    Self.share("past", expires: "2020-01-01 00:00:00"),
                    Self.share("soon", expires: "2099-01-01 00:00:00"),
                    Self.share("lasting"),
                ].map { "<element>\($0)</element>" }.joined())
        }
        defer { server.stop() }
        let link = try await provider(server).publicLink(to: ProviderPath("a b"))
        #expect(link.url.lastPathComponent == "lasting")
        #expect(link.expiration == nil)
        #expect(shareRequests(server).count == 1)
    }

    @Test func `the interface of ownCloud 10, which calls success 100, is understood`() async throws {
        let server = try cloud("1, 3, extended-mkcol, oc-resource-sharing") { _ in
            Self.ocs(100, data: "<element>\(Self.share("there"))</element>")
        }
        defer { server.stop() }
        #expect(try await provider(server).publicLink(to: ProviderPath("a b")).url.lastPathComponent == "there")
    }

    @Test(arguments: [
        (404, "a b", CocoaError.Code.featureUnsupported), (404, "missing", .fileReadNoSuchFile),
        (403, "a b", .fileReadNoPermission),
        (400, "a b", .featureUnsupported), (998, "a b", .featureUnsupported),
    ])
    func `a refusal is told in the server's words`(_ status: Int, _ name: String, _ code: CocoaError.Code) async throws
    {
        let server = try cloud { request in
            if request.method == "GET", name != "missing" { return Self.ocs(200) }
            return Self.ocs(
                status, message: "Public link sharing is disabled by the administrator",
                http: status < 600 ? status : 200)
        }
        defer { server.stop() }
        let error = await #expect(throws: CocoaError.self) {
            try await provider(server).publicLink(to: ProviderPath(name))
        }
        #expect(error?.code == code)
        #expect(code == .fileReadNoSuchFile || error?.sentence.contains("disabled by the administrator") == true)
    }

    @Test(arguments: [true, false])
    func `a login that is refused is told as such, whichever way the server says it`(_ byStatus: Bool) async throws {
        let server = try cloud { _ in byStatus ? .reply(401) : Self.ocs(997, message: "Current user is not logged in") }
        defer { server.stop() }
        let error = await #expect(throws: URLError.self) {
            try await provider(server).publicLink(to: ProviderPath("a b"))
        }
        #expect(error?.code == .userAuthenticationRequired)
    }

    @Test(arguments: ["<html/>", "", "<ocs><meta/></ocs>", "<ocs><meta><statuscode>x</statuscode></meta></ocs>"])
    func `an answer that makes no sense is an error`(_ answer: String) async throws {
        let server = try cloud { _ in .reply(200, body: Data(answer.utf8)) }
        defer { server.stop() }
        await #expect { try await provider(server).publicLink(to: ProviderPath("a b")) } throws: { error in
            // What is no XML at all is named by its line.
            answer.isEmpty
                ? (error as? CocoaError)?.code == .fileReadCorruptFile
                : (error as? URLError)?.code == .badServerResponse
        }
        #expect(shareRequests(server).count == 1)
    }

    @Test(arguments: [("1, 2", newDAV), ("1, 3, nextcloud-checksum-update", "remote.php/dav/calendars/")])
    func `where there are no shares nothing is asked, and the capabilities say so`(_ vendor: String, _ base: String)
        async throws
    {
        let server = try cloud(vendor) { _ in Self.ocs(200) }
        defer { server.stop() }
        let provider = try provider(server, base: base)
        let error = await #expect(throws: CocoaError.self) { try await provider.publicLink(to: ProviderPath("a b")) }
        #expect(error?.code == .featureUnsupported)
        #expect(shareRequests(server).isEmpty)
        #expect(try await provider.capabilities()[.publicLinks] == .unavailable)
    }
}
