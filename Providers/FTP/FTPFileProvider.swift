import CurlTransport
public import FileProviderCore
public import Foundation

/// Files on an FTP server (RFC 959, 2389, 2428, 3659), in clear or over TLS (RFC 4217).
///
/// Keeps control connections open and lends one to each operation. Writes files under a temporary name, verifies their
/// size, and renames them into place.
public final class FTPFileProvider: FileProviderBasicRemote, FileProviderOperations, FileProviderReadWrite,
    FixedReadCost
{
    /// `FTP`, for all schemes.
    public static let type = "FTP"

    let connection: FTPConnection
    let cache: ListingCache
    /// The configuration that the provider was created with.
    public let configuration: FTPConfiguration

    /// Creates a provider. Sends nothing.
    ///
    /// - Parameter configuration: Its root becomes the provider's root. A path that begins with `/~/` is relative to
    ///   the folder in which a login begins.
    /// - Throws: `URLError(.badURL)` if the URL is not the address of an FTP server.
    public convenience init(configuration: FTPConfiguration, options: ConnectionOptions = ConnectionOptions()) throws {
        try self.init(configuration: configuration, user: nil, password: nil, options: options)
    }

    private init(configuration: FTPConfiguration, user: String?, password: String?, options: ConnectionOptions) throws {
        self.configuration = configuration
        connection = try FTPConnection(configuration: configuration, user: user, password: password, options: options)
        cache = ListingCache(policy: options.cache)
    }

    /// The registration of the schemes `ftp` (in clear), `ftpes` (explicit TLS) and `ftps` (implicit TLS). The root of
    /// a registered provider is the root of the server.
    public static let registration = ProviderRegistration(
        type: type, schemes: ["ftp", "ftpes", "ftps"], settings: FTPConfiguration.settingNames
    ) { url, options in
        let configuration = try FTPConfiguration(baseURL: url.serverRoot, settings: options.settings)
        let provider = try FTPFileProvider(
            configuration: configuration, user: url.user(percentEncoded: false),
            password: url.password(percentEncoded: false),
            options: options)
        return ProviderLocation(
            provider: provider, path: try ProviderPath(percentEncoded: url.path(percentEncoded: true)))
    }

    /// The URL of the root, without secrets. Never nil.
    public var baseURL: URL? { connection.baseURL }

    /// The options that the provider was created with. To change them, create another provider.
    public var connectionOptions: ConnectionOptions { connection.options }

    /// Drops the cached listings of `path`, of the items below it and of its parent; at the root, all listings.
    public func dropCache(path: ProviderPath) { cache.drop(path) }

    /// Returns ``baseURL`` with the percent-encoded path appended. Sends nothing.
    public func url(of path: ProviderPath) -> URL { connection.url(of: path) }

    /// Each range takes a separate data connection and six round trips, including those that verify the version. So it
    /// is cheaper to read on.
    static let readCost = Capabilities.ReadCost(
        roundTripsToOpen: 7, roundTripsPerRange: 6, preferredBlock: 64 << 10, coalescingGap: 256 << 10,
        concurrentRanges: 1)
    package var readCost: Capabilities.ReadCost { Self.readCost }

    /// Returns what FTP always provides and what this server's features add (RFC 2389). Needs one login if there was
    /// none.
    public func capabilities() async throws -> Capabilities {
        let features = try await connection.run(.root) { session in session.host.features ?? FTPFeatures(nil) }
        let host = connection.host
        var capabilities = Capabilities(
            [
                .rangedReading: .native, .suffixReading: .derived, .writing: .native, .streamedWriting: .native,
                .atomicReplacement: host.renameReplaces ? .native : .derived, .exclusiveCreation: .derived,
                .resumingWrites: .native, .appending: host.mayKnow("APPE") ? .native : .unavailable,
                .folderCreation: .native,
                .removal: .native,
                .recursiveRemoval: .derived, .moving: .native, .atomicFolderCopying: .derived,
                .serverSideCopying: features.hasSite("COPY") && host.mayKnow("SITE CPFR") ? .native : .unavailable,
            ],
            readCost: Self.readCost, timePrecision: host.hasMachineListings ? 1 : 60,
            listsEveryName: host.hasMachineListings || host.listsHidden != false,
            hashKinds: host.hashes.map(\.kind.name))
        if timeCommand != nil { capabilities[.settingModificationDate] = .native }
        if features.hasSite("SYMLINK") { capabilities[.symbolicLinks] = .native }
        // The free space changes; whether the server reports it does not.
        let tellsSpace = if let known = host.tellsSpace { known } else { try await storageProperties() != nil }
        host.tellsSpace = tellsSpace
        if tellsSpace { capabilities[.storageProperties] = .native }
        return capabilities
    }

    /// Logs in, and throws if that fails.
    public func checkReachability() async throws { try await connection.run(.root) { _ in } }

    /// Cancels running operations with `URLError(.cancelled)` and closes all connections. Later operations open new
    /// ones.
    public func invalidate() {
        cancelOperations()
        connection.pool.closeAll()
    }
}
