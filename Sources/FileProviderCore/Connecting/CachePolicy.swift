/// What a remote provider may answer without asking the storage for all of it again.
///
/// Listings and attributes are remembered in memory for ``lifetime``; small files, and answers with an `ETag` or
/// `Last-Modified`, are kept in ``folder``. A provider's own changes are seen at once: what they touch is forgotten
/// before they complete.
public struct CachePolicy: Sendable, Hashable, Codable {
    /// How long an answer is used without asking, in seconds. 0, the default, asks every time.
    ///
    /// The changes of others are seen only after this time.
    public var lifetime: Double
    /// The most items that are remembered in memory.
    public var maxItems: Int
    /// The folder that keeps answers beyond the process; several processes may share it. Nil, the default, keeps none.
    ///
    /// The files in it are as secret as those of the storage: the folder is made for this user alone, and nothing is
    /// encrypted.
    public var folder: String?
    /// The most bytes in ``folder``; the least recently used files are removed.
    public var capacity: Int64
    /// The largest file to keep, in bytes. It passes through memory.
    public var largestFile: Int64
    /// Whether the storage is asked each time if an answer in ``folder`` still holds. If not, it is used for
    /// ``lifetime``.
    public var validates: Bool

    /// The defaults remember nothing. With a lifetime, up to 20,000 items; with a folder, up to 256 MiB of files of up
    /// to 1 MiB, validated at each use.
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
