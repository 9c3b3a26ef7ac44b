/// The padding of XML Encryption 1.1, section 5.2: the last byte is the length of the padding, 1 to 16; the other bytes
/// of the padding may be anything.
enum BlockPadding {
    /// Returns `bytes` without padding; nil if the last byte cannot be a length.
    static func removed(from bytes: [UInt8]) -> ArraySlice<UInt8>? {
        guard let last = bytes.last, (1...16).contains(last), Int(last) <= bytes.count else { return nil }
        return bytes.dropLast(Int(last))
    }
}
