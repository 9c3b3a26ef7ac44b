/// A character encoding by its name, one of those that the system's iconv(3) knows.
package struct TextEncoding: Hashable, Sendable {
    /// UTF-8 (RFC 3629).
    package static let utf8 = TextEncoding(unchecked: "utf-8")

    /// The name as it was given: one registered with IANA, or another that iconv(3) knows, such as `CP932`.
    package let name: String

    private init(unchecked name: String) { self.name = name }

    /// Returns the encoding called `name`, in any case.
    ///
    /// - Returns: Nil for a name that this system does not know.
    package init?(_ name: String) {
        self.init(unchecked: name)
        // Slashes would be instructions to iconv_open(3). No registered name is longer (RFC 2978, section 2.3).
        let isName =
            (1...60).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }
        guard isName, decoder() != nil, encoder() != nil else { return nil }
    }

    /// A converter from this encoding to UTF-8; nil if this system has none.
    package func decoder() -> TextConverter? { TextConverter(from: self, to: .utf8) }

    /// A converter from UTF-8 to this encoding; nil if this system has none.
    package func encoder() -> TextConverter? { TextConverter(from: .utf8, to: self) }
}
