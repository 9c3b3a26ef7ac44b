/// Reads the fields of SSH's binary forms one after the other (RFC 4251, section 5).
struct SSHFieldReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func byte() -> UInt8? {
        guard offset < bytes.count else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// A number of four bytes; nil at the end.
    mutating func number() -> Int? {
        guard bytes.count - offset >= 4 else { return nil }
        defer { offset += 4 }
        return bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The next string's bytes, which have their number in front; nil where it would go beyond the end.
    mutating func string() -> [UInt8]? {
        guard let count = number(), count <= bytes.count - offset else { return nil }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    /// The first field as text.
    var text: String {
        var copy = self
        return copy.string().map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    static func bigEndian(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
}
