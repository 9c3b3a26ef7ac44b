public import FileProviderCore
public import Foundation

/// A folder tree of books that a shelf shows, on any storage.
public struct ShelfSource: Sendable {
    /// The storage.
    public let provider: any FileProviderReadWrite
    /// The folder whose books the shelf shows, with everything below it.
    public let root: ProviderPath
    /// The name that people see.
    public let name: String

    /// Creates a source.
    ///
    /// - Parameter name: The name that people see; `nil` takes the folder's name, or the location of a root.
    public init(provider: any FileProviderReadWrite, root: ProviderPath = .root, name: String? = nil) {
        self.provider = provider
        self.root = root
        self.name = name ?? (root.isRoot ? provider.url(of: root).withoutSecrets.absoluteString : root.name)
    }

    /// The folder's URL without user, password and query. The database recognizes the source by it.
    public var location: String { provider.url(of: root).withoutSecrets.absoluteString }
}

/// The state of a source: when it was last seen in full, and what keeps the shelf from showing its present content.
public struct SourceState: Hashable, Sendable {
    /// The number that ``ShelfBook/source`` and ``ShelfQuery/source`` use.
    public var id: Int64
    /// The folder's URL without secrets.
    public var location: String
    /// The name that people see.
    public var name: String
    /// The end of the last scan that listed every folder; `nil` before the first one.
    public var scanned: Date?
    /// One sentence saying why the storage can't be read or watched at the moment, or `nil` if it can.
    public var interruption: String?
    /// The number of files that have still to be read.
    public var pending: Int
    /// The number of books that the last listing lacks and that the shelf keeps until a second scan lacks them, too, or
    /// the removal is confirmed.
    public var withheld: Int
    /// The number of folders that could not be listed when they were last looked at.
    package var unlisted = 0
    /// Whether the catalogue has files of the source.
    package var hasFiles = false

    /// Creates a state without an interruption.
    public init(
        id: Int64, location: String, name: String, scanned: Date? = nil, interruption: String? = nil,
        pending: Int = 0, withheld: Int = 0
    ) {
        self.id = id
        self.location = location
        self.name = name
        self.scanned = scanned
        self.interruption = interruption
        self.pending = pending
        self.withheld = withheld
    }
}
