import CurlTransport
public import FileProviderCore
public import Foundation
public import HTTPFileProvider

/// Files on a WebDAV server (RFC 4918).
///
/// Files are published: written under a temporary name, their size verified, then moved into place by `MOVE` with `Overwrite`.
public final class WebDAVFileProvider: FileProviderBasicRemote, FileProviderOperations, FileProviderReadWrite {
    /// `WebDAV`, whichever of its schemes the URL had.
    public static let type = "WebDAV"

    let connection: HTTPConnection
    /// The root collection, counted from the server's root: what every href starts with.
    let rootPath: ProviderPath
    /// Where the storage is asked about itself: the server's root need not be WebDAV's.
    let home: ProviderPath
    let cache: ListingCache
    private let tellsQuota = Locked<Bool?>(nil)
    let known: KnownQuirks
    /// What this provider holds locks on.
    let locks = HeldLocks()
    /// The server from its root on, where this provider begins below it and something lies elsewhere.
    let wholeServer = Locked<WebDAVFileProvider?>(nil)

    /// - Throws: `URLError(.badURL)` when the address names no host; `CocoaError(.featureUnsupported)` for a setting that makes no sense.
    public convenience init(
        configuration: WebDAVConfiguration, options: ConnectionOptions = ConnectionOptions(), servers: WebDAVServers = .shared
    ) throws {
        try self.init(
            connection: HTTPConnection(url: WebDAVConfiguration.httpURL(configuration.baseURL), options: options),
            quirks: configuration.quirks, servers: servers)
    }

