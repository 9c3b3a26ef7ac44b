import CurlTransport
public import FileProviderCore
public import Foundation
public import HTTPFileProvider

/// Files on a WebDAV server (RFC 4918).
///
/// Files appear whole: they are uploaded under a temporary name and moved into place by `MOVE`, or by one `PUT` if the
/// server shows nothing before its end, or in chunks on Nextcloud. Each upload is verified before it replaces a file.
public final class WebDAVFileProvider: FileProviderBasicRemote, FileProviderOperations, FileProviderReadWrite,
    FixedReadCost
{
    /// `WebDAV`, for every scheme of this provider.
    public static let type = "WebDAV"

    let connection: HTTPConnection
    /// The root collection, counted from the server's root: what every href starts with.
    let rootPath: ProviderPath
    /// The path for questions about the storage as a whole: the server's root need not be WebDAV.
    let home: ProviderPath
    let cache: ListingCache
    private let tellsQuota = LockedValue<Bool?>(nil)
    let known: KnownQuirks
    /// The locks that this provider holds.
    let locks = HeldLocks()
    /// How the server encodes its hrefs, as its answers have shown.
    let hrefEncoding = LockedValue(HrefEncoding.once)
    /// How the server writes its own address, where that differs from ``baseURL``.
    let hrefBase = LockedValue<HrefBase?>(nil)
    /// The form of `Destination` that has worked.
    let knownDestination = LockedValue<DestinationForm?>(nil)
    /// Whether an upload was seen whole under a temporary name: what this server says of uploads is true.
    let keepsUploads = LockedValue(false)
    /// Whether the server takes uploads of unknown length; nil while none was tried.
    let takesUnknownLengths = LockedValue<Bool?>(nil)
    /// The server from its root on, where this provider begins below it and something lies elsewhere.
    let wholeServer = LockedValue<WebDAVFileProvider?>(nil)

    /// Creates a provider for the server of a configuration. Sends nothing.
    ///
    /// - Throws: `URLError(.badURL)` if the address has no host; `CocoaError(.featureUnsupported)` for an invalid
    ///   setting.
    public convenience init(
        configuration: WebDAVConfiguration, options: ConnectionOptions = ConnectionOptions(),
        servers: WebDAVServers = .shared
    ) throws {
        try self.init(
            connection: HTTPConnection(
                url: WebDAVConfiguration.httpURL(configuration.baseURL), options: options, provider: Self.type),
            quirks: configuration.quirks, servers: servers)
    }

    /// Creates a provider that uses an existing connection.
    ///
    /// - Parameters:
    ///   - home: A path that WebDAV serves, for questions about the storage as a whole.
    ///   - quirks: The behaviour of the server; nil to find out.
    ///   - servers: The memory for that behaviour.
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` if the connection's path is invalid;
    ///   `CocoaError(.featureUnsupported)` for an invalid setting.
    public init(
        connection: HTTPConnection, home: ProviderPath = .root, quirks: WebDAVQuirks? = nil,
        servers: WebDAVServers = .shared
    ) throws {
        self.connection = connection
        known = try KnownQuirks(
            of: connection.url(of: home), given: quirks, settings: connection.options.settings, servers: servers)
        self.home = home
        cache = ListingCache(policy: connection.options.cache)
        rootPath = try ProviderPath(percentEncoded: connection.baseURL.path(percentEncoded: true))
    }

    /// The schemes `dav`, `webdav` (clear) and `davs`, `webdavs` (TLS). The provider's root is the server's.
    /// Its settings override the known behaviour of the server: `vendor`, and the others of ``WebDAVQuirks``.
    public static let registration = ProviderRegistration(
        type: type, schemes: ["dav", "davs", "webdav", "webdavs"], settings: settings
    ) { url, options in
        let url = WebDAVConfiguration.httpURL(url)
        let path = try ProviderPath(percentEncoded: url.path(percentEncoded: true))
        let provider = try WebDAVFileProvider(
            connection: HTTPConnection(url: url.serverRoot, options: options, provider: type), home: path)
        return ProviderLocation(provider: provider, path: path)
    }

    /// The names of the settings, for registrations of other schemes that lead to WebDAV.
    public static let settings: Set<String> = WebDAVQuirks.settingNames

    /// The root collection with `http` or `https`, without the query that goes with each request. Never nil.
    public var baseURL: URL? { connection.baseURL }

    /// The options of the connection. To change them, create a new provider.
    public var connectionOptions: ConnectionOptions { connection.options }

    /// Forgets the item at `path`, all items below it, and the listing of its folder; at the root, everything.
    public func dropCache(path: ProviderPath) {
        cache.drop(path)
        connection.drop(path)
    }

    /// Returns ``baseURL`` with the percent-encoded path after it, without a slash at the end. Sends nothing.
    public func url(of path: ProviderPath) -> URL { connection.url(of: path) }

    /// Each range is a `GET`.
    package var readCost: Capabilities.ReadCost { .request }

    /// Returns the abilities of WebDAV and of this server. Asks the server once for its quota and its behaviour.
    public func capabilities() async throws -> Capabilities {
        var capabilities = Capabilities(
            [
                .rangedReading: .native, .suffixReading: .native, .writing: .native, .streamedWriting: .native,
                .folderCreation: .native, .removal: .native, .recursiveRemoval: .native, .moving: .native,
                .serverSideCopying: .native,
            ],
            readCost: readCost, timePrecision: 1)
        let tells: Bool
        if let known = tellsQuota.value {
            tells = known
        } else {
            tells = try await tellsStorage()
            tellsQuota.update { $0 = tells }
        }
        if tells { capabilities[.storageProperties] = .native }
        let quirks = try await quirks()
        quirks.enter(into: &capabilities)
        if quirks.chunkSize != nil, try ChunkedUpload.uploads(for: rootPath.appending(home).appending("file")) != nil {
            capabilities[.resumingWrites] = .native
        }
        if try await ownCloudFiles(at: home) != nil {
            capabilities[.publicLinks] = .native
            capabilities.hashKinds = Self.hashKinds
            capabilities.hashesEveryFile = false
            capabilities.computesHashes = quirks.vendor != .nextcloud
        }
        return capabilities
    }

    /// Whether the server tells its quota; one that refuses the question does not.
    private func tellsStorage() async throws -> Bool {
        do { return try await storageProperties() != nil } catch let error
            where [403, 405, 501].contains(Self.status(of: error))
        {
            return false
        }
    }

    /// Checks that the path that the provider was made for answers; the server's root need not be WebDAV.
    public func checkReachability() async throws { _ = try await item(home, isWriting: false) }

    /// Cancels running operations, which throw `URLError(.cancelled)`, and closes the connections. Later operations
    /// open new ones.
    public func invalidate() {
        cancelOperations()
        connection.cancelAll()
        wholeServer.value?.connection.cancelAll()
    }
}
