public import FileProviderCore
public import Foundation
import SFTPEngine

/// Files on an SFTP server (draft-ietf-secsh-filexfer-02, and OpenSSH's extensions).
///
/// Any number of requests is in flight at once, over one channel. Large files use separate channels and connections.
/// Files are written under a temporary name and renamed into place in one step.
public final class SFTPFileProvider: FileProviderBasicRemote, FileProviderOperations, FileProviderReadWrite,
    FixedReadCost
{
    /// `SFTP`.
    public static let type = "SFTP"

    let connection: SFTPConnection
    let cache: ListingCache
    var handles: SFTPHandles { connection.handles }
    private let access: SFTPAccess?
    /// The configuration that the provider was created with.
    public let configuration: SFTPConfiguration

    /// Creates a provider. Sends nothing.
    ///
    /// - Parameter configuration: Its root becomes the provider's root. A path that begins with `/~/` is relative to
    ///   the folder in which a login begins.
    /// - Throws: `URLError(.badURL)` if the URL is not the address of an SFTP server.
    public convenience init(configuration: SFTPConfiguration, options: ConnectionOptions = ConnectionOptions()) throws {
        try self.init(configuration: configuration, password: nil, options: options)
    }

    convenience init(configuration: SFTPConfiguration, password: String?, options: ConnectionOptions) throws {
        let access = try SFTPAccess(configuration: configuration, password: password, options: options)
        try self.init(configuration: configuration, options: options, access: access) { try await access.connect() }
    }

    /// - Parameters:
    ///   - near: A server with a shorter round trip is near.
    ///   - standstill: How long an opening waits for a handle while no reply arrives.
    ///   - connect: Opens a logged-in link.
    init(
        configuration: SFTPConfiguration, options: ConnectionOptions, near: Duration = .milliseconds(2),
        standstill: Duration = .seconds(15), access: SFTPAccess? = nil,
        connect: @escaping @Sendable () async throws -> any SFTPLink
    ) throws {
        self.configuration = configuration
        self.access = access
        connection = try SFTPConnection(
            configuration: configuration, options: options, near: near, standstill: standstill, connect: connect)
        cache = ListingCache(policy: options.cache)
    }

    /// The registration of the scheme `sftp`. The root of a registered provider is the root of the server; a path that
    /// begins with `/~/` is relative to the login folder.
    public static let registration = ProviderRegistration(
        type: type, schemes: ["sftp"], settings: SFTPConfiguration.settingNames
    ) { url, options in
        let configuration = try SFTPConfiguration(baseURL: url.serverRoot, settings: options.settings)
        let provider = try SFTPFileProvider(
            configuration: configuration, password: url.password(percentEncoded: false), options: options)
        return ProviderLocation(
            provider: provider, path: try ProviderPath(percentEncoded: url.path(percentEncoded: true)))
    }

    /// The URL of the root, without secrets. Never nil.
    public var baseURL: URL? { connection.baseURL }

    /// The options that the provider was created with. To change them, create another provider.
    public var connectionOptions: ConnectionOptions { connection.options }

    /// A sentence for each part of the user's ssh configuration that is not followed, because there is no ssh program
    /// to read it. Empty until the first connection.
    public var warnings: [String] { access?.warnings ?? [] }

    /// Drops the cached listings of `path`, of the items below it and of its parent; at the root, all listings.
    public func dropCache(path: ProviderPath) { cache.drop(path) }

    /// Returns ``baseURL`` with the percent-encoded path appended. Sends nothing.
    public func url(of path: ProviderPath) -> URL { connection.url(of: path) }

    /// The first read opens the file and looks at it in one round trip. After that, any number of ranges takes one
    /// round trip.
    static let readCost = Capabilities.ReadCost(
        roundTripsToOpen: 2, roundTripsPerRange: 1, preferredBlock: 16 << 10, coalescingGap: 16 << 10,
        concurrentRanges: 16)
    package var readCost: Capabilities.ReadCost { Self.readCost }

    /// Returns what SFTP always provides and what this server announces.
    ///
    /// - Throws: The error of a failed login.
    /// - Complexity: One login if there was none, and one round trip, once, to see whether the server does what it
    ///   acknowledges.
    public func capabilities() async throws -> Capabilities {
        let host = connection.host
        return try await connection.run(.root) { session in
            let isHonest = try await host.isHonest(beside: .root, session)
            return Capabilities(
                [
                    .rangedReading: .native, .suffixReading: .derived, .writing: .native, .streamedWriting: .native,
                    .atomicReplacement: host.has(.posixRename, session) ? .native : .derived,
                    .exclusiveCreation: isHonest && host.has(.hardlink, session) ? .native : .derived,
                    .resumingWrites: isHonest ? .native : .unavailable, .appending: isHonest ? .native : .unavailable,
                    .folderCreation: .native, .removal: .native,
                    .recursiveRemoval: .derived, .moving: .native, .atomicFolderCopying: .derived,
                    .serverSideCopying: host.has(.copyData, session) ? .native : .unavailable,
                    .settingModificationDate: .native, .settingPermissions: isHonest ? .native : .unavailable,
                    .storageProperties: isHonest && host.has(.statvfs, session) ? .native : .unavailable,
                    .symbolicLinks: isHonest ? .native : .unavailable, .rawNames: .native,
                ],
                readCost: Self.readCost, timePrecision: 1,
                hashKinds: self.configuration.usesShell ? SFTPHash.allCases.map(\.rawValue) : [],
                concurrentTransfers: Self.concurrentTransfers(session.limits, host.room.learned))
        }
    }

    /// The number of small files in flight. Each takes a few round trips, little bandwidth, and a handle for most of
    /// the time. A few more files than handles keep the server busy.
    private static func concurrentTransfers(_ limits: SFTPLimits, _ learned: Int?) -> Int {
        let maxCount = limits.handles.map { min(128, max(4, $0 / 4)) } ?? 64
        return learned.map { min(maxCount, max(4, 2 * $0)) } ?? maxCount
    }

    /// Logs in and begins SFTP, and throws if that fails. Sends nothing if a session is open.
    public func checkReachability() async throws { try await connection.run(.root) { _ in } }

    /// Cancels running operations with `URLError(.cancelled)` and closes all connections. Later operations open new
    /// ones.
    public func invalidate() {
        cancelOperations()
        connection.pool.closeAll()
    }
}
