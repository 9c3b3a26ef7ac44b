import FileProviderCore
import Foundation

/// The entries of a ZIP archive, as its directory lists them, and the way to them by name.
public struct ZIPDirectory: Sendable {
    /// Reachable entries in the order of the directory, folders included.
    public private(set) var entries: [ZIPEntry] = []
    /// How many records were left out: names that could lead out of the archive's root, and repetitions of a name.
    public private(set) var leftOut = 0
    /// The first entry of each name; names that differ in Unicode normalisation only are one key here.
    private var byName: [String: Int] = [:]
    /// Further entries whose names equal an earlier one's after normalisation, and differ in bytes.
    private var variants: [Int: [Int]] = [:]
    /// More spellings of one name than this are nobody's honest work, and would make reading a directory quadratic.
    private static let mostVariants = 8

    /// The entry with exactly this path, else the first one whose path is the same after Unicode normalisation.
    ///
    /// - Complexity: O(1).
    public func entry(at path: String) -> ZIPEntry? {
        guard let first = byName[path] else { return nil }
        let index = variants[first]?.first { Self.isSame(entries[$0].path, path) }
        return entries[Self.isSame(entries[first].path, path) ? first : index ?? first]
    }

    /// Swift compares strings by canonical equivalence; this compares bytes.
    private static func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

    /// Reads a directory (APPNOTE.TXT, section 4.3.12).
    ///
    /// - Parameters:
    ///   - bytes: The directory.
    ///   - start: Where the directory starts in the file.
    ///   - end: What the end-of-directory record says of it.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` when `bytes` are no directory, `.fileReadTooLarge` over one of `limits`.
    /// - Complexity: O(n log n) in the number of entries; about 1 µs each.
    init(_ bytes: UnsafeRawBufferPointer, start: Int64, end: DirectoryEnd, path: String, limits: ArchiveLimits) throws {
        var parser = DirectoryParser(bytes, shift: start - end.offset)
        let expected = min(limits.entries, bytes.count / ZIPRecord.directoryHeaderLength)
        entries.reserveCapacity(expected)
        byName.reserveCapacity(expected)
        var headers: [Int64] = []
        while let record = try parser.next(path: path) {
            headers.append(record.headerOffset)
            guard headers.count <= limits.entries else {
                throw FileError.make(
                    .fileReadTooLarge, path: path, sentence: "“\(path)” has more than \(limits.entries) entries, which is the limit.")
            }
            add(record)
        }
        // Writers without ZIP64 let the count run over at 65,536.
        guard headers.count & 0xFFFF == Int(truncatingIfNeeded: end.entries & 0xFFFF) else {
            throw FileError.make(
                .fileReadCorruptFile, path: path,
                sentence: "“\(path)” is a damaged ZIP archive: \(headers.count) of \(end.entries) entries are in its directory.")
        }
        boundEntries(by: headers, directoryStart: start)
    }

    private mutating func add(_ record: ZIPEntry) {
        let index = entries.count
        guard !record.path.isEmpty else {
            leftOut += 1
            return
        }
        if let first = byName[record.path] {
            let others = variants[first] ?? []
            let isTaken = ([first] + others).contains { Self.isSame(entries[$0].path, record.path) }
            guard !isTaken, others.count < Self.mostVariants else {
                leftOut += 1
                return
            }
            variants[first] = others + [index]
        } else {
            byName[record.path] = index
        }
        entries.append(record)
        entries[index].index = index
    }

    /// Finds where each entry has to end, and marks those that reach into another one.
    ///
    /// Of entries with one and the same local header the first keeps it: an archive of many names for one large piece of data is a
    /// known kind of bomb.
    private mutating func boundEntries(by headers: [Int64], directoryStart: Int64) {
        let sorted = headers.sorted()
        var owned: Set<Int64> = []
        owned.reserveCapacity(entries.count)
        for index in entries.indices where entries[index].defect == nil {
            let offset = entries[index].headerOffset
            let limit = Self.first(of: sorted, after: offset) ?? directoryStart
            entries[index].dataLimit = min(limit, directoryStart)
            let (least, overflow) = (offset + Int64(ZIPRecord.localHeaderLength)).addingReportingOverflow(entries[index].compressedSize)
            if overflow || least > entries[index].dataLimit || !owned.insert(offset).inserted { entries[index].defect = .overlapping }
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
