import FileProviderCore
import Foundation

/// Reads little-endian numbers, as ZIP has them (APPNOTE.TXT, section 4.4.1). The caller checks the bounds.
extension UnsafeRawBufferPointer {
    func u16(_ offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 }

    func u32(_ offset: Int) -> UInt32 { UInt32(u16(offset)) | UInt32(u16(offset + 2)) << 16 }

    func u64(_ offset: Int) -> UInt64 { UInt64(u32(offset)) | UInt64(u32(offset + 4)) << 32 }

    /// Returns the content of the first extra field called `tag`, in a list of extra fields (APPNOTE.TXT, section
    /// 4.5.1).
    func extraField(_ tag: UInt16) -> UnsafeRawBufferPointer? {
        var position = 0
        while position + 4 <= count {
            let end = position + 4 + Int(u16(position + 2))
            guard end <= count else { return nil }
            if u16(position) == tag { return UnsafeRawBufferPointer(rebasing: self[position + 4..<end]) }
            position = end
        }
        return nil
    }
}

/// The signatures and fixed lengths of ZIP's records (APPNOTE.TXT, section 4.3).
enum ZIPRecord {
    static let localHeader: UInt32 = 0x0403_4B50
    static let localHeaderLength = 30
    static let directoryHeader: UInt32 = 0x0201_4B50
    static let directoryHeaderLength = 46
    static let directoryEnd: UInt32 = 0x0605_4B50
    static let directoryEndLength = 22
    static let directoryEnd64: UInt32 = 0x0606_4B50
    static let directoryEnd64Length = 56
    static let locator64: UInt32 = 0x0706_4B50
    static let locator64Length = 20
    static let dataDescriptor: UInt32 = 0x0807_4B50

    /// Returns the length of a local header with its fields; nil if `bytes` are not one (APPNOTE.TXT, section 4.3.7).
    static func lengthOfLocalHeader(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        guard bytes.count >= localHeaderLength, bytes.u32(0) == localHeader else { return nil }
        return Int64(localHeaderLength) + Int64(bytes.u16(26)) + Int64(bytes.u16(28))
    }
}

/// The position of the directory, from an end-of-directory record (APPNOTE.TXT, sections 4.3.14 to 4.3.16).
package struct DirectoryEnd: Sendable {
    /// Offsets in the file of the record, or of the ZIP64 record before it: the directory ends here at the latest.
    package var position: Int64
    /// As written: the size of the directory, and its offset in the archive, which data in front of the archive shifts.
    package var size: Int64
    package var offset: Int64
    /// As written.
    package var entries: Int64
    /// Whether the record belongs to an archive on several disks.
    var isSplit: Bool
    /// Where the archive's comment is in the file: the last part of the record.
    let comment: Range<Int64>
    /// Bytes between the end of the comment and that of the file.
    let bytesBehind: Int64

    /// The offsets at which the directory may start: directly before the record, or where the record says.
    package var starts: [Int64] {
        let before = position - size
        return [before, offset].enumerated().compactMap { index, start in
            start >= 0 && start <= before && !(index == 1 && start == before) ? start : nil
        }
    }

    /// Returns all records in `tail`, the file's end from `offset` on, that may be the right one; the likeliest first.
    ///
    /// A comment may contain the signature, and bytes may follow the record, so each candidate is checked for
    /// plausibility. Records of an empty directory come last, because 22 nearly empty bytes occur by chance.
    package static func candidates(in tail: UnsafeRawBufferPointer, at offset: Int64) -> [DirectoryEnd] {
        var found: [DirectoryEnd] = []
        var index = tail.count - ZIPRecord.directoryEndLength
        while index >= 0, found.count < 64 {
            if tail[index] == 0x50, tail.u32(index) == ZIPRecord.directoryEnd,
                let end = DirectoryEnd(tail, at: index, offset: offset)
            {
                found.append(end)
            }
            index -= 1
        }
        return found.filter { $0.entries > 0 } + found.filter { $0.entries == 0 }
    }

    private init?(_ tail: UnsafeRawBufferPointer, at index: Int, offset tailOffset: Int64) {
        let end = index + ZIPRecord.directoryEndLength + Int(tail.u16(index + 20))
        guard end <= tail.count else { return nil }
        bytesBehind = Int64(tail.count - end)
        comment = tailOffset + Int64(index + ZIPRecord.directoryEndLength)..<tailOffset + Int64(end)
        position = tailOffset + Int64(index)
        isSplit = tail.u16(index + 4) != tail.u16(index + 6) || ![0, 0xFFFF].contains(tail.u16(index + 4))
        entries = Int64(tail.u16(index + 10))
        size = Int64(tail.u32(index + 12))
        offset = Int64(tail.u32(index + 16))
        if tail.u16(index + 8) != tail.u16(index + 10) { isSplit = true }
        if entries == 0xFFFF || size == 0xFFFF_FFFF || offset == 0xFFFF_FFFF {
            readZIP64(tail, before: index, offset: tailOffset)
        }
        // In an archive on one disk the directory precedes its end; on several, offsets refer to other files.
        guard isSplit || (!starts.isEmpty && size >= 0) else { return nil }
    }

    /// Takes saturated numbers from the ZIP64 record, if there is a plausible one.
    ///
    /// The record is searched for directly before its locator, which is right for every archive without extensible
    /// data, shifted or not; then at the locator's offset, as far as that is inside the tail.
    private mutating func readZIP64(_ tail: UnsafeRawBufferPointer, before index: Int, offset tailOffset: Int64) {
        let locator = index - ZIPRecord.locator64Length
        guard locator >= 0, tail.u32(locator) == ZIPRecord.locator64 else { return }
        let reported = Int64(exactly: tail.u64(locator + 8)).map { $0 - tailOffset }
        let records = [locator - ZIPRecord.directoryEnd64Length, reported.flatMap { Int(exactly: $0) }]
        for case let record? in records where record >= 0 && record <= locator - ZIPRecord.directoryEnd64Length {
            guard tail.u32(record) == ZIPRecord.directoryEnd64, let entries = Int64(exactly: tail.u64(record + 32)),
                let size = Int64(exactly: tail.u64(record + 40)), let offset = Int64(exactly: tail.u64(record + 48))
            else { continue }
            (self.entries, self.size, self.offset) = (entries, size, offset)
            position = tailOffset + Int64(record)
            isSplit = tail.u32(record + 16) != 0 || tail.u32(record + 20) != 0 || tail.u32(locator + 16) > 1
            return
        }
    }
}
