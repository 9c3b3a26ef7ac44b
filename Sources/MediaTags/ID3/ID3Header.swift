/// The header of a tag (ID3v2.4, section 3.1).
struct ID3Header {
    /// Bytes of the header.
    static let length: Int64 = 10

    /// 2, 3 or 4.
    let version: Int
    /// Bytes after the header, without the footer.
    let size: Int64
    let isUnsynchronised: Bool
    let hasExtension: Bool
    private let hasFooter: Bool

    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.starts(with: "ID3".utf8), let major = bytes.big(3, 1), (2...4).contains(major),
            let flags = bytes.big(5, 1),
            let size = Self.synchsafe(bytes.dropFirst(6))
        else { return nil }
        version = Int(major)
        self.size = size
        isUnsynchronised = flags & 0x80 != 0
        // In version 2 this flag says that the tag is compressed, in a way that was never defined.
        hasExtension = flags & 0x40 != 0 && major > 2
        hasFooter = flags & 0x10 != 0 && major == 4
    }

    /// The length of the whole tag in bytes.
    var total: Int64 { Self.length + size + (hasFooter ? 10 : 0) }

    /// Decodes four bytes of seven bits; nil if one has eight.
    static func synchsafe(_ bytes: ArraySlice<UInt8>) -> Int64? {
        let bytes = bytes.prefix(4)
        guard bytes.count == 4, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        return bytes.reduce(0) { $0 << 7 | Int64($1) }
    }

    /// Returns the bytes without the zeros that keep a tag from looking like sound (ID3v2.4, section 6.1).
    static func resynchronised(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var last: UInt8 = 0
        for byte in bytes {
            if !(last == 0xFF && byte == 0) { result.append(byte) }
            last = byte
        }
        return result
    }
}
