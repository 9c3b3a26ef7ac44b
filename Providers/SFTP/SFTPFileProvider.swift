public import FileProviderCore
public import Foundation
import SFTPEngine

/// Files on an SFTP server (draft-ietf-secsh-filexfer-02, and OpenSSH's extensions).
///
/// Any number of requests is on its way at once, over one channel; large files have channels, and connections, of their
/// own. Files are written under a temporary name and renamed into place in one step.
public final class SFTPFileProvider: FileProviderBasicRemote, FileProviderOperations, FileProviderReadWrite {
    /// `SFTP`.
    public static let type = "SFTP"

    let connection: SFTPConnection
    let cache: ListingCache
    var handles: SFTPHandles { connection.handles }
    private let access: SFTPAccess?
    /// What the provider was made of.
    public let configuration: SFTPConfiguration

    /// Nothing is sent.
    ///
    /// - Parameter configuration: Its root is the provider's; a path that begins with `/~/` counts from the folder that
    ///   a login begins in.
    /// - Throws: `URLError(.badURL)` when the address names no SFTP server.
    public convenience init(configuration: SFTPConfiguration, options: ConnectionOptions = ConnectionOptions()) throws {
        try self.init(configuration: configuration, password: nil, options: options)
    }

    convenience init(configuration: SFTPConfiguration, password: String?, options: ConnectionOptions) throws {
        let access = try SFTPAccess(configuration: configuration, password: password, options: options)
        try self.init(configuration: configuration, options: options, access: access) { try await access.connect() }
    }

    /// - Parameters:
    ///   - near: A server that answers sooner is taken for a near one.
    ///   - standstill: How long an opening waits for a handle while no answer comes.
    ///   - connect: Makes a link that is logged in.
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

    /// The scheme `sftp`. The provider's root is the server's; a path that begins with `/~/` counts from the login's
    /// folder.
    public static let registration = ProviderRegistration(
        type: type, schemes: ["sftp"], settings: SFTPConfiguration.settingNames
    ) { url, options in
        let configuration = try SFTPConfiguration(baseURL: url.serverRoot, settings: options.settings)
        let provider = try SFTPFileProvider(
            configuration: configuration, password: url.password(percentEncoded: false), options: options)
        return ProviderLocation(
            provider: provider, path: try ProviderPath(percentEncoded: url.path(percentEncoded: true)))
    }

    /// Never nil.
    public var baseURL: URL? { connection.baseURL }

    /// Those given; changing them takes a new provider.
    public var connectionOptions: ConnectionOptions { connection.options }

    /// A sentence where the user has a configuration of ssh that is not followed, because no ssh program is there to
    /// read it. Empty until the first connection.
    public var warnings: [String] { access?.warnings ?? [] }

    /// Forgets `path`, what lies below it, and the listing of the folder it is in; at the root, everything.
    public func dropCache(path: ProviderPath) { cache.drop(path) }

    /// ``baseURL`` with the percent-encoded path behind it. Nothing is sent.
    public func url(of path: ProviderPath) -> URL { connection.url(of: path) }

    /// The first read opens the file and looks at it in one round trip; from then on any number of ranges takes one.
    static let readCost = Capabilities.ReadCost(
        roundTripsToOpen: 2, roundTripsPerRange: 1, preferredBlock: 16 << 10, coalescingGap: 16 << 10,
        concurrentRanges: 16)

    /// What SFTP gives everywhere, and what this server announces.
    ///
    /// - Throws: Why there is no login.
    /// - Complexity: A login where there was none, and once a round trip: whether the server does what it says.
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

    /// Small files in flight: each takes a few round trips and next to nothing else, and a handle for most of that
    /// time. A few more than there are handles keep the server busy: they wait for one.
    private static func concurrentTransfers(_ limits: SFTPLimits, _ learned: Int?) -> Int {
        let maxCount = limits.handles.map { min(128, max(4, $0 / 4)) } ?? 64
        return learned.map { min(maxCount, max(4, 2 * $0)) } ?? maxCount
    }

    /// Whether a login works, and SFTP is spoken there. Nothing is asked where a session is open.
    public func checkReachability() async throws { try await connection.run(.root) { _ in } }

    /// Ends what runs: it throws `URLError(.cancelled)`. Connections are closed; operations after it start anew.
    public func invalidate() {
        cancelOperations()
        connection.pool.closeAll()
    }
}
