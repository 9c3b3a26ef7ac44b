/// What a remote provider may answer without asking the storage for all of it again.
///
/// Listings and attributes are remembered in memory for ``lifetime``; small files, and answers with an `ETag` or
/// `Last-Modified`, are kept in ``folder``. A provider's own changes are seen at once: what they touch is forgotten
/// before they complete.
public struct CachePolicy: Sendable, Hashable, Codable {
    /// How long an answer is taken for true without asking, in seconds. 0, the default, asks every time.
    ///
    /// The changes of others are seen only after this time.
    public var lifetime: Double
    /// The most items that are remembered in memory.
    public var maxItems: Int
    /// The folder that keeps answers beyond the process; several processes may share it. Nil, the default, keeps none.
    ///
    /// What lies there is as secret as the files are: the folder is made for this user alone, and encrypts nothing.
    public var folder: String?
    /// Bytes in ``folder`` at most; what was used least lately goes.
    public var capacity: Int64
    /// The largest file that is kept, in bytes: it passes through memory.
    public var largestFile: Int64
    /// Whether the storage is asked, each time, if what lies in ``folder`` still holds. Else it is taken for true for
    /// ``lifetime``.
    public var validates: Bool

    /// The defaults remember nothing; with a lifetime, up to 20,000 items, and with a folder, up to 256 MiB of files of
    /// up to 1 MiB, each use of which is validated.
    public init(
        lifetime: Double = 0, maxItems: Int = 20_000, folder: String? = nil, capacity: Int64 = 256 << 20,
        largestFile: Int64 = 1 << 20,
        validates: Bool = true
    ) {
        self.lifetime = lifetime
        self.maxItems = maxItems
        self.folder = folder
        self.capacity = capacity
        self.largestFile = largestFile
        self.validates = validates
    }

    /// Asks every time.
    public static let none = CachePolicy()
}
