import CCrypto
package import Foundation

/// Keyed hashes of messages that are in memory (RFC 2104).
package enum HMAC {
    /// The authentication code of `message`. A key may have any length, also none.
    package static func code(
        of message: some ContiguousBytes, key: some ContiguousBytes, _ algorithm: HashAlgorithm
    ) -> Digest {
        Digest(count: algorithm.byteCount) { output in
            message.withUnsafeBytes { message in
                key.withUnsafeBytes { key in
                    compute(message, key, algorithm, output)
                }
            }
        }
    }

    /// Whether `code` is the authentication code of `message`, compared in a time that tells nothing about where they differ.
    package static func isValid(
        _ code: some ContiguousBytes, of message: some ContiguousBytes, key: some ContiguousBytes, _ algorithm: HashAlgorithm
    ) -> Bool {
        let expected = Self.code(of: message, key: key, algorithm).bytes
        return code.withUnsafeBytes { code in
            code.count == expected.count && CRYPTO_memcmp(code.baseAddress, expected, expected.count) == 0
        }
    }

    /// Source: EVP_MAC(3).
    private static func compute(
        _ message: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ algorithm: HashAlgorithm,
        _ output: UnsafeMutablePointer<UInt8>?
    ) {
        var count = 0
        // A null pointer would mean no key instead of an empty one.
        let result = withUnsafeBytes(of: UInt8(0)) { nothing in
            EVP_Q_mac(
                HashLibrary.shared.context, "HMAC", HashLibrary.properties, algorithm.rawValue, nil, key.baseAddress ?? nothing.baseAddress,
                key.count, message.bindMemory(to: UInt8.self).baseAddress, message.count, output, algorithm.byteCount, &count)
        }
        guard result != nil, count == algorithm.byteCount else { HashLibrary.outOfMemory() }
    }
}
