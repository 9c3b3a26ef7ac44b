import FileProviderCore
import Foundation

/// Addresses of resources inside a publication: relative URI references (RFC 3986, section 4.2), resolved against its
/// root.
enum HREF {
    /// Returns the address of the item at `path`: without a leading slash, percent-encoded where RFC 3986 requires it.
    ///
    /// A colon is encoded as well, because in the first part of a relative reference it would end a scheme.
    static func encode(_ path: String) -> String {
        var path = path
        return path.withUTF8 { bytes in
            if bytes.allSatisfy({ isPlain($0) }) { return String(decoding: bytes, as: UTF8.self) }
            return PercentEncoding.encoded(bytes, keeping: isPlain)
        }
    }

    /// Unreserved characters, sub-delimiters, `@` and `/` (RFC 3986, section 3.3).
    private static func isPlain(_ byte: UInt8) -> Bool {
        PercentEncoding.isAlphanumeric(byte) || plainSigns.contains(byte)
    }

    private static let plainSigns = Set("-._~!$&'()*+,;=@/".utf8)

    /// Returns the paths that `href` may mean, in the order in which to try them: percent-decoded, as written, and then
    /// both again without query and fragment. A leading slash is ignored: it means the publication's root. Backslashes
    /// are tried as such first, then as slashes, because archives are listed without them.
    static func candidates(_ href: String) -> [String] {
        // By bytes: a combining mark would make one character with the slash.
        let whole = href.utf8.first == UInt8(ascii: "/") ? String(Substring(href.utf8.dropFirst())) : href
        var texts = [whole]
        if let cut = whole.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            texts.append(String(whole[..<cut]))
        }
        var result: [String] = []
        for text in texts {
            for candidate in [decode(text), text] {
                if let candidate, !candidate.isEmpty, result.last != candidate { result.append(candidate) }
            }
        }
        let slash = UInt8(ascii: "/")
        for path in result where path.utf8.contains(UInt8(ascii: "\\")) {
            let slashed = path.utf8.map { $0 == UInt8(ascii: "\\") ? slash : $0 }
            result.append(String(decoding: slashed.first == slash ? slashed.dropFirst() : slashed[...], as: UTF8.self))
        }
        return result
    }

    /// Percent-decodes once; nil if an escape is cut off, or the result is not UTF-8.
    private static func decode(_ text: String) -> String? {
        text.utf8.contains(UInt8(ascii: "%")) ? text.removingPercentEncoding : text
    }
}

// MARK: References in documents

extension HREF {
    /// The characters that percent-encoding keeps (RFC 3986, section 2).
    enum Part {
        /// One name in a path, not encoded before.
        case name
        /// A query with a fragment or a whole address, encoded as far as its author did.
        case whole
    }

    /// Returns the scheme in lower case, nil for a relative reference. A single letter is a drive, not a scheme, and is
    /// refused.
    static func scheme(of reference: String) -> String? {
        let candidate = reference.utf8.prefix { PercentEncoding.isAlphanumeric($0) || [0x2B, 0x2D, 0x2E].contains($0) }
        guard candidate.endIndex < reference.endIndex, reference.utf8[candidate.endIndex] == UInt8(ascii: ":"),
            let first = candidate.first, PercentEncoding.isAlphanumeric(first), first > UInt8(ascii: "9")
        else { return nil }
        return String(Substring(candidate)).lowercased()
    }

    /// Whether a decoded part of a path can name something: no separator, no NUL.
    static func isName(_ text: String) -> Bool {
        !text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") || $0 == 0 }
    }

    /// Decodes escapes such as `%41` to `A`. Keeps escapes that would not be UTF-8.
    static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        return String(validating: PercentEncoding.decoded(Array(text.utf8)), as: UTF8.self) ?? String(text)
    }

    /// Encodes all characters that are not allowed in the part.
    static func encoded(_ text: String, _ part: Part) -> String {
        if text.utf8.allSatisfy(PercentEncoding.isUnreserved) { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 16)
        for (index, byte) in bytes.enumerated() {
            let stays =
                PercentEncoding.isUnreserved(byte) || isAllowed(byte, in: part)
                || part == .whole && PercentEncoding.escape(bytes[index...]) != nil
            if stays { result.append(byte) } else { PercentEncoding.append(byte, to: &result) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isAllowed(_ byte: UInt8, in part: Part) -> Bool {
        (part == .name ? nameExtras : wholeExtras).contains(byte)
    }

    /// Sub-delimiters and `@`. A colon could make the first name look like a scheme.
    private static let nameExtras = Array("!$&'()*+,;=@".utf8)
    private static let wholeExtras = nameExtras + Array(":/?#[]".utf8)
}
