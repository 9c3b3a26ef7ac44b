import Foundation

/// A local header (APPNOTE.TXT, section 4.3.7), used in the absence of a directory.
struct SalvageHeader {
    /// The sizes and checksum in a header or a data descriptor.
    struct Sizes {
        var checksum: UInt32
        var compressed: Int64
        var uncompressed: Int64
    }

    private(set) var sizes: Sizes
    /// Whether sizes and checksum follow the data: bit 3, and nothing is known yet.
    let sizesFollow: Bool
    /// As written, decoded.
    let name: String
    private let undecidedName: [UInt8]?
    private let flags: UInt16
    private let method: UInt16

    /// - Parameter length: The length of the header with its fields, all of which are in `bytes`.
    /// - Returns: Nil if it cannot be a header.
    init?(_ bytes: UnsafeRawBufferPointer, length: Int) {
        let nameEnd = ZIPRecord.localHeaderLength + Int(bytes.u16(26))
        // No writer uses versions beyond 6.3 (section 4.4.3.2).
        guard nameEnd > ZIPRecord.localHeaderLength, bytes[4] <= 63 else { return nil }
        let name = UnsafeRawBufferPointer(rebasing: bytes[ZIPRecord.localHeaderLength..<nameEnd])
        let extra = UnsafeRawBufferPointer(rebasing: bytes[nameEnd..<length])
        flags = bytes.u16(6)
        method = bytes.u16(8)
        var (compressed, uncompressed) = (UInt64(bytes.u32(18)), UInt64(bytes.u32(22)))
        if compressed == 0xFFFF_FFFF || uncompressed == 0xFFFF_FFFF, let field = extra.extraField(0x0001),
            field.count >= 16
        {
            // Both are present, in this order (section 4.5.3).
            (uncompressed, compressed) = (field.u64(0), field.u64(8))
        }
        guard let packed = Int64(exactly: compressed), let unpacked = Int64(exactly: uncompressed) else { return nil }
        sizes = Sizes(checksum: bytes.u32(14), compressed: packed, uncompressed: unpacked)
        sizesFollow = flags & 8 != 0 && packed == 0
        (self.name, undecidedName) = EntryName.read(name, flags: flags, extra: extra)
    }

    /// The entry whose header this is, and whose data is complete.
    func entry(at offset: Int64, length: Int64, sizes: Sizes) -> ZIPEntry {
        // Bit 13 hides the header's values in an archive whose directory is encrypted (section 4.4.4).
        ZIPEntry(
            path: EntryName.confined(name) ?? "", undecidedName: undecidedName, compressedSize: sizes.compressed,
            uncompressedSize: sizes.uncompressed,
            checksum: sizes.checksum, method: method,
            isEncrypted: flags & 0x2001 != 0, index: 0, defect: nil, headerOffset: offset, expectedHeaderLength: length,
            dataLimit: offset + length + sizes.compressed)
    }
}

extension SalvageHeader.Sizes {
    /// The numbers of a data descriptor, after its signature (APPNOTE.TXT, section 4.3.9); nil if they are cut off or
    /// impossible.
    init?(descriptor bytes: UnsafeRawBufferPointer, is64: Bool) {
        guard bytes.count >= (is64 ? 20 : 12) else { return nil }
        let packed = is64 ? Int64(exactly: bytes.u64(4)) : Int64(bytes.u32(4))
        let unpacked = is64 ? Int64(exactly: bytes.u64(12)) : Int64(bytes.u32(8))
        guard let packed, let unpacked else { return nil }
        self.init(checksum: bytes.u32(0), compressed: packed, uncompressed: unpacked)
    }
}

extension ZIPRecord {
    /// Returns whether this signature begins a record after the last entry: part of the directory or of its end.
    static func isBehindEntries(_ signature: UInt32) -> Bool {
        [directoryHeader, directoryEnd, directoryEnd64, locator64, 0x0806_4B50].contains(signature)
    }
}
