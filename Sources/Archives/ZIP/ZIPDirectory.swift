import FileProviderCore
import Foundation

/// The entries of a ZIP archive as its directory lists them, with look-up by name.
public struct ZIPDirectory: Sendable {
    /// Reachable entries in the order of the directory, folders included.
    public private(set) var entries: [ZIPEntry] = []
    /// The number of records that were left out: names that could lead out of the archive's root, and repetitions of a
    /// name.
    public private(set) var leftOut = 0
    /// Bytes in front of the archive that its own offsets don't count, such as a program that unpacks it; usually 0.
    public private(set) var prefixLength: Int64 = 0
    /// Bytes in front of the first local header, whether offsets count them or not.
    private(set) var bytesBefore: Int64 = 0
    /// Bytes behind the end record and its comment.
    private(set) var bytesBehind: Int64 = 0
    /// The entries in ``leftOut``, except repeated folders and records for the root.
    private(set) var leftOutEntries = LeftOutEntries()
    /// The encoding that was assumed for names without a declared one.
    package private(set) var nameEncoding = NameEncoding.codePage437
    private var index = EntryIndex()

    /// Returns the entry with exactly this path, else the first one whose path is equal after Unicode normalisation.
    ///
    /// - Complexity: O(1).
    public func entry(at path: String) -> ZIPEntry? { index.index(of: path).map { entries[$0] } }

    /// Reads a directory (APPNOTE.TXT, section 4.3.12).
    ///
    /// - Parameters:
    ///   - bytes: The directory.
    ///   - start: The offset of the directory in the file.
    ///   - end: The end-of-directory record.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if `bytes` are not a directory, `.fileReadTooLarge` over one of
    ///   `limits`.
    /// - Complexity: O(n log n) in the number of entries; about 1 µs each.
    init(_ bytes: UnsafeRawBufferPointer, start: Int64, end: DirectoryEnd, path: String, limits: ArchiveLimits) throws {
        prefixLength = start - end.offset
        bytesBehind = end.bytesBehind
        var parser = DirectoryParser(bytes, shift: prefixLength)
        let expected = min(limits.entries, bytes.count / ZIPRecord.directoryHeaderLength)
        entries.reserveCapacity(expected)
        index.reserveCapacity(expected)
        var headers: [Int64] = []
        while let record = try parser.next(path: path) {
            headers.append(record.headerOffset)
            guard headers.count <= limits.entries else {
                throw FileError.make(
                    .fileReadTooLarge, path: path,
                    sentence: "“\(path)” has more than \(limits.entries) entries, which is the limit.")
            }
            add(record)
        }
        leftOutEntries.unsafe = parser.unsafeNames
        leftOutEntries.rooted = parser.rootedNames
        // Without ZIP64, the count wraps around at 65,536.
        guard headers.count & 0xFFFF == Int(truncatingIfNeeded: end.entries & 0xFFFF) else {
            throw FileError.make(
                .fileReadCorruptFile, path: path,
                sentence:
                    "“\(path)” is a damaged ZIP archive: \(headers.count) of \(end.entries) entries are in its directory."
            )
        }
        boundEntries(by: headers, directoryStart: start)
    }

    /// A directory made from local headers; `records` are bounded already.
    init(salvaged records: [ZIPEntry], unsafeNames: CountedNames) {
        leftOutEntries.unsafe = unsafeNames
        for record in records { add(record) }
    }

    private mutating func add(_ record: ZIPEntry) {
        guard !record.path.isEmpty, index.add(record.path, at: entries.count) else {
            leftOut += 1
            if !record.path.isEmpty, !record.isDirectory { leftOutEntries.repeated.add(record.path) }
            return
        }
        entries.append(record)
        entries[entries.count - 1].index = entries.count - 1
    }

    /// The bytes of names that declare no encoding and are not UTF-8, in the order of the entries.
    package var undecidedNames: [[UInt8]] { entries.compactMap(\.undecidedName) }

    /// Decodes these names as `encoding`; one that is invalid in it, or is taken already, is unchanged.
    ///
    /// - Parameter addresses: Paths that the book's own addresses lead to. A name that is valid UTF-8 by chance is
    ///   decoded as `encoding` if that gives one of them.
    mutating func readUndecidedNames(as encoding: NameEncoding, addresses: Set<String> = []) {
        guard let decoder = NameDecoder(encoding) else { return }
        nameEncoding = encoding
        var index = EntryIndex()
        index.reserveCapacity(entries.count)
        for position in entries.indices where entries[position].undecidedName == nil {
            let path = entries[position].path
            let isWanted = addresses.isEmpty || addresses.contains(path) || path.utf8.allSatisfy { $0 < 0x80 }
            if !isWanted, let other = decoder.text(of: Array(path.utf8)), addresses.contains(other),
                index.add(other, at: position)
            {
                entries[position].path = other
            } else {
                _ = index.add(path, at: position)
            }
        }
        for position in entries.indices {
            guard let name = entries[position].undecidedName else { continue }
            if let path = decoder.text(of: name).flatMap({ EntryName.confined($0) }), index.add(path, at: position) {
                entries[position].path = path
            } else {
                _ = index.add(entries[position].path, at: position)
            }
        }
        self.index = index
    }

    /// A warning that names the assumed encoding, if names declare none.
    var nameWarning: ContentWarning? {
        CountedNames(entries.lazy.filter { $0.undecidedName != nil }.map(\.path)).warning(
            "assumed-encoding", severity: .minor,
            one: "in the archive does not declare the encoding of its name; it was read as \(nameEncoding.name).",
            many: "in the archive do not declare the encoding of their names; they were read as \(nameEncoding.name).")
    }

    /// Determines where each entry must end, and marks those that overlap another one.
    ///
    /// If several entries share a local header, the first keeps it: an archive of many names for one large piece of
    /// data is a known kind of bomb.
    private mutating func boundEntries(by headers: [Int64], directoryStart: Int64) {
        let sorted = headers.sorted()
        bytesBefore = sorted.first ?? max(0, prefixLength)
        var owned: Set<Int64> = []
        owned.reserveCapacity(entries.count)
        for index in entries.indices where entries[index].defect == nil {
            let offset = entries[index].headerOffset
            let limit = Self.first(of: sorted, after: offset) ?? directoryStart
            entries[index].dataLimit = min(limit, directoryStart)
            let (least, overflow) = (offset + Int64(ZIPRecord.localHeaderLength)).addingReportingOverflow(
                entries[index].compressedSize)
            if overflow || least > entries[index].dataLimit || !owned.insert(offset).inserted {
                entries[index].defect = .overlapping
            }
        }
    }

    private static func first(of sorted: [Int64], after value: Int64) -> Int64? {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] > value { high = middle } else { low = middle + 1 }
        }
        return low < sorted.count ? sorted[low] : nil
    }
}