    /// A provider over a connection that is there already.
    ///
    /// - Parameters:
    ///   - home: A path that is known to be WebDAV's, for questions about the storage as a whole.
    ///   - quirks: What the server does in its own way; nil to find out.
    ///   - servers: Where that is remembered.
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` when the connection's path is none; `CocoaError(.featureUnsupported)` for a setting
    ///   that makes no sense.
    public init(
        connection: HTTPConnection, home: ProviderPath = .root, quirks: WebDAVQuirks? = nil, servers: WebDAVServers = .shared
    ) throws {
        self.connection = connection
        known = try KnownQuirks(
            of: connection.baseURL, given: quirks, settings: connection.options.settings, servers: servers)
        self.home = home
        cache = ListingCache(policy: connection.options.cache)
        rootPath = try ProviderPath(percentEncoded: connection.baseURL.path(percentEncoded: true))
    }

    /// The schemes `dav`, `webdav` (clear) and `davs`, `webdavs` (TLS). The provider's root is the server's.
    /// Its settings overrule what is known of the server: `vendor`, and the others of ``WebDAVQuirks``.
    public static let registration = ProviderRegistration(
        type: type, schemes: ["dav", "davs", "webdav", "webdavs"], settings: settings
    ) { url, options in
        let url = WebDAVConfiguration.httpURL(url)
        let path = try ProviderPath(percentEncoded: url.path(percentEncoded: true))
        let provider = try WebDAVFileProvider(connection: HTTPConnection(url: url.serverRoot, options: options), home: path)
        return ProviderLocation(provider: provider, path: path)
    }

    /// The names of the settings, for registrations of other schemes that come to WebDAV.
    public static let settings: Set<String> = WebDAVQuirks.settingNames

    /// Never nil: the root collection with `http` or `https`, and without the query that goes with each request.
    public var baseURL: URL? { connection.baseURL }

    /// Those of the connection; changing them takes a new provider.
    public var connectionOptions: ConnectionOptions { connection.options }

    /// Forgets `path`, what lies below it, and the listing of the folder it is in; at the root, everything.
    public func dropCache(path: ProviderPath) { cache.drop(path) }

    /// ``baseURL`` with the percent-encoded path behind it, without a slash at the end. Nothing is sent.
    public func url(of path: ProviderPath) -> URL { connection.url(of: path) }

    /// What WebDAV gives everywhere, and what this server adds: it is asked for its quota once, and for what it is.
    public func capabilities() async throws -> Capabilities {
        var capabilities = Capabilities(
            [
                .rangedReading: .native, .suffixReading: .native, .writing: .native, .streamedWriting: .native,
                .folderCreation: .native, .removal: .native, .recursiveRemoval: .native, .moving: .native, .serverSideCopying: .native,
            ],
            readCost: .request, timePrecision: 1)
        let tells: Bool
        if let known = tellsQuota.value {
            tells = known
        } else {
            tells = try await storageProperties() != nil
            tellsQuota.update { $0 = tells }
        }
        if tells { capabilities[.storageProperties] = .native }
        try await quirks().enter(into: &capabilities)
        return capabilities
    }

    /// Whether the path that the provider was made for answers; the server's root need not be WebDAV's.
    public func checkReachability() async throws { _ = try await item(home, isWriting: false) }

    /// What a listing of its folder told while that is remembered, else one `PROPFIND` of depth 0.
    ///
    /// - Complexity: One more `PROPFIND` where the server answers 405 to a URL without a slash.
    public func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        if let known = cache.item(at: path) { return known }
        return try await item(path, isWriting: false)
    }

    /// One `PROPFIND` of depth 0.
    func item(_ path: ProviderPath, isWriting: Bool) async throws -> FileObject {
        let found = Locked<FileObject?>(nil)
        let take: @Sendable ([DAVResponse]) throws -> Void = { responses in
            let place = self.rootPath.appending(path)
            guard let response = responses.first(where: { $0.path == place }) ?? responses.first else { return }
            if let status = response.status, status >= 300 {
                throw self.connection.error(status: status, request: HTTPRequest("PROPFIND", path, isWriting: isWriting))
            }
            found.update { $0 = $0 ?? response.item(at: path) }
        }
        do {
            try await propfind(path, isFolder: path.isRoot, depth: 0, isWriting: isWriting, page: take)
        } catch let error as HTTPStatusError where error.code.rawValue == 405 && !path.isRoot {
            // nginx serves the folder where its WebDAV begins only with the slash.
            try await propfind(path, isFolder: true, depth: 0, isWriting: isWriting, page: take)
        }
        guard let item = found.value else {
            throw noAnswer(about: path)
        }
        return item
    }

    /// What is at `path`; nil for nothing.
    func itemIfAny(_ path: ProviderPath) async throws -> FileObject? {
        do { return try await item(path, isWriting: true) } catch let error where error.isNoSuchFile { return nil }
    }

    /// Lists with one `PROPFIND` of depth 1, in pages as they come.
    public func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        if let known = cache.contents(of: path) { return try await page(known) }
        guard connectionOptions.cache.lifetime > 0 else { return try await list(path, page: page) }
        let moment = cache.now
        let found = Collected<FileObject>()
        try await list(path) { items in
            found.append(items)
            try await page(items)
        }
        cache.keep(found.values, of: path, since: moment)
    }

    /// Lists as things are now.
    func list(_ path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        let folder = Locked(ListedFolder(path: path, expected: rootPath.appending(path)))
        do {
            try await propfind(path, isFolder: true, depth: 1, isWriting: false) { responses in
                let items = try folder.update { try $0.items(in: responses) }
                if !items.isEmpty { try await page(items) }
            }
            guard folder.value.sawFolder else { throw noAnswer(about: path) }
        } catch let error as any FileProviderHTTPError {
            try await refuseFile(path)
            throw error
        } catch let error where error.isNoSuchFile || (error as? CocoaError)?.code == .fileReadNoPermission {
            try await refuseFile(path)
            throw error
        }
    }

    /// Servers answer in many ways when a file is addressed with a slash at its end; this finds out whether that was the reason.
    private func refuseFile(_ path: ProviderPath) async throws {
        guard let item = try await itemIfAny(path), !item.isDirectory else { return }
        throw FileError.notADirectory(path, url: url(of: path))
    }

    /// Capacity by RFC 4331; nil where the server does not tell.
    ///
    /// The folder that the provider was made for is asked; where that is a file, or about to be made, the one that holds it.
    public func storageProperties() async throws -> VolumeObject? {
        do { return try await quota(of: home) } catch {
            guard let parent = home.parent, error.isNoSuchFile || error is any FileProviderHTTPError else { throw error }
            return try await quota(of: parent)
        }
    }

    private func quota(of folder: ProviderPath) async throws -> VolumeObject? {
        let found = Locked<DAVResponse?>(nil)
        try await propfind(folder, isFolder: true, depth: 0, isWriting: false, properties: Self.quota) { responses in
            found.update { $0 = $0 ?? responses.first }
        }
        let (available, used) = (found.value?.quotaAvailable, found.value?.quotaUsed)
        if available == nil, used == nil { return nil }
        let sum = (available ?? 0).addingReportingOverflow(used ?? 0)
        let total = available != nil && used != nil && !sum.overflow ? sum.partialValue : nil
        return VolumeObject(totalCapacity: total, availableCapacity: available, usage: used)
    }

    /// Ends what runs: it throws `URLError(.cancelled)`. Connections are closed; operations after it start anew.
    public func invalidate() {
        cancelOperations()
        connection.cancelAll()
        wholeServer.value?.connection.cancelAll()
    }

    // MARK: PROPFIND

    private static let usual = "<D:resourcetype/><D:getcontentlength/><D:getlastmodified/><D:getetag/><D:getcontenttype/><D:creationdate/>"
    private static let quota = "<D:resourcetype/><D:quota-available-bytes/><D:quota-used-bytes/>"

    /// Sends one `PROPFIND` and gives its responses as they come (RFC 4918, section 9.1). Tried again while nothing was given yet.
    private func propfind(
        _ path: ProviderPath, isFolder: Bool, depth: Int, isWriting: Bool, properties: String = usual,
        page: @Sendable ([DAVResponse]) async throws -> Void
    ) async throws {
        let body = Data(
            #"<?xml version="1.0" encoding="utf-8"?><D:propfind xmlns:D="DAV:"><D:prop>\#(properties)</D:prop></D:propfind>"#.utf8)
        let hasGiven = Locked(false)
        try await connection.options.retries.run(counters: connection.options.counters) { error in
            // A server that fails half way through its answer breaks off, or appends what it has to say to the document.
            !hasGiven.value && (error.isTransient || (error as? CocoaError)?.code == .fileReadCorruptFile)
        } _: {
            let pipe = BytePipe(capacity: 256 << 10)
            let request = HTTPRequest(
                "PROPFIND", path, isFolder: isFolder,
                headers: [("Depth", "\(depth)"), ("Content-Type", "application/xml; charset=utf-8")], body: .data(body),
                isWriting: isWriting
            ) { head in
                guard head.status == 207 else { throw self.noMultistatus(path) }
                return pipe
            }
            try await self.receive(request, through: pipe) { responses in
                hasGiven.update { $0 = true }
                try await page(responses)
            }
        }
    }

    private func receive(_ request: HTTPRequest, through pipe: BytePipe, page: ([DAVResponse]) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [connection] in
                do {
                    _ = try await connection.sendOnce(request)
                    pipe.finish()
                } catch {
                    pipe.finish(throwing: error)
                }
            }
            defer { pipe.abandon() }
            let decoder = try MultistatusDecoder()
            while let data = try await pipe.next() {
                try decoder.parse(data)
                let responses = decoder.take()
                if !responses.isEmpty { try await page(responses) }
            }
            try decoder.finish()
            let last = decoder.take()
            if !last.isEmpty { try await page(last) }
        }
    }

    private func noAnswer(about path: ProviderPath) -> URLError {
        FileError.make(.badServerResponse, url: url(of: path), sentence: "The server's answer says nothing about “\(path)”.")
    }

    private func noMultistatus(_ path: ProviderPath) -> URLError {
        FileError.make(
            .badServerResponse, url: url(of: path),
            sentence: "“\(connection.baseURL.host() ?? "")” answers, but is no WebDAV server at “\(path)”.")
    }
}

/// Sorts the responses of a depth-1 `PROPFIND` into the folder itself and what it holds.
private struct ListedFolder {
    let path: ProviderPath
    /// Where the folder's own href should be; corrected once when the server writes its hrefs in another way, as behind a proxy.
    var expected: ProviderPath
    private var isFirst = true
    /// Whether the folder itself was among the responses, as it has to be.
    private(set) var sawFolder = false

    init(path: ProviderPath, expected: ProviderPath) {
        self.path = path
        self.expected = expected
    }

    mutating func items(in responses: [DAVResponse]) throws -> [FileObject] {
        var items: [FileObject] = []
        for response in responses {
            // An href that holds no legal path names nothing that could be asked for.
            guard let href = response.path else { continue }
            if isFirst {
                isFirst = false
                if href != expected, href.parent != expected { expected = href }
            }
            if href == expected {
                sawFolder = true
                if !response.isCollection { throw FileError.notADirectory(path) }
            } else if href.parent == expected, (response.status ?? 200) < 300 {
                items.append(response.item(at: try path.appending(nameBytes: href.nameBytes)))
            }
        }
        return items
    }
}
