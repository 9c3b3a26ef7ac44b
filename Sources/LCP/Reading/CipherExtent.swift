/// The arithmetic of AES-CBC with the initialization vector in front and the padding of XML Encryption at the end.
struct CipherExtent: Hashable, Sendable {
    /// The length of a block, and of the initialization vector.
    static let block: Int64 = 16
    /// The shortest cipher text: the vector, and one block of padding.
    static let least: Int64 = 2 * block

    /// Bytes of the cipher text with its vector; at least ``least``, and a multiple of ``block``.
    let length: Int64

    /// Nil for a length that no cipher text has.
    init?(length: Int64) {
        guard length >= Self.least, length % Self.block == 0 else { return nil }
        self.length = length
    }

    /// Whether a cipher text of `length` bytes cannot have a plain text of `plain` bytes. Numbers of any size will do.
    static func isTooShort(_ length: Int64, for plain: Int64) -> Bool { length / block < plain / block + 2 }

    /// The lengths that the plain text can have: the padding takes 1 to 16 bytes.
    var plainLengths: ClosedRange<Int64> { length - Self.least...length - Self.block - 1 }

    /// The offset in the plain text of the last block.
    var lastBlock: Int64 { length - Self.least }

    /// The part of the cipher text to read for the plain text in `plain`: the block before, and whole blocks. That is at
    /// most 46 bytes more.
    ///
    /// - Parameter plain: Not empty, and within the longest plain text.
    func part(for plain: Range<Int64>) -> Range<Int64> {
        let start = plain.lowerBound / Self.block * Self.block
        let end = (plain.upperBound + Self.block - 1) / Self.block * Self.block + Self.block
        return start..<min(length, end)
    }
}
