public import Foundation

extension ProviderPath {
    /// The path in the form for URLs (RFC 3986, section 3.3): every byte that is not unreserved is percent-encoded.
    public var percentEncoded: String {
        PercentEncoding.encoded(bytes) { $0 == UInt8(ascii: "/") || PercentEncoding.isUnreserved($0) }
    }

    /// Reads a URL's path: percent-decoded once, to bytes.
    ///
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for an incomplete escape, an encoded slash or NUL, `.` and
    ///   `..`.
    public init(percentEncoded text: String) throws {
        let bytes = Array(text.utf8)
        let hasSlash = bytes.indices.contains { PercentEncoding.escape(bytes[$0...]) == UInt8(ascii: "/") }
        guard !hasSlash, PercentEncoding.isWellFormed(bytes) else {
            throw FileError.make(
                .fileReadInvalidFileName, path: text,
                sentence: "“\(text)” is not a well-formed URL path (RFC 3986, section 2.1).")
        }
        try self.init(bytes: PercentEncoding.decoded(bytes))
    }
}

extension URL {
    /// The server's root, with user, password and query if there are any.
    public var serverRoot: URL {
        var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) ?? URLComponents()
        parts.percentEncodedPath = "/"
        parts.fragment = nil
        return parts.url ?? self
    }
}
