import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing

@testable import WebDAVFileProvider

@Suite struct WebDAVQuirksTests {
    private func server(_ headers: [String: String], status: Int = 200) throws -> FaultServer {
        try FaultServer { request in
            if request.method == "OPTIONS" { return .reply(status, headers: headers) }
            return ScriptedReply.multistatus(ScriptedReply.response(request.target, isFolder: true))
        }
    }

    private func provider(
        _ server: FaultServer, settings: [String: String] = [:], quirks: WebDAVQuirks? = nil,
        servers: WebDAVServers = WebDAVServers()
    ) throws -> WebDAVFileProvider {
        try WebDAVFileProvider(
            configuration: WebDAVConfiguration(baseURL: server.url(), quirks: quirks),
            options: ConnectionOptions(retries: RetryPolicy(retries: 0), settings: settings), servers: servers)
    }

    @Test(arguments: [
        (
            ["Server": "Apache/2.4.71 (Debian)", "DAV": "1,2, <http://apache.org/dav/propset/fs/1>"],
            WebDAVQuirks.Vendor.apache
        ),
        (["Server": "Apache/2.4", "DAV": "1, 3, extended-mkcol, nextcloud-checksum-update"], .nextcloud),
        (["Server": "nginx", "DAV": "1, 3, oc-resource-sharing"], .owncloud),
        (["Server": "Apache/2.4", "DAV": "1, 3, extended-mkcol"], .other),
        (["Server": "nginx/1.22.1", "DAV": "2"], .nginx),
        (["Server": "nginx/1.22.1", "DAV": "1, 2", "X-Powered-By": "PHP/8.2"], .other),
        (["Server": "lighttpd/1.4.69", "DAV": "1,2,3"], .lighttpd),
        (["Server": "Cheroot/11.1.2", "DAV": "1,2", "MS-Author-Via": "DAV"], .wsgidav),
        (["DAV": "1, 2", "Ms-Author-Via": "DAV", "Allow": "OPTIONS, LOCK, DELETE, PROPPATCH"], .rclone),
        (
            [
                "Server": "nginx/1.22.1", "DAV": "1, 2", "MS-Author-Via": "DAV",
                "Allow": "OPTIONS, LOCK, DELETE, PROPPATCH, COPY, MOVE",
            ],
            .rclone
        ),
        (
            [
                "Server": "lighttpd/1.4.69", "DAV": "1, 2", "MS-Author-Via": "DAV",
                "Allow": "OPTIONS, LOCK, DELETE, PROPPATCH",
            ], .rclone
        ),
        (
            ["Server": "nginx", "DAV": "1,2", "MS-Author-Via": "DAV", "Allow": "OPTIONS, HEAD, GET, PROPFIND, DELETE"],
            .other
        ),
        (["Server": "nginx", "DAV": "1,2"], .other), (["Server": "lighttpd/1.4.69", "DAV": "1,2"], .other),
        (["Server": "nginx", "DAV": "1", "MS-Author-Via": "DAV"], .other), (["Server": "nginx", "DAV": "1"], .nginx),
        (["Server": "Microsoft-IIS/10.0", "DAV": "1,2", "MicrosoftSharePointTeamServices": "16.0.0"], .sharepoint),
        (["Server": "Something/1", "DAV": "1,2"], .other), ([:], .other),
    ])
    func `who answers is told by the features, not by the program in front`(
        _ headers: [String: String], _ vendor: WebDAVQuirks.Vendor
    )
        async throws
    {
        let server = try server(headers)
        defer { server.stop() }
        #expect(try await provider(server).quirks() == WebDAVQuirks(vendor))
    }

