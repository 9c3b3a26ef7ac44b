public import FileProviderCore
public import Foundation

/// Files in one archive file or folder, reached by their names (Readium's composite fetcher proposal leaves it open).
///
/// Any number of entries may be read at once. Names never lead out of the archive: entries with such names are left
/// out.
public protocol Archive: AnyObject, Sendable {
    /// Files and folders in the archive's own order; each path once.
    var entries: [ArchiveEntry] { get }

    /// Returns the entry with exactly this path, else one whose path is equal after Unicode normalisation.
    ///
    /// - Complexity: O(1), no request.
    func entry(at path: String) -> ArchiveEntry?

    /// Sends the unpacked bytes of `entry` in `range`, clamped to the entry, into `sink`; all bytes if `range` is nil.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for a damaged entry, `.fileReadNoPermission` for an encrypted one,
    ///   `.featureUnsupported` for one that is packed in an unknown way, `.fileReadTooLarge` over a limit; errors of
    ///   storage and sink.
    func stream(_ entry: ArchiveEntry, range: Range<Int64>?, into sink: any ByteSink) async throws

    /// Loads the small ones of `entries` together, so that reading them costs no request: a hint.
    func prefetch(_ entries: [ArchiveEntry]) async throws

    /// Whether ``close()`` was called; reads fail after it.
    var isClosed: Bool { get }

    /// Sentences about repairs of the archive as a whole; usually empty.
    var repairs: [String] { get }

    /// Warnings about the archive as a whole, including ``repairs``; usually empty.
    var warnings: [ContentWarning] { get }

    /// Closes the archive and releases its reader.
    func close() async
}

extension Archive {
    /// Returns the unpacked bytes of `entry` in `range`, clamped to the entry; all bytes if `range` is nil.
    ///
    /// - Throws: As ``stream(_:range:into:)``, and `CocoaError(.fileReadTooLarge)` over 256 MiB.
    public func read(_ entry: ArchiveEntry, range: Range<Int64>? = nil) async throws -> Data {
        let sink = DataSink(limit: 256 << 20)
        try await stream(entry, range: range, into: sink)
        return sink.data
    }

    /// Does nothing, for archives in which a small file costs no more than a part of a large one.
    public func prefetch(_ entries: [ArchiveEntry]) async throws {}

    /// None.
    public var repairs: [String] { [] }

    /// The ``repairs``.
    public var warnings: [ContentWarning] { repairWarnings }

    var repairWarnings: [ContentWarning] {
        repairs.map { ContentWarning("repaired-archive", severity: .major, message: $0) }
    }
}

/// A file or folder in an archive, as the archive's own list describes it.
public struct ArchiveEntry: Hashable, Sendable {
    /// The path: names separated by `/`, relative to the archive's root; never absolute, without `.` and `..`. A
    /// folder's path ends with `/`.
    public let path: String
    /// The unpacked size that the archive claims, in bytes: a hint and an upper bound, never a size to allocate.
    public let length: Int64
    /// The packed size in bytes; nil if entries are packed together, or not at all.
    public let packedLength: Int64?
    /// Whether the bytes in the archive differ from those of the resource.
    public let isCompressed: Bool
    /// Whether a password is needed to read it.
    public let isEncrypted: Bool
    /// CRC-32 of the unpacked bytes, if the archive has it.
    public let checksum: UInt32?
    /// Identifies the version of the bytes if there is no checksum; nil if the archive has neither.
    public let version: String?
    /// The entry's place in ``Archive/entries``.
    public let index: Int

    /// An entry as an archive describes it.
    public init(
        path: String, length: Int64, packedLength: Int64? = nil, isCompressed: Bool = false, isEncrypted: Bool = false,
        checksum: UInt32? = nil, version: String? = nil, index: Int
    ) {
        self.path = path
        self.length = length
        self.packedLength = packedLength
        self.isCompressed = isCompressed
        self.isEncrypted = isEncrypted
        self.checksum = checksum
        self.version = version
        self.index = index
    }

    /// Whether this entry is a folder.
    public var isDirectory: Bool { path.utf8.last == UInt8(ascii: "/") }

    /// The last name of the path.
    public var name: Substring {
        let path = isDirectory ? Substring(path.utf8.dropLast()) : path[...]
        return path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path
    }

    /// The part of the last name after its last dot, as written; nil if there is no dot or the name starts with it.
    public var fileExtension: String? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return nil }
        let rest = name[name.utf8.index(after: dot)...]
        return rest.isEmpty ? nil : String(rest)
    }
}
