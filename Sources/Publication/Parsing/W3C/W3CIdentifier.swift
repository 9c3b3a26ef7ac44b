/// Makes identifiers for publications that have none.
enum W3CIdentifier {
    /// Returns a UUID that is derived from `text`: the same text gives the same UUID everywhere (RFC 9562, section 5.8:
    /// version 8).
    ///
    /// Two runs of the 64-bit hash FNV-1a, enough to distinguish books but not secure.
    static func urn(of text: String) -> String {
        // The first is FNV's own offset, the second that with all bits turned.
        let high = hash(text, 0xCBF2_9CE4_8422_2325) & 0xFFFF_FFFF_FFFF_0FFF | 0x8000
        let low = hash(text, ~0xCBF2_9CE4_8422_2325) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        let digits = hex(high) + hex(low)
        let parts = [(0, 8), (8, 4), (12, 4), (16, 4), (20, 12)].map { digits.dropFirst($0.0).prefix($0.1) }
        return "urn:uuid:" + parts.joined(separator: "-")
    }

    private static func hash(_ text: String, _ offset: UInt64) -> UInt64 {
        text.utf8.reduce(offset) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
