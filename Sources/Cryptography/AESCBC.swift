import CCrypto
package import Foundation

/// Decrypts AES-CBC in pieces (FIPS 197; NIST SP 800-38A, section 6.2). Padding is the caller's matter.
///
/// One thread at a time may use an object.
///
/// Source: EVP_EncryptInit(3).
package final class AESCBCDecryptor {
    /// The most bytes that one call of libcrypto gets, whose lengths have 32 bits.
    private static let largestPiece = 1 << 30

    private let context: OpaquePointer

    /// A decryptor for one run of blocks.
    ///
    /// - Parameters:
    ///   - key: 16, 24 or 32 bytes, for AES-128, AES-192 or AES-256.
    ///   - initializationVector: 16 bytes: the vector of the message, or the cipher block before the first one to decrypt.
    package init(key: [UInt8], initializationVector: UnsafeRawBufferPointer) {
        precondition(initializationVector.count == AESCBC.blockLength, "The vector of AES-CBC has 16 bytes.")
        let cipher = HashLibrary.shared.aes(keyLength: key.count)
        guard let context = EVP_CIPHER_CTX_new() else { HashLibrary.fail("decrypt") }
        self.context = context
        let vector = initializationVector.bindMemory(to: UInt8.self).baseAddress
        guard EVP_DecryptInit_ex2(context, cipher, key, vector, nil) == 1, EVP_CIPHER_CTX_set_padding(context, 0) == 1
        else { HashLibrary.fail("decrypt") }
    }

    /// Frees the key, too: libcrypto overwrites it.
    deinit { EVP_CIPHER_CTX_free(context) }

    /// Decrypts whole blocks; a following call continues after them.
    ///
    /// - Parameters:
    ///   - input: A multiple of 16 bytes.
    ///   - output: At least as many bytes; may be the memory of `input`, but not another part of it.
    package func update(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        precondition(input.count.isMultiple(of: AESCBC.blockLength), "AES-CBC decrypts whole blocks only.")
        precondition(output.count >= input.count, "The plain text needs as many bytes as the cipher text.")
        guard let source = input.bindMemory(to: UInt8.self).baseAddress,
            let target = output.bindMemory(to: UInt8.self).baseAddress
        else { return }
        var offset = 0
        while offset < input.count {
            let count = min(input.count - offset, Self.largestPiece)
            var written: Int32 = 0
            guard EVP_DecryptUpdate(context, target + offset, &written, source + offset, Int32(count)) == 1,
                Int(written) == count
            else { HashLibrary.fail("decrypt") }
            offset += count
        }
    }
}

/// Messages in memory, encrypted with AES-CBC.
package enum AESCBC {
    /// The length of a block and of a vector in bytes.
    package static let blockLength = 16

    /// Returns the plain text of `data`, which begins with its vector. Padding is not removed.
    ///
    /// - Parameter key: 16, 24 or 32 bytes.
    /// - Returns: Nil if `data` is not a vector and any number of whole blocks.
    package static func decrypted(_ data: some ContiguousBytes, key: [UInt8]) -> [UInt8]? {
        data.withUnsafeBytes { data -> [UInt8]? in
            guard data.count >= blockLength, data.count.isMultiple(of: blockLength) else { return nil }
            let vector = UnsafeRawBufferPointer(rebasing: data[..<blockLength])
            let blocks = UnsafeRawBufferPointer(rebasing: data[blockLength...])
            let decryptor = AESCBCDecryptor(key: key, initializationVector: vector)
            return [UInt8](unsafeUninitializedCapacity: blocks.count) { buffer, initialized in
                decryptor.update(blocks, into: UnsafeMutableRawBufferPointer(buffer))
                initialized = blocks.count
            }
        }
    }
}
