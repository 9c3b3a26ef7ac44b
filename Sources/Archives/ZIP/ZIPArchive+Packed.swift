package import FileProviderCore
import Foundation

/// Deflated entries as they are in the archive, for callers that pass them on without unpacking them.
extension ZIPArchive {
    /// Returns whether `entry` is deflated, so that ``streamPacked(_:into:)`` has something to send; false for an entry
    /// of another archive.
    ///
    /// - Throws: `CocoaError` if the directory shows that the entry cannot be read; see ``stream(_:range:into:)-(ZIPEntry,_,_)``.
    /// - Complexity: No request.
    package func isDeflated(_ entry: ArchiveEntry) throws -> Bool {
        guard let known = record(of: entry), known.method == 8, known.compressedSize > 0 else { return false }
        try known.checkReadable(limits)
        return true
    }

    /// Sends the packed bytes of `entry`, raw deflate data (RFC 1951) for a deflated one, into `sink`.
    ///
    /// Nothing is unpacked or verified: the receiver has to compare the checksum.
    ///
    /// - Throws: As ``stream(_:range:into:)-(ZIPEntry,_,_)``, except for damage inside the packed data.
    /// - Complexity: One request for the local header and the data together; none if a small entry was cached.
    package func streamPacked(_ entry: ArchiveEntry, into sink: any ByteSink) async throws {
        guard !isClosed else {
            throw FileError.make(
                .fileReadUnknown, path: entry.path, sentence: "“\(entry.path)” cannot be read: its archive was closed.")
        }
        guard let known = record(of: entry) else { throw FileError.make(.fileReadNoSuchFile, path: entry.path) }
        try known.checkReadable(limits)
        let all = 0..<known.compressedSize
        let extent = FileExtent(offset: 0, count: known.compressedSize, size: known.compressedSize)
        if known.compressedSize <= CachedFileReader.maxCachedRead {
            let data = try await bytes(all, of: known, aheadTo: known.compressedSize)
            return try await sink.take(data, extent: extent)
        }
        try await sink.take(Data(), extent: extent)
        try await streamData(all, of: known, into: sink)
    }
}
