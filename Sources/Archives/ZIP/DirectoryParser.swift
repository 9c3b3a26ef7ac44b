import FileProviderCore
import Foundation

/// Parses the records of a ZIP directory (APPNOTE.TXT, section 4.3.12).
struct DirectoryParser {
    private let bytes: UnsafeRawBufferPointer
    /// The length of the data in front of the archive, to add to its offsets.
    private let shift: Int64
    /// Where the next record begins.
    private(set) var position = 0
    /// Names of records that must not be used as paths.
    private(set) var unsafeNames = CountedNames()
    /// Names that begin with a slash.
    private(set) var rootedNames = CountedNames()

    init(_ bytes: UnsafeRawBufferPointer, shift: Int64) {
        self.bytes = bytes
        self.shift = shift
    }

    /// Returns the next record; nil at the end, or if something else follows, such as a digital signature. A record
    /// whose name must not be used has an empty path.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if a record is cut off.
    mutating func next(path: String) throws -> ZIPEntry? {
        let start = position
        guard start + 4 <= bytes.count, bytes.u32(start) == ZIPRecord.directoryHeader else { return nil }
        let fixed = start + ZIPRecord.directoryHeaderLength
        guard fixed <= bytes.count else { throw Self.cutOff(path) }
        let nameEnd = fixed + Int(bytes.u16(start + 28))
        let extraEnd = nameEnd + Int(bytes.u16(start + 30))
        position = extraEnd + Int(bytes.u16(start + 32))
        guard position <= bytes.count else { throw Self.cutOff(path) }
        return record(at: start, name: part(fixed, nameEnd), extra: part(nameEnd, extraEnd))
    }

    private func part(_ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    private static func cutOff(_ path: String) -> CocoaError {
        FileError.make(
            .fileReadCorruptFile, path: path, sentence: "“\(path)” is a damaged ZIP archive: its directory is cut off.")
    }

    private mutating func record(at start: Int, name: UnsafeRawBufferPointer, extra: UnsafeRawBufferPointer) -> ZIPEntry
    {
        var fields = ZIP64Fields(
            uncompressed: UInt64(bytes.u32(start + 24)), compressed: UInt64(bytes.u32(start + 20)),
            offset: UInt64(bytes.u32(start + 42)),
            disk: UInt32(bytes.u16(start + 34)))
        let isWhole = extra.isEmpty || fields.read(extra)
        let flags = bytes.u16(start + 8)
        let offset = Int64(exactly: fields.offset).map { $0.addingReportingOverflow(shift) }
        let (uncompressed, compressed) = (Int64(exactly: fields.uncompressed), Int64(exactly: fields.compressed))
        var defect: ZIPEntry.Defect? = fields.disk == 0 ? nil : .elsewhere
        let isPossible = isWhole && uncompressed != nil && compressed != nil
        // No file comes near the upper bound, and sums of such offsets and lengths cannot overflow.
        let position = offset.flatMap {
            $0.overflow || $0.partialValue < 0 || $0.partialValue > .max / 4 ? nil : $0.partialValue
        }
        if !isPossible || position == nil { defect = .malformed }
        let (text, undecided) = EntryName.read(name, flags: flags, extra: extra)
        let path = EntryName.confined(text)
        if path == nil, !EntryName.isRoot(text) { unsafeNames.add(text) }
        if path != nil, EntryName.isRooted(text) { rootedNames.add(text) }
        return ZIPEntry(
            path: path ?? "", undecidedName: undecided,
            compressedSize: compressed ?? 0, uncompressedSize: uncompressed ?? 0, checksum: bytes.u32(start + 16),
            method: bytes.u16(start + 10), isEncrypted: flags & 1 != 0, index: 0, defect: defect,
            headerOffset: position ?? 0,
            expectedHeaderLength: Int64(ZIPRecord.localHeaderLength + name.count + extra.count), dataLimit: 0)
    }
}

/// The numbers of a directory record that extra field 0x0001 holds if they are too large for the record (APPNOTE.TXT,
/// section 4.5.3).
private struct ZIP64Fields {
    var uncompressed: UInt64
    var compressed: UInt64
    var offset: UInt64
    var disk: UInt32

    /// Reads from `extra` only the numbers whose own fields are saturated; they are in this order there.
    ///
    /// - Returns: False if the field exists and is too short.
    mutating func read(_ extra: UnsafeRawBufferPointer) -> Bool {
        let needsMore =
            uncompressed == 0xFFFF_FFFF || compressed == 0xFFFF_FFFF || offset == 0xFFFF_FFFF || disk == 0xFFFF
        guard needsMore, let field = extra.extraField(0x0001) else { return true }
        var position = 0
        func take(_ value: inout UInt64) -> Bool {
            guard value == 0xFFFF_FFFF else { return true }
            guard position + 8 <= field.count else { return false }
            value = field.u64(position)
            position += 8
            return true
        }
        guard take(&uncompressed), take(&compressed), take(&offset) else { return false }
        guard disk == 0xFFFF else { return true }
        guard position + 4 <= field.count else { return false }
        disk = field.u32(position)
        return true
    }
}
