import Cryptography
import Foundation

/// SHA-256 of a short text, for names that tell nothing and that nobody can make collide.
struct NameDigest: Hashable, Sendable {
    /// The 32 bytes.
    let bytes: [UInt8]

    init(_ text: String) {
        bytes = Digest(.sha256, of: Data(text.utf8)).bytes
    }

    /// 64 hexadecimal digits: a name for any file system.
    var name: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
