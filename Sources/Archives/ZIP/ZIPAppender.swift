package import FileProviderCore
package import Foundation

/// Adds an entry to a ZIP archive, or replaces one, without unpacking or holding the archive (APPNOTE.TXT 6.3.10).
///
/// The result is the archive's own bytes up to its directory, the new entry, and a new directory. All other entries, the
/// comment and bytes in front of the archive stay as they are; bytes behind the archive are left out.
package struct ZIPAppender: Sendable {
    /// The directory of the archive as it is.
    package let directory: ZIPDirectory
    /// Bytes of the file as it is.
    package let length: Int64
    private let reader: any FileReader
    private let cached: CachedFileReader
    private let found: FoundDirectory

    /// Reads the directory of the archive in `reader`, which the caller closes after the last use of the appender.
    ///
    /// - Parameter cached: A cache of `reader` that others use too; nil for a separate one.
    /// - Throws: As ``ZIPArchive/open(_:limits:salvaging:checkpoints:)``; a damaged archive is not searched for entries.
    /// - Complexity: One request, two for a large directory; the directory is in memory.
    package init(
        _ reader: any FileReader, cachedBy cached: CachedFileReader? = nil, limits: ArchiveLimits = .standard
    ) async throws {
        let cached = cached ?? CachedFileReader(reader)
        self.reader = reader
        self.cached = cached
        found = try await ZIPArchive.directory(in: cached, limits: limits)
        directory = found.directory
        length = try await cached.attributes().size
        // Offsets that lead in front of the file cannot be written again.
        guard directory.prefixLength >= 0 else {
            throw FileError.make(
                .fileReadCorruptFile, path: reader.path,
                sentence: "“\(reader.path)” is a damaged ZIP archive: its beginning is missing.")
        }
    }

    /// Returns the archive with a stored entry at `path`, in place of those that are there.
    ///
    /// The bytes of a replaced entry are left out if they are the last before the directory, as when this type wrote
    /// them; else they stay in the file without a record. The result is the same for the same arguments.
    ///
    /// - Parameters:
    ///   - path: A name in ASCII of at most 65,535 bytes.
    ///   - content: Less than 4 GiB.
    ///   - date: The entry's time of modification.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for a directory that is cut off; errors of the reader.
    /// - Complexity: No request for cached bytes; else one, of what is replaced: the directory and what follows it.
    package func adding(_ content: Data, at path: String, date: Date) async throws -> ZIPAddition {
        let records = try keptRecords(without: path)
        let replaced = try await cached.read([records.dataEnd..<length])[0]
        guard Int64(replaced.count) == length - records.dataEnd else {
            throw FileError.endedEarly(reader.path, after: records.dataEnd + Int64(replaced.count), of: length)
        }
        let comment = found.end.comment
        let start = Int(comment.lowerBound - records.dataEnd)
        let entry = AppendedEntry(
            name: Array(path.utf8), content: content, date: date, offset: records.dataEnd - directory.prefixLength)
        var tail = entry.localHeader + content
        let directoryOffset = entry.offset + Int64(tail.count)
        let header = entry.directoryHeader
        tail += records.bytes
        tail += header
        tail +=
            ZIPEndWriter(
                entries: records.count + 1, size: Int64(records.bytes.count + header.count), offset: directoryOffset,
                comment: Data(replaced.dropFirst(start).prefix(comment.count))
            ).data
        return ZIPAddition(
            base: try await reader.writeSource(), path: reader.path, keptLength: records.dataEnd, replaced: replaced,
            tail: tail)
    }

    // MARK: Records

    private struct KeptRecords {
        var bytes = Data()
        var count = 0
        /// The bytes of the file before this offset are kept.
        var dataEnd: Int64
    }

    /// An old entry that is cut off is read into memory with the directory, so a large one stays in the file.
    private static let maxCutLength: Int64 = 2 << 20

    /// Returns the records of all entries but those at `path`.
    private func keptRecords(without path: String) throws -> KeptRecords {
        var kept = KeptRecords(dataEnd: found.start)
        var removed: [Int64] = []
        var end = directory.prefixLength
        try found.bytes.withUnsafeBytes { bytes in
            var parser = DirectoryParser(bytes, shift: directory.prefixLength)
            var start = 0
            while let record = try parser.next(path: reader.path.string) {
                if record.path == path {
                    if record.defect == nil { removed.append(record.headerOffset) }
                } else {
                    kept.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<parser.position]))
                    kept.count += 1
                    end = max(end, record.leastEnd)
                }
                start = parser.position
            }
        }
        let cut = removed.filter { $0 >= end && $0 <= found.start && found.start - $0 <= Self.maxCutLength }.min()
        if let cut { kept.dataEnd = cut }
        return kept
    }
}

/// An archive with one entry more: its own bytes up to ``keptLength``, then new ones.
package struct ZIPAddition: WriteSource {
    fileprivate let base: any WriteSource
    fileprivate let path: ProviderPath
    /// How many bytes of the old archive the new one begins with.
    package let keptLength: Int64
    /// The other bytes of the old archive, up to the end of its file.
    package let replaced: Data
    fileprivate let tail: Data

    /// Always known.
    package var length: Int64? { keptLength + Int64(tail.count) }
    /// As the old archive's source.
    package var isRepeatable: Bool { base.isRepeatable }

    package func bytes(from offset: Int64) throws -> any ByteSource {
        guard offset < keptLength else {
            return AdditionBytes(nil, upTo: 0, of: path, then: tail.dropFirst(Int(clamping: offset - keptLength)))
        }
        return AdditionBytes(try base.bytes(from: offset), upTo: keptLength - offset, of: path, then: tail)
    }
}

/// Some bytes of a source, then bytes in memory.
private final class AdditionBytes: ByteSource, @unchecked Sendable {
    // Unchecked: a source is called by one side, one call after the other.
    private var base: (any ByteSource)?
    private var missing: Int64
    private let path: ProviderPath
    private var tail: Data

    init(_ base: (any ByteSource)?, upTo count: Int64, of path: ProviderPath, then tail: Data) {
        self.base = count > 0 ? base : nil
        missing = count
        self.path = path
        self.tail = tail
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
        if let base {
            let step = try base.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, Int(clamping: missing))]))
            switch step {
            case .wait: break
            case .end:
                throw FileError.make(
                    .fileReadCorruptFile, path: path, sentence: "“\(path)” ended \(missing) bytes too early.")
            case .bytes(let count):
                missing -= Int64(count)
                // The rest of the old archive is not needed; releasing the source stops it.
                if missing == 0 { self.base = nil }
            }
            return step
        }
        if tail.isEmpty { return .end }
        let count = min(tail.count, buffer.count)
        tail.copyBytes(to: buffer, count: count)
        tail = tail.dropFirst(count)
        return .bytes(count)
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) {
        if let base { base.whenReady(resume) } else { resume() }
    }
}

extension ZIPEntry {
    /// The offset in the file before which the entry cannot end; bounded, so that it doesn't overflow.
    fileprivate var leastEnd: Int64 {
        headerOffset + Int64(ZIPRecord.localHeaderLength) + min(compressedSize, .max / 4)
    }
}
