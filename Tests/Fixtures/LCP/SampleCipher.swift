import CCrypto
public import Foundation

/// libcrypto's encrypting side, for what tests and samples make. The product only decrypts.
public enum SampleCipher {
    /// AES-256-CBC with a padding as XML Encryption 1.1, section 5.2, has it: only its last byte means something.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - seed: Of the initialization vector and the filling of the padding.
    /// - Returns: The vector, and whole blocks.
    public static func encrypt(_ data: Data, key: Data, seed: UInt64 = 1) -> Data {
        var numbers = SeededNumbers(seed: seed)
        let vector = numbers.bytes(16)
        let padding = 16 - data.count % 16
        var plain = data
        plain.append(numbers.bytes(padding - 1))
        plain.append(UInt8(padding))
        return vector + encryptBlocks(plain, key: key, vector: vector)
    }

    /// AES-256-CBC of whole blocks, with any padding or none.
    public static func encryptBlocks(_ plain: Data, key: Data, vector: Data) -> Data {
        precondition(plain.count % 16 == 0 && key.count == 32 && vector.count == 16, "AES-256 takes whole blocks")
        guard let context = EVP_CIPHER_CTX_new() else { preconditionFailure("libcrypto has no memory") }
        defer { EVP_CIPHER_CTX_free(context) }
        let hasBegun = EVP_EncryptInit_ex(context, EVP_aes_256_cbc(), nil, Array(key), Array(vector)) == 1
        precondition(hasBegun && EVP_CIPHER_CTX_set_padding(context, 0) == 1, "AES-256-CBC is there")
        var (output, count) = (Data(count: plain.count), Int32(0))
        plain.withUnsafeBytes { plain in
            output.withUnsafeMutableBytes { output in
                let (from, to) = (plain.bindMemory(to: UInt8.self), output.bindMemory(to: UInt8.self))
                let isDone = EVP_EncryptUpdate(context, to.baseAddress, &count, from.baseAddress, Int32(plain.count))
                precondition(isDone == 1 && Int(count) == plain.count, "whole blocks go out at once")
            }
        }
        return output
    }

    /// The SHA-256 of `data`.
    public static func hash(_ data: Data) -> Data {
        var (output, count) = ([UInt8](repeating: 0, count: 32), UInt32(0))
        precondition(EVP_Digest(Array(data), data.count, &output, &count, EVP_sha256(), nil) == 1, "SHA-256 is there")
        return Data(output)
    }

    /// Signs `message` over its SHA-256, with a key of RSA (PKCS #1, version 1.5) or an elliptic curve (in DER).
    ///
    /// - Parameter key: A private key in PEM, without a passphrase.
    public static func sign(_ message: Data, key: String) -> (signature: Data, isRSA: Bool) {
        let found: OpaquePointer? = Array(der(ofPEM: key)).withUnsafeBufferPointer { bytes in
            var next = bytes.baseAddress
            return d2i_AutoPrivateKey(nil, &next, bytes.count)
        }
        guard let pair = found, let context = EVP_MD_CTX_new() else { preconditionFailure("this is no private key") }
        defer {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(pair)
        }
        precondition(EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pair) == 1, "the key can sign")
        let message = Array(message)
        var count = 0
        precondition(EVP_DigestSign(context, nil, &count, message, message.count) == 1, "a signature has a length")
        var signature = [UInt8](repeating: 0, count: count)
        precondition(EVP_DigestSign(context, &signature, &count, message, message.count) == 1, "the key can sign")
        return (Data(signature.prefix(count)), EVP_PKEY_is_a(pair, "RSA") == 1)
    }

    /// The bytes of the only object in a PEM file.
    static func der(ofPEM text: String) -> Data {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("-----") && !$0.isEmpty }
        guard let data = Data(base64Encoded: lines.joined(separator: ""), options: .ignoreUnknownCharacters) else {
            preconditionFailure("this is no PEM file")
        }
        return data
    }
}
