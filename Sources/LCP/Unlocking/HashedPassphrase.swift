import Cryptography
import FileProviderCore
package import Foundation

/// The SHA-256 of a passphrase: all that is needed to unlock a licence, and all that is ever kept.
///
/// The hash opens the book as the passphrase does, so it is a secret, too. Descriptions and mirrors don't show it.
public struct HashedPassphrase: Hashable, Sendable {
    package let bytes: [UInt8]

    /// The hash of a passphrase in UTF-8, exactly as it was typed: no spaces are removed and no letters changed
    /// (LCP 1.0, section 4.2).
    public init(_ passphrase: String) {
        self.init(utf8: Array(passphrase.utf8))
    }

    /// A hash that a library or a bookseller provides, such as `lcp_hashed_passphrase` in a catalogue.
    ///
    /// - Parameter hexadecimal: 64 hexadecimal digits. The result is nil for anything else.
    public init?(hexadecimal: String) {
        guard let bytes = Hexadecimal.bytes(hexadecimal), bytes.count == HashAlgorithm.sha256.byteCount else {
            return nil
        }
        self.bytes = bytes
    }

    package init(utf8: some ContiguousBytes) {
        bytes = Digest(.sha256, of: utf8).bytes
    }

    /// The hash as 64 hexadecimal digits, for an app's ``UserKeyStore``. Keep it where other secrets are kept.
    public var hexadecimal: String { Hexadecimal.text(bytes) }
}

extension HashedPassphrase: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same words.
    public var description: String { "hashed passphrase" }
    /// As ``description``: without the hash.
    public var debugDescription: String { description }
    /// Without children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
