import CurlTransport
public import FileProviderCore
public import Foundation

/// Files on an FTP server (RFC 959, 2389, 2428, 3659), in clear or over TLS (RFC 4217).
///
/// Control connections are kept and lent, one to each operation. Files are written under a temporary name, their size
/// is looked at, and they are renamed into place.
public final class FTPFileProvider: FileProviderBasicRemote, FileProviderOperations, FileProviderReadWrite {
    /// `FTP`, whichever of its schemes the URL had.
    public static let type = "FTP"

    let connection: FTPConnection
    let cache: ListingCache
    /// What the provider was made of.
    public let configuration: FTPConfiguration

    /// Nothing is sent.
    ///
    /// - Parameter configuration: Its root is the provider's; a path that begins with `/~/` counts from the folder that
    ///   a login begins in.
    /// - Throws: `URLError(.badURL)` when the address names no FTP server.
    public convenience init(configuration: FTPConfiguration, options: ConnectionOptions = ConnectionOptions()) throws {
        try self.init(configuration: configuration, user: nil, password: nil, options: options)
    }

    private init(configuration: FTPConfiguration, user: String?, password: String?, options: ConnectionOptions) throws {
        self.configuration = configuration
        connection = try FTPConnection(configuration: configuration, user: user, password: password, options: options)
        cache = ListingCache(policy: options.cache)
    }

    /// The schemes `ftp` (in clear), `ftpes` (explicit TLS) and `ftps` (implicit TLS). The provider's root is the
    /// server's.
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

    /// Never nil.
    public var baseURL: URL? { connection.baseURL }

    /// Those given; changing them takes a new provider.
    public var connectionOptions: ConnectionOptions { connection.options }

    /// Forgets `path`, what lies below it, and the listing of the folder it is in; at the root, everything.
    public func dropCache(path: ProviderPath) { cache.drop(path) }

    /// ``baseURL`` with the percent-encoded path behind it. Nothing is sent.
    public func url(of path: ProviderPath) -> URL { connection.url(of: path) }

    /// A range takes a data connection of its own, six round trips with what makes sure of the version; so it pays to
    /// read on.
    static let readCost = Capabilities.ReadCost(
        roundTripsToOpen: 7, roundTripsPerRange: 6, preferredBlock: 64 << 10, coalescingGap: 256 << 10,
        concurrentRanges: 1)

    /// What FTP gives everywhere, and what this server says that it has (RFC 2389). One login, where there was none.
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
        // What is free changes, that it is told does not.
        let tellsSpace = if let known = host.tellsSpace { known } else { try await storageProperties() != nil }
        host.tellsSpace = tellsSpace
        if tellsSpace { capabilities[.storageProperties] = .native }
        return capabilities
    }

    /// Whether a login works.
    public func checkReachability() async throws { try await connection.run(.root) { _ in } }

    /// Ends what runs: it throws `URLError(.cancelled)`. Connections are closed; operations after it start anew.
    public func invalidate() {
        cancelOperations()
        connection.pool.closeAll()
    }
}
