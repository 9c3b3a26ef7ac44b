/// An address as a source of a Content Security Policy (Level 3, section 2.3.1, `host-source`).
///
/// Sources have no brackets, so that `http://[::1]:8080/KEY/` cannot be named. For an address that the grammar lacks the
/// source is `'self'`: everything on this server, where the paths of publications cannot be guessed. Browsers take
/// `'self'` from the address of the answer, not from the origin of the document, which a sandbox replaces.
package struct PolicySource {
    /// Scheme, host and port: all that browsers compare for `frame-ancestors`, with the path `/`.
    package let origin: String
    /// Nil for `'self'`.
    private let directory: String?

    /// - Parameter address: Ends with a slash.
    package init(_ address: String) {
        let start = address.firstRange(of: "://")?.upperBound ?? address.startIndex
        let end = address[start...].firstIndex(of: "/") ?? address.endIndex
        guard Self.isAuthority(address[start..<end]) else {
            origin = "'self'"
            directory = nil
            return
        }
        // Hosts are compared as browsers write them, in lower case.
        origin = address[..<end].lowercased()
        // Both would end the source.
        let path = String(address[end...]).replacing(";", with: "%3B").replacing(",", with: "%2C")
        directory = origin + path
    }

    /// The files below the address, or those below `path` in it.
    package func files(_ path: String = "") -> String { directory.map { $0 + path } ?? origin }

    /// Whether `text` is a name or an address of IPv4, and a port or none: labels of letters, digits and hyphens.
    private static func isAuthority(_ text: Substring) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, parts.count <= 2 else { return false }
        let isPort = parts.count == 1 || !parts[1].isEmpty && parts[1].utf8.allSatisfy(isDigit)
        return isPort
            && host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                !label.isEmpty && label.utf8.allSatisfy { isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "-") }
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
