/// The small rules about text that the documents of an EPUB share.
enum EPUBText {
    /// What may stay as it is when something is percent-encoded (RFC 3986, section 2).
    enum Part {
        /// One name in a path, not encoded before.
        case name
        /// A query with a fragment or a whole address, encoded already as far as its author thought of it.
        case whole
    }

    /// Without white space at both ends.
    static func trimmed(_ text: String) -> String {
        let bytes = text.utf8
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) }) else { return "" }
        return first == bytes.startIndex && bytes.index(after: last) == bytes.endIndex ? text : String(text[first...last])
    }

    /// Without white space at both ends, and with single spaces in between.
    static func collapsed(_ text: String) -> String {
        text.utf8.split(whereSeparator: isSpace).compactMap { String(Substring($0)) }.joined(separator: " ")
    }

    /// The words of a list that is separated by white space, as attributes hold them.
    static func words(_ text: String?) -> [String] {
        (text ?? "").utf8.split(whereSeparator: isSpace).map { String(Substring($0)) }
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// The scheme in lower case, nil for a relative reference. One letter is no scheme but a drive, which is refused.
    static func scheme(of reference: String) -> String? {
        let candidate = reference.utf8.prefix { isLetterOrDigit($0) || [0x2B, 0x2D, 0x2E].contains($0) }
        guard candidate.endIndex < reference.endIndex, reference.utf8[candidate.endIndex] == UInt8(ascii: ":"),
            let first = candidate.first, isLetterOrDigit(first), first > UInt8(ascii: "9")
        else { return nil }
        return String(Substring(candidate)).lowercased()
    }

    /// Whether a decoded part of a path can name something: no separator, no NUL.
    static func isName(_ text: String) -> Bool {
        !text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") || $0 == 0 }
    }

    /// With `%41` turned into `A`. What would not be UTF-8 stays encoded.
    static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        return String(validating: decodedBytes(text), as: UTF8.self) ?? String(text)
    }

    /// The bytes with `%41` turned into `A`, which need not be UTF-8.
    static func decodedBytes(_ text: Substring) -> [UInt8] {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let byte = escape(in: bytes, at: index) {
                result.append(byte)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// With everything encoded that may not stand there.
    static func encoded(_ text: String, _ part: Part) -> String {
        if text.utf8.allSatisfy(isUnreserved) { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 16)
        for (index, byte) in bytes.enumerated() {
            if isUnreserved(byte) || isAllowed(byte, in: part) || (part == .whole && escape(in: bytes, at: index) != nil) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    private static func isAllowed(_ byte: UInt8, in part: Part) -> Bool {
        (part == .name ? nameExtras : wholeExtras).contains(byte)
    }

    /// Sub-delimiters and `@`. A colon could make the first name look like a scheme.
    private static let nameExtras = Array("!$&'()*+,;=@".utf8)
    private static let wholeExtras = nameExtras + Array(":/?#[]".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == 0x2D || byte == 0x2E || byte == 0x5F || byte == 0x7E
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func escape(in bytes: [UInt8], at index: Int) -> UInt8? {
        guard index + 2 < bytes.count, bytes[index] == UInt8(ascii: "%"), let high = hexValue(bytes[index + 1]),
            let low = hexValue(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
