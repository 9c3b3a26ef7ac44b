import CCrypto
package import Foundation

extension Certificate {
    /// Whether `signature` is the signature of `message` by the key of this certificate.
    ///
    /// False, too, if the key is not one for `algorithm`. ``verify(intermediates:roots:at:)`` comes first: it refuses
    /// keys on curves without a name.
    ///
    /// Source: EVP_DigestVerifyInit(3).
    package func isSignature(_ signature: Data, of message: Data, by algorithm: SignatureAlgorithm) -> Bool {
        HashLibrary.withoutErrors {
            guard let key = X509_get0_pubkey(context.pointer), EVP_PKEY_is_a(key, algorithm.keyType) == 1 else {
                return false
            }
            var forms = [signature]
            if algorithm == .ecdsaSHA256, let der = Self.der(ofPair: signature, by: key) { forms.append(der) }
            return forms.contains { Self.isSignature($0, of: message, key: key) }
        }
    }

    private static func isSignature(_ signature: Data, of message: Data, key: OpaquePointer) -> Bool {
        guard let context = EVP_MD_CTX_new() else { HashLibrary.fail("verify a signature") }
        defer { EVP_MD_CTX_free(context) }
        let library = HashLibrary.shared
        guard
            EVP_DigestVerifyInit_ex(context, nil, "SHA256", library.context, HashLibrary.properties, key, nil) == 1
        else { return false }
        return signature.withUnsafeBytes { signature in
            message.withUnsafeBytes { message in
                EVP_DigestVerify(
                    context, signature.bindMemory(to: UInt8.self).baseAddress, signature.count,
                    message.bindMemory(to: UInt8.self).baseAddress, message.count) == 1
            }
        }
    }

    /// Returns the signature that is r and s in turn, each as long as the order of the curve, in DER.
    private static func der(ofPair signature: Data, by key: OpaquePointer) -> Data? {
        let length = (Int(EVP_PKEY_get_bits(key)) + 7) / 8
        guard length > 0, signature.count == 2 * length else { return nil }
        guard let pair = ECDSA_SIG_new() else { HashLibrary.fail("verify a signature") }
        defer { ECDSA_SIG_free(pair) }
        let (first, second) = (Array(signature.prefix(length)), Array(signature.suffix(length)))
        // The pair owns the numbers from then on.
        guard let r = BN_bin2bn(first, Int32(length), nil), let s = BN_bin2bn(second, Int32(length), nil),
            ECDSA_SIG_set0(pair, r, s) == 1
        else { HashLibrary.fail("verify a signature") }
        var output: UnsafeMutablePointer<UInt8>?
        let count = i2d_ECDSA_SIG(pair, &output)
        guard count > 0, let bytes = output else { return nil }
        defer { CRYPTO_free(bytes, nil, 0) }
        return Data(bytes: bytes, count: Int(count))
    }
}
