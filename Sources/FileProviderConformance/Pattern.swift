import Foundation

/// Bytes that look random and are the same in every run, so that an error by any offset shows.
enum Pattern {
    /// Returns `count` bytes; another `seed` gives other bytes at nearly every offset.
    static func data(_ count: Int, seed: UInt64 = 1) -> Data {
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            // SplitMix64 (Steele, Lea and Flood, 2014).
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            withUnsafeBytes(of: (word ^ (word >> 31)).littleEndian) { bytes.append(contentsOf: $0) }
        }
        return Data(bytes.prefix(count))
    }
}