    @Test func `a server is asked once, whoever and however many want to know`() async throws {
        let server = try server(["Server": "lighttpd/1.4.69", "DAV": "1,2,3"])
        defer { server.stop() }
        let servers = WebDAVServers()
        let providers = [try provider(server, servers: servers), try provider(server, servers: servers)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await providers[0].quirks() } }
            try await group.waitForAll()
        }
        #expect(try await providers[1].quirks().vendor == .lighttpd)
        #expect(server.requests.map(\.method) == ["PROPFIND", "OPTIONS"])
        #expect(servers[server.url("dav")]?.vendor == .lighttpd)
        servers[server.url()] = nil
        #expect(servers[server.url()] == nil)
    }

    @Test func `folders of one host may be different servers, and what lies below one is that one's`() async throws {
        let server = try FaultServer { request in
            let isGo = request.target.hasPrefix("/b")
            guard request.method == "OPTIONS" else {
                return ScriptedReply.multistatus(ScriptedReply.response(request.target, isFolder: true))
            }
            return .reply(
                200,
                headers: isGo
                    ? ["Server": "nginx", "DAV": "1, 2", "MS-Author-Via": "DAV", "Allow": "OPTIONS, LOCK, DELETE"]
                    : ["Server": "nginx", "DAV": "1,2,<http://apache.org/dav/propset/fs/1>"])
        }
        defer { server.stop() }
        let servers = WebDAVServers()
        func vendor(_ path: String) async throws -> WebDAVQuirks.Vendor {
            try await WebDAVFileProvider(
                configuration: WebDAVConfiguration(baseURL: server.url().appending(path: path)), servers: servers
            ).quirks().vendor
        }
        #expect(try await vendor("a") == .apache)
        #expect(try await vendor("b") == .rclone)
        #expect(try await vendor("a/below/it") == .apache)
        #expect(try await vendor("b/below") == .rclone)
        #expect(server.requests.filter { $0.method == "OPTIONS" }.map(\.target) == ["/a/", "/b/"])
        servers[server.url()] = nil
        #expect(servers[server.url().appending(path: "a")] == nil)
    }

    @Test(arguments: [401, 405, 501])
    func `a server that refuses the question is taken for any other, and is not remembered`(_ status: Int) async throws
    {
        let server = try server([:], status: status)
        defer { server.stop() }
        let servers = WebDAVServers()
        #expect(try await provider(server, servers: servers).quirks() == WebDAVQuirks(.other))
        #expect(servers[server.url()] == nil)
    }

    @Test(arguments: [408, 423, 425, 429])
    func `a server that is busy is asked again, and not taken for any other`(_ status: Int) async throws {
        let server = try server([:], status: status)
        defer { server.stop() }
        let servers = WebDAVServers()
        let provider = try provider(server, servers: servers)
        await #expect(throws: HTTPStatusError.self) { _ = try await provider.quirks() }
        #expect(servers[server.url()] == nil && provider.configuration.quirks == nil)
    }

    @Test func `a root that is not there is asked nothing more, and again once it is`() async throws {
        let isThere = LockedValue(false)
        let server = try FaultServer { request in
            guard isThere.value else { return request.method == "OPTIONS" ? .silence : .reply(404) }
            if request.method == "OPTIONS" {
                return .reply(200, headers: ["Server": "lighttpd/1.4.69", "DAV": "1,2,3"])
            }
            return ScriptedReply.multistatus(ScriptedReply.response(request.target, isFolder: true))
        }
        defer { server.stop() }
        let provider = try provider(server)
        #expect(try await provider.quirks().vendor == .other)
        #expect(server.requests.map(\.method) == ["PROPFIND"])
        isThere.update { $0 = true }
        #expect(try await provider.quirks().vendor == .lighttpd)
    }

    @Test(arguments: [403, 405])
    func `a root that may not be looked at is asked all the same`(_ status: Int) async throws {
        let server = try FaultServer { request in
            request.method == "OPTIONS" ? .reply(200, headers: ["Server": "nginx/1.22.1", "DAV": "2"]) : .reply(status)
        }
        defer { server.stop() }
        #expect(try await provider(server).quirks().vendor == .nginx)
    }

    @Test func `settings overrule what is known, and what the server says`() async throws {
        let server = try server(["Server": "nginx/1.22.1", "DAV": "2"])
        defer { server.stop() }
        let settings = ["locks": "none", "entry-tags": "on", "chunk-size": "6000000", "if-match": "exclusive"]
        var expected = WebDAVQuirks(.nginx)
        (expected.locks, expected.listsEntryTags, expected.chunkSize, expected.ifMatch) = (
            .none, true, 6_000_000, .exclusive
        )
        #expect(try await provider(server, settings: settings).quirks() == expected)
        let sent = server.requests.count
        #expect(
            try await provider(server, settings: ["vendor": "nextcloud", "chunk-size": "off"]).quirks().chunkSize == nil
        )
        #expect(try await provider(server, quirks: WebDAVQuirks(.rclone)).quirks().vendor == .rclone)
        #expect(server.requests.count == sent)
    }

    @Test(arguments: ["vendor", "locks", "lock-use", "time-setting", "chunk-size", "if-match", "if", "whole-puts"])
    func `a word that is no value of a setting is refused, and the words that are are named`(_ name: String) throws {
        let url = try #require(URL(string: "dav://127.0.0.1:1/"))
        let error = #expect(throws: CocoaError.self) {
            _ = try WebDAVFileProvider(
                configuration: WebDAVConfiguration(baseURL: url),
                options: ConnectionOptions(settings: [name: "sometimes"]))
        }
        #expect(error?.code == .featureUnsupported)
        #expect(error?.localizedDescription.contains("“\(name)”. Use one of: ") == true)
        #expect(WebDAVFileProvider.registration.settings.contains(name))
    }

    @Test(arguments: WebDAVQuirks.Vendor.allCases)
    func `what is known survives being kept, and a document may leave out what the vendor tells`(
        _ vendor: WebDAVQuirks.Vendor
    ) throws {
        var quirks = WebDAVQuirks(vendor)
        (quirks.chunkSize, quirks.locks, quirks.misreadNames) = (nil, .none, [1, 2])
        let configuration = WebDAVConfiguration(baseURL: try #require(URL(string: "davs://u:p@host/x")), quirks: quirks)
        let data = try JSONEncoder().encode(configuration)
        #expect(try JSONDecoder().decode(WebDAVConfiguration.self, from: data) == configuration)
        let short = Data(#"{"vendor":"\#(vendor.rawValue)"}"#.utf8)
        #expect(try JSONDecoder().decode(WebDAVQuirks.self, from: short) == WebDAVQuirks(vendor))
    }

    @Test func `what may be promised follows from what is known`() throws {
        func capabilities(_ change: (inout WebDAVQuirks) -> Void, of vendor: WebDAVQuirks.Vendor) -> Capabilities {
            var quirks = WebDAVQuirks(vendor)
            change(&quirks)
            var capabilities = Capabilities(readCost: .request)
            quirks.enter(into: &capabilities)
            return capabilities
        }
        let other = capabilities({ _ in }, of: .other)
        #expect(
            [Capabilities.Ability.atomicReplacement, .exclusiveCreation, .conditionalWriting].allSatisfy {
                other[$0] == .derived
            })
        #expect(!other.has(.settingModificationDate) && !other.has(.treeTags))
        let nginx = capabilities({ $0.lockUse = .always }, of: .nginx)
        #expect(nginx[.exclusiveCreation] == .native && nginx[.conditionalWriting] == .native && !nginx.has(.entryTags))
        let hurried = capabilities({ _ in }, of: .nginx)
        #expect(hurried[.exclusiveCreation] == .derived && hurried[.conditionalWriting] == .native)
        let lockless = capabilities({ $0.locks = .none }, of: .nginx)
        #expect(lockless[.exclusiveCreation] == .derived && lockless[.conditionalWriting] == .derived)
        #expect(capabilities({ _ in }, of: .nextcloud).has(.treeTags))
    }
}
