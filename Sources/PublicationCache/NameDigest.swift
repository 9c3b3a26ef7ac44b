import Cryptography
import Foundation

/// SHA-256 of a short text, for names that reveal nothing and cannot be made to collide.
struct NameDigest: Hashable, Sendable {
    private let digest: Digest

    init(_ text: String) { digest = Digest(.sha256, of: Data(text.utf8)) }

    /// The 32 bytes.
    var bytes: [UInt8] { digest.bytes }

    /// 64 hexadecimal digits: a name for any file system.
    var name: String { digest.hexadecimal }
}
