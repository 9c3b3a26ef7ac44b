import CurlTransport
import FaultServer
import FileProviderCore
import Foundation
import HTTPFileProvider
import Testing

/// What a provider makes of the abilities of its service.
@Suite struct HTTPAbilitiesTests {
    private let options = ConnectionOptions(
        timeouts: Timeouts(connect: 20, idle: 60), retries: RetryPolicy(retries: 0), cache: CachePolicy(lifetime: 600))

    private func provider(_ server: ShelfServer, _ service: AbleService = AbleService()) throws -> HTTPFileProvider<
        AbleService
    > {
        try HTTPFileProvider(service: service, url: server.url, options: options)
    }

    private func file(_ path: String, size: Int64 = 1) throws -> FileObject {
        FileObject(path: try ProviderPath(path), type: .regular, size: size)
    }

    private func folder(_ path: String) throws -> FileObject {
        FileObject(path: try ProviderPath(path), type: .directory)
    }

    @Test func `a provider has the abilities of its service, and no others`() async throws {
        let server = try ShelfServer()
        let able: any FileProviderBasic = try provider(server)
        #expect(able is any FileProviderSearch)
        #expect(able is any FileProviderLongPolling)
        #expect(able is any ExtendedFileProvider)
        #expect(able is any FileProviderAttributes)
        #expect(able is any FileProviderChecksums)
        #expect(able is any FileProviderSharing)
        #expect(try await able.capabilities().hashKinds == ["able"])
        #expect(try await able.capabilities()[.publicLinks] == .native)
        let plain: any FileProviderBasic = try HTTPFileProvider(service: ShelfService(), url: server.url)
        #expect(!(plain is any FileProviderSearch))
        #expect(!(plain is any FileProviderLongPolling))
        #expect(!(plain is any ExtendedFileProvider))
        #expect(!(plain is any FileProviderAttributes))
        #expect(!(plain is any FileProviderChecksums))
        #expect(!(plain is any FileProviderSharing))
    }

    @Test func `capabilities say nothing that the service has no protocol for`() async throws {
        let server = try ShelfServer()
        let capabilities = try await HTTPFileProvider(service: BoastfulService(), url: server.url).capabilities()
        for ability in [Capabilities.Ability.publicLinks, .symbolicLinks, .resumingWrites] {
            #expect(!capabilities.has(ability))
        }
        #expect(capabilities.hashKinds.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a copied folder appears whole where it can be moved to its place`(_ moves: Bool) async throws {
        let server = try ShelfServer()
        var service = AbleService()
        service.moves = moves
        let capabilities = try await provider(server, service).capabilities()
        #expect(capabilities[.atomicFolderCopying] == (moves ? .derived : .unavailable))
    }

    // MARK: Search

    private func finding(_ pages: [String: HTTPPage]) throws -> (ShelfServer, HTTPFileProvider<AbleService>) {
        let server = try ShelfServer { request in
            guard let token = request.target.split(separator: "=").last, request.target.contains("search=") else {
                return nil
            }
            return .reply(200, headers: ["X-Search": String(token)])
        }
        var service = AbleService()
        service.finds = pages
        return (server, try provider(server, service))
    }

    @Test func `what the server finds is asked the query, and given once, from below the folder alone`() async throws {
        let (server, provider) = try finding([
            "first": HTTPPage(
                [file("/d/book.epub"), file("/d/note.txt"), file("/other/book.epub")], nextToken: "second"),
            "second": HTTPPage([file("/d/book.epub"), file("/d/deep/book.epub")]),
        ])
        let query = FileQuery.matching { $0.name.hasSuffix(".epub") }
        let all = try await provider.searchFiles(path: ProviderPath("d"), recursive: true, query: query)
        #expect(all.map(\.path.string) == ["/d/book.epub", "/d/deep/book.epub"])
        let near = try await provider.searchFiles(path: ProviderPath("d"), recursive: false, query: query)
        #expect(near.map(\.path.string) == ["/d/book.epub"])
        #expect(server.requests.map(\.target).allSatisfy { $0.contains("search=") })
    }

    @Test func `a query that the server cannot say is answered by listing`() async throws {
        let server = try ShelfServer()
        try server.put("d", nil)
        try server.put("d/book.epub", Data([1]))
        let found = try await provider(server).searchFiles(path: ProviderPath("d"), recursive: true, query: .all)
        #expect(found.map(\.path.string) == ["/d/book.epub"])
    }

