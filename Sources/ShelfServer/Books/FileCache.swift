import FileProviderCore
public import Foundation
package import Shelf

/// A cache of what is read of books' files. Several servers may share one; a server finds only what it stored with the
/// same ``ShelfServerConfiguration/key``, as users of another one may have other files at the same addresses.
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

extension FileCache {
    /// Checks that the cache is in none of a shelf's sources. Blocks on the disk.
    ///
    /// - Throws: `CocoaError(.formatting)` for a cache in a folder that is watched for books.
    package func check(_ sources: [ShelfSource]) throws {
        guard let source = Shelf.source(among: sources, thatContains: folder) else { return }
        throw FileError.make(
            .formatting, path: "cachesFiles",
            sentence: "cachesFiles: the folder must not be in \(source.location), which is watched for books.")
    }
}
