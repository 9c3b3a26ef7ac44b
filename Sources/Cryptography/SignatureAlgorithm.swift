/// An algorithm of signatures over SHA-256.
package enum SignatureAlgorithm: Sendable {
    /// RSASSA-PKCS1-v1_5 (RFC 8017, section 8.2).
    case rsaSHA256
    /// ECDSA (FIPS 186-5, section 6). A signature is r and s in turn, as XML Signature has it (RFC 4050, section 3.3),
    /// or both in DER (RFC 3279, section 2.2.3).
    case ecdsaSHA256

    /// libcrypto's name for the keys of the algorithm.
    var keyType: String {
        switch self {
        case .rsaSHA256: "RSA"
        case .ecdsaSHA256: "EC"
        }
    }
}
