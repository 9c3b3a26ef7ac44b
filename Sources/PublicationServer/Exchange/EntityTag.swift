import Cryptography
import Foundation
import Publication

/// A strong entity tag (RFC 9110, section 8.8.3).
struct EntityTag: Equatable, Sendable {
    /// With its quotes.
    let value: String

    /// The tag of a resource's bytes, of which the medium knows `validator`.
    ///
    /// - Parameters:
    ///   - publication: The identity of the publication.
    ///   - form: How the bytes that are sent are made of those of the resource; empty if they are the same.
    init(publication: String, href: String, validator: ResourceValidator, form: String = "") {
        let parts = [publication, href, String(validator.length), validator.tag ?? "", form]
        let hash = Digest(.sha256, of: Data(parts.joined(separator: "\0").utf8)).bytes.prefix(16)
        value = "\"\(Data(hash).base64URL)\""
    }

    /// The tag of bytes in memory.
    init(of data: Data) {
        value = "\"\(Data(Digest(.sha256, of: data).bytes.prefix(16)).base64URL)\""
    }
}

extension Data {
    /// Base 64 for paths, without padding (RFC 4648, section 5).
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Nil for what is not ``base64URL``.
    init?(base64URL text: String) {
        if text.utf8.count % 4 == 1 || text.utf8.contains(where: { "+/=".utf8.contains($0) }) { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        self.init(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding)
    }
}
