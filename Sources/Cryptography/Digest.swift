import CCrypto
package import Foundation

/// The result of a hash or of an HMAC.
///
/// `==` takes different times for different digests. Compare secret digests with ``HMAC/isValid(_:of:key:algorithm:)``.
package struct Digest: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Calls `body` with room for exactly `count` bytes, all of which it has to write.
    init(count: Int, _ body: (UnsafeMutablePointer<UInt8>?) -> Void) {
        bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            body(buffer.baseAddress)
            initialized = count
        }
    }

    /// Returns the hash of a whole message in memory, without copying it.
    package init(_ algorithm: HashAlgorithm, of message: some ContiguousBytes) {
        self.init(count: algorithm.byteCount) { output in
            message.withUnsafeBytes { message in
                guard
                    EVP_Digest(message.baseAddress, message.count, output, nil, HashLibrary.shared[algorithm], nil) == 1
                else {
                    HashLibrary.fail("compute a hash")
                }
            }
        }
    }

    /// Two lower-case hexadecimal digits for each byte.
    package var hexadecimal: String {
        let digits: StaticString = "0123456789abcdef"
        return String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            for (index, byte) in bytes.enumerated() {
                text[2 * index] = digits.utf8Start[Int(byte >> 4)]
                text[2 * index + 1] = digits.utf8Start[Int(byte & 15)]
            }
            return 2 * bytes.count
        }
    }

    /// Base64 with padding (RFC 4648, section 4).
    package var base64: String { Data(bytes).base64EncodedString() }
}
