import Foundation

extension Data {
    /// Appends little-endian numbers.
    mutating func append16(_ values: UInt16...) {
        for value in values { append(contentsOf: [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]) }
    }

    mutating func append32(_ values: UInt32...) {
        for value in values { append16(UInt16(truncatingIfNeeded: value), UInt16(value >> 16)) }
    }

    mutating func append64(_ values: UInt64...) {
        for value in values { append32(UInt32(truncatingIfNeeded: value), UInt32(value >> 32)) }
    }
}

extension ZIPBuilder.Record {
    /// 1 January 2024, noon, in the form of MS-DOS.
    private static let time: UInt16 = 12 << 11
    private static let date: UInt16 = (2024 - 1980) << 9 | 1 << 5 | 1

    /// APPNOTE.TXT, section 4.3.7.
    func localHeader() -> Data {
        var data = Data()
        data.append32(0x0403_4B50)
        data.append16(20, flags, options.method, Self.time, Self.date)
        if options.hasDataDescriptor {
            data.append32(0, 0, 0)
        } else {
            data.append32(checksum, UInt32(truncatingIfNeeded: compressedSize), UInt32(truncatingIfNeeded: size))
        }
        data.append16(UInt16(name.count), UInt16(options.localExtra.count))
        return data + name + options.localExtra
    }

    /// APPNOTE.TXT, section 4.3.9.
    func dataDescriptor() -> Data {
        var data = Data()
        data.append32(
            0x0807_4B50, checksum, UInt32(truncatingIfNeeded: compressedSize), UInt32(truncatingIfNeeded: size))
        return data
    }

    /// APPNOTE.TXT, section 4.3.12.
    func directoryHeader() -> Data {
        let extra = options.isZIP64 ? zip64Extra() + options.directoryExtra : Data(options.directoryExtra)
        var data = Data()
        data.append32(0x0201_4B50)
        data.append16(0x0300 | 45, options.isZIP64 ? 45 : 20, flags, options.method, Self.time, Self.date)
        data.append32(options.claimedChecksum ?? checksum)
        if options.isZIP64 {
            data.append32(.max, .max)
        } else {
            data.append32(options.claimedCompressedSize ?? UInt32(compressedSize), options.claimedSize ?? UInt32(size))
        }
        data.append16(UInt16(name.count), UInt16(extra.count), 0, options.claimedDisk, 0)
        data.append32(0, options.isZIP64 ? .max : options.claimedOffset ?? UInt32(truncatingIfNeeded: offset))
        return data + name + extra
    }

    /// APPNOTE.TXT, section 4.5.3.
    private func zip64Extra() -> Data {
        var data = Data()
        data.append16(0x0001, 24)
        data.append64(UInt64(size), UInt64(compressedSize), UInt64(offset))
        return data
    }
}

enum ZIPEnd {
    /// APPNOTE.TXT, section 4.3.16.
    static func usual(entries: Int, size: Int64, offset: Int64, _ ending: ZIPBuilder.Ending) -> Data {
        let count = ending.isZIP64 ? UInt16.max : ending.claimedEntries ?? UInt16(truncatingIfNeeded: entries)
        var data = Data()
        data.append32(0x0605_4B50)
        data.append16(ending.disk, ending.disk, count, count)
        data.append32(
            ending.isZIP64 ? .max : ending.claimedDirectorySize ?? UInt32(truncatingIfNeeded: size),
            ending.isZIP64 ? .max : ending.claimedDirectoryOffset ?? UInt32(truncatingIfNeeded: offset))
        data.append16(UInt16(ending.comment.count))
        return data + ending.comment + ending.trailing
    }

    /// APPNOTE.TXT, sections 4.3.14 and 4.3.15.
    static func zip64(entries: Int, size: Int64, offset: Int64) -> Data {
        var data = Data()
        data.append32(0x0606_4B50)
        data.append64(44)
        data.append16(45, 45)
        data.append32(0, 0)
        data.append64(UInt64(entries), UInt64(entries), UInt64(size), UInt64(offset))
        data.append32(0x0706_4B50, 0)
        data.append64(UInt64(offset + size))
        data.append32(1)
        return data
    }
}
