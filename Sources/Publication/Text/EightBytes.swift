/// Eight bytes of UTF-8 looked at in one step, the first one in the lowest bits.
struct EightBytes {
    private let value: UInt64

    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// - Parameter index: Of the first byte; seven more have to follow it.
    @inline(__always)
    init(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) {
        let raw = UnsafeRawBufferPointer(bytes)
        value = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// Whether none is part of a sequence of several bytes.
    @inline(__always)
    var isASCII: Bool { value & Self.highBits == 0 }

    /// The high bit of each byte that is a space or a control character.
    @inline(__always)
    private var spacesAndControls: UInt64 {
        // Without a carry from one byte to the next.
        let above = (value & ~Self.highBits) &+ Self.ones &* (0x7F - 0x20)
        return ~(above | value) & Self.highBits
    }

    /// Whether it is words with single spaces between them, and neither begins nor ends with a space.
    @inline(__always)
    var isWords: Bool {
        let spaces = spacesAndControls
        guard spaces & 0x8000_0000_0000_0080 == 0, spaces & (spaces &<< 8) == 0 else { return false }
        // Each of them is a space and no other control character: 0x20 where they are.
        return (value & (spaces &>> 7 &* 0xFF)) == (spaces &>> 2)
    }

    /// The index of the first byte from `start` on that is not ASCII; the end if there is none.
    static func endOfASCII(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var end = start
        while end + 8 <= bytes.count, EightBytes(bytes, at: end).isASCII { end += 8 }
        while end < bytes.count, bytes[end] < 0x80 { end += 1 }
        return end
    }
}
