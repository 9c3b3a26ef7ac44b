import FileProviderCore

/// The path of a request below an address, such as that of a publication, checked once here, so that it never
/// leads out of it.
///
/// The path is percent-decoded once. Refused are empty names, `.` and `..`, names that contain a slash, a backslash or
/// a control character, encoded or not, and characters that a path cannot contain unencoded, such as the braces of a
/// template (RFC 3986, section 3.3).
package struct RequestedPath: Hashable, Sendable {
    /// The names, decoded.
    package let names: [[UInt8]]

    /// - Parameter path: As it was sent, without a slash in front.
    package init?(_ path: String) {
        let isPlain = path.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !Self.refused.contains($0) }
        guard isPlain, let names = Self.names(in: Array(path.utf8)) else { return nil }
        self.names = names
    }

    /// The path of a link, whose author may have left characters unencoded.
    ///
    /// - Parameter path: Without query and fragment; a slash in front is ignored.
    package init?(ofLink path: Substring) {
        let bytes = Array(path.utf8)
        guard let names = Self.names(in: bytes.first == Self.slash ? Array(bytes.dropFirst()) : bytes) else {
            return nil
        }
        self.names = names
    }

    /// The relative reference that names the resource. It has no scheme, no query and no fragment.
    package var href: String { names.map { PercentEncoding.encoded($0) }.joined(separator: "/") }

    /// Whether the first name is `name`.
    package func begins(with name: String) -> Bool { names[0].elementsEqual(name.utf8) }

    private static let slash = UInt8(ascii: "/")
    private static let refused = Set("\\{}?#<>\"".utf8)

    private static func names(in path: [UInt8]) -> [[UInt8]]? {
        var names: [[UInt8]] = []
        for part in path.split(separator: slash, omittingEmptySubsequences: false) {
            let name = PercentEncoding.decoded(Array(part))
            guard isName(name) else { return nil }
            names.append(name)
        }
        return names
    }

    private static func isName(_ name: [UInt8]) -> Bool {
        guard !name.isEmpty, !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) else { return false }
        return name.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != slash && $0 != UInt8(ascii: "\\") }
    }
}
