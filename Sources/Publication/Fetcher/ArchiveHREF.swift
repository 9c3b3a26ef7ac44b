import Foundation

/// Addresses of resources inside a publication: relative URI references (RFC 3986, section 4.2), counted from its root.
enum ArchiveHREF {
    /// The address of the item at `path`: without a slash in front, percent-encoded where RFC 3986 asks for it.
    ///
    /// A colon is encoded as well, because in the first part of a relative reference it would end a scheme.
    static func encode(_ path: String) -> String {
        var path = path
        return path.withUTF8 { bytes in
            if bytes.allSatisfy({ isPlain($0) }) { return String(decoding: bytes, as: UTF8.self) }
            let digits = Array("0123456789ABCDEF".utf8)
            var result: [UInt8] = []
            result.reserveCapacity(bytes.count * 2)
            for byte in bytes {
                result += isPlain(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
            return String(decoding: result, as: UTF8.self)
        }
    }

    /// Unreserved characters, sub-delimiters, `@` and `/` (RFC 3986, section 3.3).
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: plainSigns.contains(byte)
        }
    }

    private static let plainSigns = Set("-._~!$&'()*+,;=@/".utf8)

    /// The paths that `href` may mean, in the order in which to try them: percent-decoded, as written, and then both again without
    /// query and fragment. A slash in front does not count: it stands for the publication's root. Backslashes are what they are first, and
    /// slashes in the end: archives are listed without them.
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

    /// Percent-decoded once; nil when an escape is cut off, or what comes out is not UTF-8.
    private static func decode(_ text: String) -> String? { text.utf8.contains(UInt8(ascii: "%")) ? text.removingPercentEncoding : text }
}
