import FileProviderCore
import Foundation

/// The identifier of a removed object: the version of its mark and its key, both percent-encoded, with `@` between them.
///
/// The version alone does not name an object. If a bucket's versioning is suspended, the mark of every key is the
/// version `null`.
struct S3TrashIdentifier: Sendable {
    /// The version of the mark.
    let version: String
    /// The key of the removed object.
    let key: [UInt8]

    init(version: String, key: [UInt8]) {
        self.version = version
        self.key = key
    }

    /// Reads an identifier; nil unless `text` is exactly what ``text`` gives for some version and key.
    init?(_ text: String) {
        let sides = text.split(separator: "@", omittingEmptySubsequences: false)
        guard sides.count == 2, let version = String(validating: S3Encoding.decoded(sides[0]), as: UTF8.self) else {
            return nil
        }
        self.init(version: version, key: S3Encoding.decoded(sides[1]))
        guard !version.isEmpty, !key.isEmpty, self.text.utf8.elementsEqual(text.utf8) else { return nil }
    }

    /// The identifier as ``TrashItem/identifier`` holds it.
    var text: String {
        S3Encoding.percentEncoded(version.utf8) + "@" + S3Encoding.percentEncoded(key, keepsSlashes: true)
    }
}
