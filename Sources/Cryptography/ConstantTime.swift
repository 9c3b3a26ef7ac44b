import CCrypto
package import Foundation

/// Comparisons of secrets.
package enum ConstantTime {
    /// Whether both have the same bytes. The time depends on the lengths, and not on where they differ.
    ///
    /// Source: CRYPTO_memcmp(3).
    package static func areEqual(_ first: some ContiguousBytes, _ second: some ContiguousBytes) -> Bool {
        first.withUnsafeBytes { first in
            second.withUnsafeBytes { second in
                guard first.count == second.count else { return false }
                guard let one = first.baseAddress, let other = second.baseAddress else { return true }
                return CRYPTO_memcmp(one, other, first.count) == 0
            }
        }
    }
}
