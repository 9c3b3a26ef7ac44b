import Foundation

/// Hashes as a server needs them for digest logins.
public enum Digests {
    /// RFC 1321, in hexadecimal.
    public static func md5(_ text: String) -> String {
        let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
        let constants = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        for block in blocks(text, isBigEndian: false) {
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            for step in 0..<64 {
                let (mix, word): (UInt32, Int) =
                    switch step / 16 {
                    case 0: (b & c | ~b & d, step)
                    case 1: (d & b | ~d & c, (5 * step + 1) % 16)
                    case 2: (b ^ c ^ d, (3 * step + 5) % 16)
                    default: (c ^ (b | ~d), 7 * step % 16)
                    }
                let sum = a &+ mix &+ constants[step] &+ block[word]
                (a, d, c) = (d, c, b)
                b = b &+ rotatedLeft(sum, shifts[step / 16][step % 4])
            }
            for (index, value) in [a, b, c, d].enumerated() { state[index] = state[index] &+ value }
        }
        return state.map { String(format: "%08x", $0.byteSwapped) }.joined()
    }

    /// FIPS 180-4, section 6.2, in hexadecimal.
    public static func sha256(_ text: String) -> String {
        let primes = (2...311).filter { number in (2..<number).allSatisfy { number % $0 != 0 } }.map { Double($0) }
        func fraction(_ value: Double) -> UInt32 { UInt32((value - value.rounded(.down)) * 4_294_967_296) }
        let constants = primes.prefix(64).map { fraction(cbrt($0)) }
        var state = primes.prefix(8).map { fraction($0.squareRoot()) }
        for block in blocks(text, isBigEndian: true) {
            var words = block
            for index in 16..<64 {
                let (near, far) = (words[index - 15], words[index - 2])
                let small = rotatedLeft(near, 25) ^ rotatedLeft(near, 14) ^ near >> 3
                let large = rotatedLeft(far, 15) ^ rotatedLeft(far, 13) ^ far >> 10
                words.append(words[index - 16] &+ small &+ words[index - 7] &+ large)
            }
            var s = state
            for index in 0..<64 {
                let choice = s[4] & s[5] ^ ~s[4] & s[6]
                let majority = s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]
                let first = s[7] &+ (rotatedLeft(s[4], 26) ^ rotatedLeft(s[4], 21) ^ rotatedLeft(s[4], 7)) &+ choice
                let sum = first &+ constants[index] &+ words[index]
                let second = (rotatedLeft(s[0], 30) ^ rotatedLeft(s[0], 19) ^ rotatedLeft(s[0], 10)) &+ majority
                s = [sum &+ second, s[0], s[1], s[2], s[3] &+ sum, s[4], s[5], s[6]]
            }
            for index in 0..<8 { state[index] = state[index] &+ s[index] }
        }
        return state.map { String(format: "%08x", $0) }.joined()
    }

    private static func blocks(_ text: String, isBigEndian: Bool) -> [[UInt32]] {
        var bytes = Array(text.utf8)
        let bits = UInt64(bytes.count) * 8
        bytes.append(0x80)
        while bytes.count % 64 != 56 { bytes.append(0) }
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * (isBigEndian ? 7 - $0 : $0))) }
        return stride(from: 0, to: bytes.count, by: 64).map { start in
            stride(from: start, to: start + 64, by: 4).map { at in
                let word = bytes[at..<(at + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                return isBigEndian ? word : word.byteSwapped
            }
        }
    }

    private static func rotatedLeft(_ value: UInt32, _ count: UInt32) -> UInt32 {
        value << count | value >> (32 - count)
    }
}