    @Test func `a search below what is no folder says so`() async throws {
        let (server, provider) = try finding(["first": HTTPPage([])])
        try server.put("file", Data([1]))
        let missing = await #expect(throws: CocoaError.self) {
            try await provider.searchFiles(path: ProviderPath("missing"), recursive: true, query: .all)
        }
        #expect(missing?.isNoSuchFile == true)
        let file = await #expect(throws: CocoaError.self) {
            try await provider.searchFiles(path: ProviderPath("file"), recursive: true, query: .all)
        }
        #expect(file?.code == .fileReadUnknown)
    }

    // MARK: Changes

    /// What a watch of `/d` is told of a feed.
    private func events(_ pages: [HTTPChangesPage?], _ change: (inout AbleFeed) -> Void = { _ in }) async throws
        -> (LongPollAnswer, AbleFeed)
    {
        let server = try ShelfServer()
        try server.put("d", nil)
        let service = AbleService()
        service.feed.update { feed in
            feed.pages = pages
            change(&feed)
        }
        let provider = try provider(server, service)
        let path = try ProviderPath("d")
        let start = try await provider.changes(path: path, since: nil)
        #expect(start.events.isEmpty)
        return (try await provider.changes(path: path, since: start.token), service.feed.value)
    }

    @Test func `changes come from all pages as events that can be replayed`() async throws {
        let (answer, feed) = try await events([
            HTTPChangesPage(
                [
                    .present(file("/d/new")), .present(file("/d/old"), isNew: false), .absent(ProviderPath("/d/gone")),
                    .present(file("/elsewhere/x")), .absent(ProviderPath("/elsewhere")),
                ], nextToken: "2", isLast: false),
            HTTPChangesPage(
                [
                    .moved(file("/d/b"), from: ProviderPath("/d/a")), .moved(file("/out"), from: ProviderPath("/d/c")),
                    .moved(file("/d/in"), from: ProviderPath("/out")), .present(folder("/d/folder"), isNew: true),
                    .present(folder("/d")),
                ], nextToken: "3"),
        ])
        #expect(
            answer.events.map(\.description) == [
                "created /d/new", "modified /d/old", "removed /d/gone", "moved /d/a → /d/b", "removed /d/c",
                "created /d/in", "created /d/folder",
            ])
        #expect(answer.token == "3")
        #expect(feed.asked == ["1", "2"])
    }

    @Test func `what a folder holds of which the server does not tell is listed anew, where it lies in the end`()
        async throws
    {
        let (answer, _) = try await events([
            HTTPChangesPage(
                [
                    .present(folder("/d/one")), .present(file("/d/one/x")),
                    .moved(folder("/d/two"), from: ProviderPath("/d/one")),
                    .moved(folder("/d/in"), from: ProviderPath("/out")),
                ], nextToken: "2")
        ])
        #expect(
            answer.events.map(\.description) == [
                "created /d/one", "created /d/one/x", "moved /d/one → /d/two", "created /d/in", "rescan /d/two",
                "rescan /d/in",
            ])
    }

    @Test func `a token that the server has forgotten is a rescan with a new token`() async throws {
        let (answer, _) = try await events([HTTPChangesPage([], nextToken: "2", isLast: false), nil]) {
            $0.tokens = ["1", "9"]
        }
        #expect(answer.events.map(\.description) == ["rescan /d"])
        #expect(answer.token == "9")
    }

    @Test func `a feed without an end is a rescan with a new token after 1,024 pages`() async throws {
        let pages = (2...2_000).map { HTTPChangesPage([], nextToken: "\($0)", isLast: false) }
        let (answer, feed) = try await events(pages) { $0.tokens = ["1", "new"] }
        #expect(answer.events.map(\.description) == ["rescan /d"])
        #expect(answer.token == "new")
        #expect(feed.asked.count == 1_024)
    }

    @Test(arguments: [64, 65])
    func `more folders than are listed one by one are one rescan, and no further page is read`(_ count: Int)
        async throws
    {
        let folders = try (1...count).map { HTTPChange.present(try folder("/d/\($0)")) }
        let pages = [
            HTTPChangesPage(folders, nextToken: "2", isLast: false), HTTPChangesPage([], nextToken: "3"),
        ]
        let (answer, feed) = try await events(pages) { $0.tokens = ["1", "new"] }
        let rescans = answer.events.filter { $0.kind == .rescan }.map(\.path.string)
        #expect(rescans == (count == 64 ? (1...64).map { "/d/\($0)" } : ["/d"]))
        #expect(answer.token == (count == 64 ? "3" : "new"))
        #expect(feed.asked == (count == 64 ? ["1", "2"] : ["1"]))
    }

    @Test func `the server's time running out is an answer without events`() async throws {
        let (answer, feed) = try await events([]) { $0.waits = false }
        #expect(answer == LongPollAnswer(events: [], token: "1"))
        #expect(feed.asked.isEmpty)
    }

    @Test func `a feed that goes in a circle is found out`() async throws {
        let error = await #expect(throws: URLError.self) {
            _ = try await events([
                HTTPChangesPage([], nextToken: "2", isLast: false), HTTPChangesPage([], nextToken: "1", isLast: false),
            ])
        }
        #expect(error?.code == .badServerResponse)
    }

    @Test func `the end of the watched folder, or of one above it, is said`() async throws {
        for gone in ["/d", "/"] {
            let error = await #expect(throws: CocoaError.self) {
                _ = try await events([HTTPChangesPage([.absent(ProviderPath(gone))], nextToken: "2")])
            }
            #expect(error?.code == .fileReadNoSuchFile)
        }
        let back = try await events([
            HTTPChangesPage([.absent(ProviderPath("/d")), .present(folder("/d"))], nextToken: "2")
        ])
        #expect(back.0.events.map(\.description) == ["rescan /d"])
    }

    @Test func `a watch goes by the feed, and nothing is listed`() async throws {
        let server = try ShelfServer()
        let service = AbleService()
        let page = HTTPChangesPage([.present(try file("/new"))], nextToken: "2")
        service.feed.update { $0.pages = [page] }
        let changes = try await provider(server, service).changes(at: .root)
        #expect(try await changes.watch.next()?.map(\.description) == ["created /new"])
        await changes.stop()
        #expect(server.requests.isEmpty)
    }

    // MARK: Files

    @Test func `a hash is asked for of files, by a kind that there is, and has hexadecimal digits`() async throws {
        let server = try ShelfServer()
        try server.put("file", Data([1]))
        try server.put("folder", nil)
        let provider = try provider(server)
        #expect(try await provider.checksum(of: ProviderPath("file"), kind: "able") == "00ff")
        let cases: [(String, String, CocoaError.Code)] = [
            ("file", "sha256", .featureUnsupported), ("folder", "able", .fileReadUnknown),
            ("missing", "able", .fileReadNoSuchFile),
        ]
        for (name, kind, code) in cases {
            let error = await #expect(throws: CocoaError.self) {
                try await provider.checksum(of: ProviderPath(name), kind: kind)
            }
            #expect(error?.code == code)
        }
        var lying = AbleService()
        lying.hash = "no hash"
        let other = try self.provider(server, lying)
        let error = await #expect(throws: URLError.self) {
            try await other.checksum(of: ProviderPath("file"), kind: "able")
        }
        #expect(error?.code == .badServerResponse)
    }

    @Test func `a thumbnail of another page, or a larger one, is left to the generators`() async throws {
        let server = try ShelfServer()
        let provider = try provider(server)
        let path = try ProviderPath("picture.jpg")
        let thumbnail = try await provider.providedThumbnail(path: path, request: ThumbnailRequest(dimension: 64))
        #expect(thumbnail.width == 64)
        for request in [ThumbnailRequest(dimension: 63), ThumbnailRequest(dimension: 64, page: 2)] {
            let error = await #expect(throws: CocoaError.self) {
                try await provider.providedThumbnail(path: path, request: request)
            }
            #expect(error?.code == .featureUnsupported)
        }
        // The service says nothing of properties.
        #expect(!provider.providesProperties(path: path))
        let error = await #expect(throws: CocoaError.self) { try await provider.providedProperties(path: path) }
        #expect(error?.code == .featureUnsupported)
    }

    @Test func `attributes are set of what is there, and what was remembered of it is not used afterwards`()
        async throws
    {
        let server = try ShelfServer()
        try server.put("file", Data([1]))
        let service = AbleService()
        let provider = try provider(server, service)
        let (path, date) = (try ProviderPath("file"), Date(timeIntervalSince1970: 1_000_000))
        _ = try await provider.contentsOfDirectory(path: .root)
        let before = server.requests.count
        _ = try await provider.attributesOfItem(path: path)
        #expect(server.requests.count == before)
        try await provider.setAttributes(path: path, permissions: 0o100644, modificationDate: date)
        #expect(service.attributesSet.values.map(\.0) == [path])
        #expect(service.attributesSet.values.map(\.1) == [0o644])
        #expect(service.attributesSet.values.map(\.2) == [date])
        let after = server.requests.count
        _ = try await provider.attributesOfItem(path: path)
        #expect(server.requests.count == after + 1)
        let error = await #expect(throws: CocoaError.self) {
            try await provider.setAttributes(path: ProviderPath("missing"), permissions: 0o644, modificationDate: nil)
        }
        #expect(error?.code == .fileNoSuchFile)
        #expect(service.attributesSet.values.count == 1)
    }

    @Test func `an answer to a change that the service cannot read is one of another server`() async throws {
        let server = try ShelfServer()
        try server.put("file", Data([1]))
        var service = AbleService()
        service.misreads = true
        let provider = try provider(server, service)
        let path = try ProviderPath("file")
        let changes: [@Sendable () async throws -> Void] = [
            { try await provider.createFolder(path: ProviderPath("folder")) },
            { try await provider.removeItem(path: path) },
            { try await provider.setAttributes(path: path, permissions: 0o644, modificationDate: nil) },
        ]
        for change in changes {
            let error = await #expect(throws: URLError.self) { try await change() }
            #expect(error?.code == .badServerResponse)
            #expect(error?.sentence.contains("is not one of Able") == true)
        }
    }

    // MARK: Origins

    @Test(arguments: [Credential.bearer("secret"), .password(user: "ann", password: "secret")])
    func `a token goes to the service's own origins and to no other, a password to none of them`(
        _ credential: Credential
    ) async throws {
        let challenge = ["WWW-Authenticate": "Basic realm=\"r\""]
        let servers = try (0..<3).map { number in
            try FaultServer { request in
                number == 0 && request.headers["authorization"] == nil ? .reply(401, headers: challenge) : .reply(200)
            }
        }
        defer { for server in servers { server.stop() } }
        var service = AbleService()
        service.ownOrigins = [Origin(scheme: "http", host: "127.0.0.1", port: servers[1].port)]
        var options = self.options
        options.credentials = FixedCredential(credential)
        options.proxy = .none
        let provider = try HTTPFileProvider(service: service, url: servers[0].url(), options: options)
        for server in servers {
            var request = HTTPRequest("POST", path: try ProviderPath("x"), body: .data(Data([1])))
            request.url = server.url()
            _ = try await provider.connection.send(request)
        }
        #expect(servers[0].requests.last?.headers["authorization"] != nil)
        let isToken = if case .bearer = credential.kind { true } else { false }
        #expect(servers[1].requests.map { $0.headers["authorization"] } == [isToken ? "Bearer secret" : nil])
        #expect(servers[2].requests.map { $0.headers["authorization"] } == [nil])
    }
}

/// A service that says more than it can do.
private struct BoastfulService: HTTPService {
    static let type = "Boastful"
    let shelf = ShelfService()

    func capabilities(over connection: HTTPConnection) async throws -> Capabilities {
        var capabilities = try await shelf.capabilities(over: connection)
        for ability in [Capabilities.Ability.publicLinks, .symbolicLinks, .resumingWrites] {
            capabilities[ability] = .native
        }
        capabilities.hashKinds = ["sha256"]
        return capabilities
    }

    func attributesOfItem(path: ProviderPath, over connection: HTTPConnection) async throws -> FileObject {
        try await shelf.attributesOfItem(path: path, over: connection)
    }

    func request(forContentsOf path: ProviderPath, token: String?) throws -> HTTPRequest? { nil }

    func page(ofContentsOf path: ProviderPath, data: Data, head: ResponseHead) throws -> HTTPPage { HTTPPage([]) }

    func request(for operation: HTTPOperation, overwrite: Bool, attributes: HTTPWriteAttributes) throws -> HTTPRequest?
    { nil }

    func serverError(with code: FileProviderHTTPErrorCode, path: ProviderPath, data: Data) -> any FileProviderHTTPError
    {
        shelf.serverError(with: code, path: path, data: data)
    }
}
