import CCrypto
package import Foundation

/// Keyed hashes of messages in memory (RFC 2104).
package enum HMAC {
    /// Returns the authentication code of `message`. A key may have any length, including 0.
    package static func code(
        of message: some ContiguousBytes, key: some ContiguousBytes, _ algorithm: HashAlgorithm
    ) -> Digest {
        Digest(count: algorithm.byteCount) { output in
            message.withUnsafeBytes { message in
                key.withUnsafeBytes { key in
                    compute(message, key: key, algorithm: algorithm, output: output)
                }
            }
        }
    }

    /// Whether `code` is the authentication code of `message`. The time of the comparison does not depend on where they
    /// differ.
    package static func isValid(
        _ code: some ContiguousBytes, of message: some ContiguousBytes, key: some ContiguousBytes,
        algorithm: HashAlgorithm
    ) -> Bool {
        ConstantTime.areEqual(code, Self.code(of: message, key: key, algorithm).bytes)
    }

    /// Sources: EVP_MAC(3), EVP_MAC-HMAC(7).
    private static func compute(
        _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, algorithm: HashAlgorithm,
        output: UnsafeMutablePointer<UInt8>?
    ) {
        let library = HashLibrary.shared
        guard let context = EVP_MAC_CTX_new(library.hmac) else { HashLibrary.fail("compute an HMAC") }
        defer { EVP_MAC_CTX_free(context) }
        // EVP_MAC_init takes a null pointer for "keep the previous key"; an empty key needs an address.
        let hasBegun = withUnsafeBytes(of: UInt8(0)) { nothing in
            let bytes = (key.baseAddress ?? nothing.baseAddress)?.assumingMemoryBound(to: UInt8.self)
            return withParameters(algorithm) { EVP_MAC_init(context, bytes, key.count, $0) == 1 }
        }
        var count = 0
        guard hasBegun, EVP_MAC_update(context, message.bindMemory(to: UInt8.self).baseAddress, message.count) == 1,
            EVP_MAC_final(context, output, &count, algorithm.byteCount) == 1, count == algorithm.byteCount
        else { HashLibrary.fail("compute an HMAC") }
    }

    /// The parameters for HMAC's hash function and its source: `OSSL_MAC_PARAM_DIGEST` and `OSSL_MAC_PARAM_PROPERTIES`.
    private static func withParameters<Value>(_ algorithm: HashAlgorithm, _ body: ([OSSL_PARAM]) -> Value) -> Value {
        // The names have to outlive the call that takes them as parameters.
        let (digestName, propertiesName): (StaticString, StaticString) = ("digest", "properties")
        var (digest, properties) = (Array(algorithm.rawValue.utf8CString), Array(HashLibrary.properties.utf8CString))
        return digest.withUnsafeMutableBufferPointer { digest in
            properties.withUnsafeMutableBufferPointer { properties in
                body([
                    OSSL_PARAM_construct_utf8_string(digestName.cString, digest.baseAddress, 0),
                    OSSL_PARAM_construct_utf8_string(propertiesName.cString, properties.baseAddress, 0),
                    OSSL_PARAM_construct_end(),
                ])
            }
        }
    }
}

extension StaticString {
    /// Returns the text, ending in a zero, for the lifetime of the process.
    fileprivate var cString: UnsafePointer<CChar> { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}
