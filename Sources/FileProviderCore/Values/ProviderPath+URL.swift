public import Foundation

extension ProviderPath {
    /// The path as it stands in a URL (RFC 3986, section 3.3): every byte that is not unreserved is percent-encoded.
    public var percentEncoded: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 16)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
                result.append(byte)
            default:
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Reads a URL's path: percent-decoded once, to bytes.
    ///
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for an escape that is cut off, an encoded slash or NUL, `.` and `..`.
    public init(percentEncoded text: String) throws {
        var decoded: [UInt8] = []
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            let digits = Substring(rest.prefix(2))
            guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16), value != UInt8(ascii: "/"), digits.first != "+" else {
                throw FileError.make(
                    .fileReadInvalidFileName, path: text, sentence: "“\(text)” is not a well-formed URL path (RFC 3986, section 2.1).")
            }
            rest = rest.dropFirst(2)
            decoded.append(value)
        }
        try self.init(bytes: decoded)
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
