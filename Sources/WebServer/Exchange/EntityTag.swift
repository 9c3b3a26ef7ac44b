import Cryptography
package import Foundation

/// A strong entity tag (RFC 9110, section 8.8.3).
package struct EntityTag: Equatable, Sendable {
    /// With its quotes.
    package let value: String

    /// The tag of bytes that `parts` determine, such as where they are from and their version there.
    package init(ofParts parts: [String]) { self.init(of: Data(parts.joined(separator: "\0").utf8)) }

    /// The tag of bytes in memory.
    package init(of data: Data) {
        value = "\"\(Data(Digest(.sha256, of: data).bytes.prefix(16)).base64URL)\""
    }
}

extension Data {
    /// Base 64 for paths, without padding (RFC 4648, section 5).
    package var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Nil for what is not ``base64URL``.
    package init?(base64URL text: String) {
        if text.utf8.count % 4 == 1 || text.utf8.contains(where: { "+/=".utf8.contains($0) }) { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        self.init(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding)
    }
}
