import FileProviderCore
import Foundation

/// Names as they stand in URLs and documents of S3.
enum S3Encoding {
    /// All but unreserved characters percent-encoded (RFC 3986, section 2.3), as Signature Version 4 wants it.
    ///
    /// - Parameter keepsSlashes: As in the path of a key; else a slash is encoded, too.
    static func percentEncoded(_ bytes: some Sequence<UInt8>, keepsSlashes: Bool = false) -> String {
        PercentEncoding.encoded(bytes) { PercentEncoding.isUnreserved($0) || keepsSlashes && $0 == UInt8(ascii: "/") }
    }

    /// The bytes that a percent-encoded text stands for; a percent sign that begins no escape stands for itself.
    static func decoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> [UInt8] {
        PercentEncoding.decoded(text.utf8.map { plusIsSpace && $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
    }

    /// `text` as the content of an XML element; nil where XML 1.0 has no way to write it (section 2.2).
    static func xml(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            // A bare one would be read as a line feed.
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": return nil
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
