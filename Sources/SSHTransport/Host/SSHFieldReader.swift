/// Reads the fields of SSH's binary forms one after the other (RFC 4251, section 5).
struct SSHFieldReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

    var isAtEnd: Bool { place == bytes.count }

    mutating func byte() -> UInt8? {
        guard place < bytes.count else { return nil }
        defer { place += 1 }
        return bytes[place]
    }

    /// A number of four bytes; nil at the end.
    mutating func number() -> Int? {
        guard bytes.count - place >= 4 else { return nil }
        defer { place += 4 }
        return bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The next string's bytes, which have their number in front; nil where it would go beyond the end.
    mutating func string() -> [UInt8]? {
        guard let count = number(), count <= bytes.count - place else { return nil }
        defer { place += count }
        return Array(bytes[place..<place + count])
    }

    /// The first field as text.
    var text: String {
        var copy = self
        return copy.string().map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    static func bigEndian(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
}
