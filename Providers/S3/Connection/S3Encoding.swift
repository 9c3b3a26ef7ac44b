import Foundation

/// Names as they stand in URLs and documents of S3.
enum S3Encoding {
    /// All but unreserved characters percent-encoded (RFC 3986, section 2.3), as Signature Version 4 wants it.
    ///
    /// - Parameter keepsSlashes: As in the path of a key; else a slash is encoded, too.
    static func percentEncoded(_ bytes: some Sequence<UInt8>, keepsSlashes: Bool = false) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.append(byte)
            case UInt8(ascii: "/") where keepsSlashes: result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The bytes that a percent-encoded text stands for; a percent sign that begins no escape stands for itself.
    static func decoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            let digits = Substring(rest.prefix(2))
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, digits.first != "+", let value = UInt8(digits, radix: 16) {
                result.append(value)
                rest = rest.dropFirst(2)
            } else {
                result.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return result
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
