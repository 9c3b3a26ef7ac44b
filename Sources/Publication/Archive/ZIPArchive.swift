public import FileProviderCore
import Foundation
import Synchronization

/// A ZIP archive that is read where it lies, by ranges (APPNOTE.TXT 6.3.10): its directory once, each entry when it is asked for.
///
/// Reads are positional: any number of entries may be read at once. What the archive claims is bounded by ``ArchiveLimits``; a
/// damaged, encrypted or unsupported entry fails alone, on access.
public final class ZIPArchive: Sendable {
    /// How much of the file's end the first request asks for: a directory of about 900 entries and the end record are in it.
    public static let tailLength: Int64 = 65_536

    /// As it was when the archive was opened; looking something up in it costs no request.
    public let directory: ZIPDirectory
    /// Those that the archive was opened with; they hold for each entry that is read.
    public let limits: ArchiveLimits
    let reader: CachedFileReader
    /// Where the data of entries starts in the file, as far as their local headers were read.
    let dataOffsets = Mutex<[Int: Int64]>([:])
    private let closed = Atomic(false)

    private init(_ directory: ZIPDirectory, reader: CachedFileReader, limits: ArchiveLimits) {
        self.directory = directory
        self.reader = reader
        self.limits = limits
    }

    /// Reads the directory of the archive in `reader`, which belongs to the archive from then on.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` when this is no ZIP archive or a damaged one, `.featureUnsupported` for a part of a
    ///   split one, `.fileReadTooLarge` over one of `limits`; errors of the reader. The reader then stays the caller's.
    /// - Complexity: One request for the last ``tailLength`` bytes, the whole file if that is smaller. One more when the directory is
    ///   longer, or when nothing in these bytes says that they are the end of an archive.
    public static func open(_ reader: any FileReader, limits: ArchiveLimits = .standard) async throws -> ZIPArchive {
        let cached = reader as? CachedFileReader ?? CachedFileReader(reader)
        let ends = try await candidates(in: cached)
        var firstError: (any Error)?
        for end in ends.prefix(4) {
            do {
                return ZIPArchive(try await read(end, in: cached, limits: limits), reader: cached, limits: limits)
            } catch let error as CocoaError where [.fileReadCorruptFile, .fileReadTooLarge, .featureUnsupported].contains(error.code) {
                firstError = firstError ?? error
            }
        }
        if let firstError { throw firstError }
        let isEmpty = try await cached.attributes().size == 0
        throw FileError.make(
            .fileReadCorruptFile, path: cached.path,
            sentence: "“\(cached.path)” \(isEmpty ? "is empty" : "is no ZIP archive, or its end is missing").")
    }

    /// Whether ``close()`` was called.
    public var isClosed: Bool { closed.load(ordering: .relaxed) }

    /// Closes the reader; reads after it fail.
    public func close() async {
        closed.store(true, ordering: .relaxed)
        await reader.close()
    }

    // MARK: Finding the directory

    /// A comment of full length, or much behind the record, needs more than the usual tail.
    private static func candidates(in reader: CachedFileReader) async throws -> [DirectoryEnd] {
        for length in [tailLength, 2 * tailLength] {
            let (tail, extent) = try await reader.tail(length)
            let found = tail.withUnsafeBytes { DirectoryEnd.candidates(in: $0, at: extent.offset) }
            if !found.isEmpty || extent.offset == 0 { return found }
        }
        return []
    }

    private static func read(_ end: DirectoryEnd, in reader: CachedFileReader, limits: ArchiveLimits) async throws -> ZIPDirectory {
        let path = reader.path
        guard !end.isSplit else {
            throw FileError.make(
                .featureUnsupported, path: path, sentence: "“\(path)” is one part of an archive that is split over several files.")
        }
        guard end.size <= limits.directoryBytes else {
            throw FileError.make(
                .fileReadTooLarge, path: path,
                sentence: "“\(path)” claims a directory of \(end.size) bytes; at most \(limits.directoryBytes) are read.")
        }
        for start in end.starts {
            let bytes = try await reader.read([start..<min(start + end.size, end.position)])[0]
            let directory = try bytes.withUnsafeBytes { bytes -> ZIPDirectory? in
                let isThere = bytes.count >= 4 ? bytes.u32(0) == ZIPRecord.directoryHeader : end.entries == 0
                return isThere ? try ZIPDirectory(bytes, start: start, end: end, path: path.string, limits: limits) : nil
            }
            if let directory { return directory }
        }
        throw FileError.make(
            .fileReadCorruptFile, path: path, sentence: "“\(path)” is a damaged ZIP archive: its directory is not where it should be.")
    }
}
