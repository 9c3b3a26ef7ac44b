import Foundation

extension Data {
    /// Appends numbers, little-endian as ZIP has them (APPNOTE.TXT, section 4.4.1).
    fileprivate mutating func appendNumbers<Number: FixedWidthInteger>(_ numbers: Number...) {
        for number in numbers { Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) } }
    }
}

/// The largest numbers of the fields without ZIP64, which are saturated above them (APPNOTE.TXT, section 4.4.1.4).
private enum ZIPLimit {
    static let number = Int64(UInt32.max) - 1
    static let count = Int(UInt16.max) - 1
}

/// An entry that is stored as it is.
struct AppendedEntry {
    let name: [UInt8]
    let content: Data
    let date: Date
    /// The offset of the local header in the archive.
    let offset: Int64

    /// The header before the content (APPNOTE.TXT, section 4.3.7).
    var localHeader: Data {
        var data = Data()
        data.appendNumbers(ZIPRecord.localHeader)
        data.appendNumbers(UInt16(10))
        data += common
        data.appendNumbers(UInt16(name.count), 0)
        return data + name
    }

    /// The record in the directory (APPNOTE.TXT, section 4.3.12), with an extra field 0x0001 for an offset that is too
    /// large for it (section 4.5.3).
    var directoryHeader: Data {
        let isLarge = offset > ZIPLimit.number
        let version: UInt16 = isLarge ? 45 : 10
        var data = Data()
        data.appendNumbers(ZIPRecord.directoryHeader)
        // Made on UNIX, so that the external attributes below are permissions.
        data.appendNumbers(UInt16(3) << 8 | version, version)
        data += common
        // Name, extra fields, comment; disk; internal attributes.
        data.appendNumbers(UInt16(name.count), isLarge ? 12 : 0, 0, 0, 0)
        // A regular file that all may read and its owner may change.
        data.appendNumbers(UInt32(0o100644) << 16, isLarge ? UInt32.max : UInt32(offset))
        data += name
        if isLarge {
            data.appendNumbers(UInt16(0x0001), 8)
            data.appendNumbers(UInt64(offset))
        }
        return data
    }

    /// The fields from the flags to the sizes, which both headers have.
    private var common: Data {
        var checksum = CRC32()
        content.withUnsafeBytes { checksum.update($0) }
        let (day, time) = Self.dosTime(of: date)
        var data = Data()
        // No flags; stored.
        data.appendNumbers(UInt16(0), 0, time, day)
        data.appendNumbers(checksum.value, UInt32(content.count), UInt32(content.count))
        return data
    }

    /// Returns `date` in UTC as MS-DOS has it, from 1980 to 2107 (APPNOTE.TXT, section 4.4.6).
    private static func dosTime(of date: Date) -> (day: UInt16, time: UInt16) {
        // Both ends are dates that the fields can hold.
        var seconds = time_t(min(max(date.timeIntervalSince1970, 315_532_800), 4_354_819_198))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let day = (parts.tm_year - 80) << 9 | (parts.tm_mon + 1) << 5 | parts.tm_mday
        let time = parts.tm_hour << 11 | parts.tm_min << 5 | parts.tm_sec / 2
        return (UInt16(truncatingIfNeeded: day), UInt16(truncatingIfNeeded: time))
    }
}

/// The end of an archive behind its directory.
struct ZIPEndWriter {
    let entries: Int
    /// The directory's bytes, and its offset in the archive.
    let size: Int64
    let offset: Int64
    let comment: Data

    /// The end record (APPNOTE.TXT, section 4.3.16); before it those of ZIP64 if a number needs them.
    var data: Data {
        let needsMore = entries > ZIPLimit.count || size > ZIPLimit.number || offset > ZIPLimit.number
        var data = needsMore ? zip64 : Data()
        let count = UInt16(min(entries, Int(UInt16.max)))
        data.appendNumbers(ZIPRecord.directoryEnd)
        data.appendNumbers(UInt16(0), 0, count, count)
        data.appendNumbers(UInt32(min(size, Int64(UInt32.max))), UInt32(min(offset, Int64(UInt32.max))))
        data.appendNumbers(UInt16(comment.count))
        return data + comment
    }

    /// APPNOTE.TXT, sections 4.3.14 and 4.3.15.
    private var zip64: Data {
        var data = Data()
        data.appendNumbers(ZIPRecord.directoryEnd64)
        // The size of the rest of the record.
        data.appendNumbers(UInt64(ZIPRecord.directoryEnd64Length - 12))
        data.appendNumbers(UInt16(3) << 8 | 45, 45)
        data.appendNumbers(UInt32(0), 0)
        data.appendNumbers(UInt64(entries), UInt64(entries), UInt64(size), UInt64(offset))
        data.appendNumbers(ZIPRecord.locator64, 0)
        data.appendNumbers(UInt64(offset + size))
        data.appendNumbers(UInt32(1))
        return data
    }
}
