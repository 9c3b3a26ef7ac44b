public import Foundation

/// The same numbers for the same seed, on every machine (SplitMix64).
public struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    /// Any seed will do, 0 too.
    public init(seed: UInt64) {
        state = seed
    }

    /// All 64 bits are equally good.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Bytes that cannot be compressed.
    public mutating func bytes(_ count: Int) -> Data {
        var data = Data(capacity: count + 8)
        while data.count < count { withUnsafeBytes(of: next().littleEndian) { data.append(contentsOf: $0) } }
        return data.prefix(count)
    }
}
