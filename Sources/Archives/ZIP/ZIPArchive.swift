public import FileProviderCore
import Foundation
import Synchronization

/// A ZIP archive, read in place by ranges (APPNOTE.TXT 6.3.10): its directory once, each entry when it is asked for.
///
/// Any number of entries may be read at once. ``ArchiveLimits`` bounds the archive's claims; a damaged, encrypted or
/// unsupported entry fails alone, on access.
public final class ZIPArchive: Sendable {
    /// How much of the file's end the first request reads: enough for a directory of about 900 entries and the end
    /// record.
    public static let tailLength: Int64 = 65_536

    /// The directory as of opening the archive; look-ups in it cost no request.
    public let directory: ZIPDirectory
    /// The limits that the archive was opened with; they apply to each entry that is read.
    public let limits: ArchiveLimits
    /// One sentence if the directory was missing or damaged and the entries were found without it; otherwise empty.
    public let repairs: [String]
    let reader: CachedFileReader
    /// The offsets of entries' data in the file, as far as their local headers were read.
    let dataOffsets = Mutex<[Int: Int64]>([:])
    let checkpoints: ArchiveCheckpoints
    private let closed = Atomic(false)

    private init(
        _ directory: ZIPDirectory, reader: CachedFileReader, limits: ArchiveLimits, checkpoints: ArchiveCheckpoints,
        repairs: [String] = []
    ) {
        self.directory = directory
        self.repairs = repairs
        self.reader = reader
        self.limits = limits
        self.checkpoints = checkpoints
    }

    /// Reads the directory of the archive in `reader`, and takes ownership of the reader.
    ///
    /// - Parameters:
    ///   - salvaging: Whether to search a file for its complete entries if it begins as an archive and has no usable
    ///     directory, as after an interrupted download; ``repairs`` then says so.
    ///   - store: Stores checkpoints between openings, so that large deflated entries need not be unpacked from their
    ///     start again; nil to store none.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if this is not a ZIP archive or a damaged one,
    ///   `.featureUnsupported` for a part of a split one, `.fileReadTooLarge` over one of `limits`; errors of the
    ///   reader. The caller keeps the reader then.
    /// - Complexity: One request for the last ``tailLength`` bytes, the whole file if that is smaller. One more if the
    ///   directory is longer, or if these bytes contain no end of an archive. Salvaging reads the first 16 KiB of a
    ///   file that is not an archive, and up to ``ArchiveLimits/salvage`` bytes of one that is.
    public static func open(
        _ reader: any FileReader, limits: ArchiveLimits = .standard, salvaging: Bool = false,
        checkpoints store: (any CheckpointStore)? = nil
    ) async throws -> ZIPArchive {
        let cached = reader as? CachedFileReader ?? CachedFileReader(reader)
        do {
            let found = try await Self.directory(in: cached, limits: limits)
            let checkpoints = ArchiveCheckpoints(store: store, reader: cached, directoryChecksum: found.checksum)
            return ZIPArchive(found.directory, reader: cached, limits: limits, checkpoints: checkpoints)
        } catch let error as CocoaError where salvaging && error.code == .fileReadCorruptFile {
            guard let found = try await ZIPSalvage.run(on: cached, limits: limits) else { throw error }
            // A directory made from headers may differ at each opening, so its checkpoints are not stored.
            let checkpoints = ArchiveCheckpoints(store: nil, reader: cached, directoryChecksum: 0)
            return ZIPArchive(
                found.directory, reader: cached, limits: limits, checkpoints: checkpoints, repairs: [found.sentence])
        }
    }

    /// Returns the same archive with undeclared names decoded as `encoding`. Use only one of the two from then on.
    ///
    /// - Parameter addresses: As for ``ZIPDirectory/readUndecidedNames(as:addresses:)``.
    package func readingUndecidedNames(as encoding: NameEncoding, addresses: Set<String> = []) -> ZIPArchive {
        var directory = directory
        directory.readUndecidedNames(as: encoding, addresses: addresses)
        return ZIPArchive(directory, reader: reader, limits: limits, checkpoints: checkpoints, repairs: repairs)
    }

