public import FileProviderCore
import Foundation

/// A ZIP archive as one kind among others.
extension ZIPArchive: Archive {
    /// The reachable entries in the order of the directory, folders included.
    ///
    /// - Complexity: O(n) in the number of entries.
    public var entries: [ArchiveEntry] { directory.entries.map(ArchiveEntry.init) }

    /// As ``ZIPDirectory/entry(at:)``.
    public func entry(at path: String) -> ArchiveEntry? { directory.entry(at: path).map(ArchiveEntry.init) }

    /// As ``stream(_:range:into:)-(ZIPEntry,_,_)``.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` for an entry of another archive.
    public func stream(_ entry: ArchiveEntry, range: Range<Int64>?, into sink: any ByteSink) async throws {
        guard let known = record(of: entry) else { throw FileError.make(.fileReadNoSuchFile, path: entry.path) }
        try await stream(known, range: range, into: sink)
    }

    /// As ``prefetch(_:)-([ZIPEntry])``; entries of another archive are passed over.
    public func prefetch(_ entries: [ArchiveEntry]) async throws {
        try await prefetch(entries.compactMap { record(of: $0) })
    }

    /// The record of `entry`; nil for one of another archive.
    private func record(of entry: ArchiveEntry) -> ZIPEntry? {
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
