/// A hash algorithm. The raw values are libcrypto's names for them, which ignore case.
///
/// MD5 (RFC 1321) and SHA-1 (FIPS 180-4) can be forged: they detect damage, and servers ask for them, but they prove
/// nothing. SHA-256, SHA-384 and SHA-512 are in FIPS 180-4.
package enum HashAlgorithm: String, CaseIterable, Sendable {
    case md5
    case sha1
    case sha256
    case sha384
    case sha512

    /// The length of a digest in bytes.
    package var byteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }
}