    /// Returns the version of the archive's file; nil if its storage knows none.
    package func fileVersion() async throws -> String? { try await reader.attributes().validator }

    /// Whether ``close()`` was called.
    public var isClosed: Bool { closed.load(ordering: .relaxed) }

    /// Saves the checkpoints that were found, if there is a store for them, and closes the reader; later reads fail.
    public func close() async {
        closed.store(true, ordering: .relaxed)
        await checkpoints.close()
        await reader.close()
    }

    // MARK: Finding the directory

    /// Finds the directory of the archive in `reader`.
    ///
    /// - Throws: As ``open(_:limits:salvaging:checkpoints:)``.
    static func directory(in reader: CachedFileReader, limits: ArchiveLimits) async throws -> FoundDirectory {
        let ends = try await candidates(in: reader)
        var firstError: (any Error)?
        for end in ends.prefix(4) {
            do {
                return try await read(end, in: reader, limits: limits)
            } catch let error as CocoaError
                where [.fileReadCorruptFile, .fileReadTooLarge, .featureUnsupported].contains(error.code)
            {
                firstError = firstError ?? error
            }
        }
        if let firstError { throw firstError }
        let isEmpty = try await reader.attributes().size == 0
        throw FileError.make(
            .fileReadCorruptFile, path: reader.path,
            sentence: "“\(reader.path)” \(isEmpty ? "is empty" : "is not a ZIP archive, or its end is missing").")
    }

    /// A comment of full length, or much data behind the record, needs more than the usual tail.
    private static func candidates(in reader: CachedFileReader) async throws -> [DirectoryEnd] {
        for length in [tailLength, 2 * tailLength] {
            let (tail, extent) = try await reader.tail(length)
            let found = tail.withUnsafeBytes { DirectoryEnd.candidates(in: $0, at: extent.offset) }
            if !found.isEmpty || extent.offset == 0 { return found }
        }
        return []
    }

    private static func read(
        _ end: DirectoryEnd, in reader: CachedFileReader, limits: ArchiveLimits
    ) async throws -> FoundDirectory {
        let path = reader.path
        guard !end.isSplit else {
            throw FileError.make(
                .featureUnsupported, path: path,
                sentence: "“\(path)” is one part of an archive that is split over several files.")
        }
        guard end.size <= limits.directoryBytes else {
            throw FileError.make(
                .fileReadTooLarge, path: path,
                sentence:
                    "“\(path)” claims a directory of \(end.size) bytes; at most \(limits.directoryBytes) are read.")
        }
        for start in end.starts {
            let bytes = try await reader.read([start..<min(start + end.size, end.position)])[0]
            let directory = try bytes.withUnsafeBytes { bytes -> ZIPDirectory? in
                let isThere = bytes.count >= 4 ? bytes.u32(0) == ZIPRecord.directoryHeader : end.entries == 0
                return isThere
                    ? try ZIPDirectory(bytes, start: start, end: end, path: path.string, limits: limits) : nil
            }
            guard let directory else { continue }
            return FoundDirectory(directory: directory, bytes: bytes, start: start, end: end)
        }
        throw FileError.make(
            .fileReadCorruptFile, path: path,
            sentence: "“\(path)” is a damaged ZIP archive: its directory is not where it should be.")
    }
}

/// A directory as it was found in a file.
struct FoundDirectory: Sendable {
    let directory: ZIPDirectory
    /// The records as they are.
    let bytes: Data
    /// The offset of the first record in the file.
    let start: Int64
    let end: DirectoryEnd

    /// The CRC-32 of the records.
    var checksum: UInt32 {
        var checksum = CRC32()
        bytes.withUnsafeBytes { checksum.update($0) }
        return checksum.value
    }
}
