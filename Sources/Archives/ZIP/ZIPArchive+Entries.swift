public import FileProviderCore
import Foundation

/// A ZIP archive as an `Archive`.
extension ZIPArchive: Archive {
    /// The reachable entries in the order of the directory, folders included.
    ///
    /// - Complexity: O(n) in the number of entries.
    public var entries: [ArchiveEntry] { directory.entries.map(ArchiveEntry.init) }

    /// Returns the entry as ``ZIPDirectory/entry(at:)`` does.
    public func entry(at path: String) -> ArchiveEntry? { directory.entry(at: path).map(ArchiveEntry.init) }

    /// Sends bytes as ``stream(_:range:into:)-(ZIPEntry,_,_)`` does.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` for an entry of another archive.
    public func stream(_ entry: ArchiveEntry, range: Range<Int64>?, into sink: any ByteSink) async throws {
        guard let known = record(of: entry) else { throw FileError.make(.fileReadNoSuchFile, path: entry.path) }
        try await stream(known, range: range, into: sink)
    }

    /// Loads entries as ``prefetch(_:)-([ZIPEntry])`` does; ignores entries of another archive.
    public func prefetch(_ entries: [ArchiveEntry]) async throws {
        try await prefetch(entries.compactMap { record(of: $0) })
    }

    /// Returns the record of `entry`; nil for an entry of another archive.
    func record(of entry: ArchiveEntry) -> ZIPEntry? {
        guard directory.entries.indices.contains(entry.index) else { return nil }
        let found = directory.entries[entry.index]
        return found.path == entry.path ? found : nil
    }
}

extension ArchiveEntry {
    fileprivate init(_ entry: ZIPEntry) {
        self.init(
            path: entry.path, length: entry.uncompressedSize,
            packedLength: entry.isCompressed ? entry.compressedSize : entry.uncompressedSize,
            isCompressed: entry.isCompressed,
            isEncrypted: entry.isEncrypted, checksum: entry.checksum, index: entry.index)
    }
}
