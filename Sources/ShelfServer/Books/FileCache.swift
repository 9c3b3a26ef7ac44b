public import Foundation

/// A cache of what is read of books' files. Several servers may share one.
public struct FileCache: Hashable, Sendable {
    /// A folder on this machine, in none of the shelf's sources. It is created if it is missing.
    public var folder: URL
    /// The most bytes that the cache takes on the disk, 1 MiB or more. The least recently read files are removed.
    public var capacity: Int64

    /// A cache of 1 GiB, or of another capacity.
    public init(folder: URL, capacity: Int64 = 1 << 30) {
        self.folder = folder
        self.capacity = capacity
    }
}
