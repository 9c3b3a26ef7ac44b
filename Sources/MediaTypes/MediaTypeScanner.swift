/// Reads the bytes of one media type in a single pass, without regular expressions.
///
/// Grammar: RFC 9110, section 8.3.1, with white space also allowed around the equals sign.
struct MediaTypeScanner {
    /// The parts of a media type, normalised.
    struct Result {
        package var type: String
        package var subtype: String
        package var parameters: [String: String] = [:]

        /// Parameters sorted by name, values quoted where they are not tokens.
        package var normalised: String {
            guard !parameters.isEmpty else { return "\(type)/\(subtype)" }
            let sorted = parameters.sorted { $0.key < $1.key }
            return sorted.reduce(into: "\(type)/\(subtype)") { text, parameter in
                text += ";\(parameter.key)=\(MediaTypeScanner.quotedIfNeeded(parameter.value))"
            }
        }
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    mutating func scan() -> Result? {
        skipSpace()
        let type = token()
        guard !type.isEmpty, skip(UInt8(ascii: "/")) else { return nil }
        let subtype = token()
        skipSpace()
        guard !subtype.isEmpty, position == bytes.count || peek == UInt8(ascii: ";") else { return nil }
        var result = Result(type: lowercased(type), subtype: lowercased(subtype))
        while skip(UInt8(ascii: ";")) {
            scanParameter(into: &result.parameters)
        }
        return result
    }

    /// Reads the parameters of another header field of the same form, such as `attachment; filename="a;b"`, after its
    /// first part.
    ///
    /// Some servers omit the first part, so a field may also begin with a parameter.
    mutating func scanParametersOnly() -> [String: String] {
        var parameters: [String: String] = [:]
        scanParameter(into: &parameters)
        while skip(UInt8(ascii: ";")) { scanParameter(into: &parameters) }
        return parameters
    }

    /// Reads up to the next semicolon outside quotes; keeps the text if it is `name=value`.
    private mutating func scanParameter(into parameters: inout [String: String]) {
        skipSpace()
        let name = lowercased(token())
        skipSpace()
        var value: String?
        if !name.isEmpty, skip(UInt8(ascii: "=")) {
            skipSpace()
            value = peek == UInt8(ascii: "\"") ? quotedValue() : bareValue()
        }
        skipToSemicolon()
        guard let value, !value.isEmpty, parameters[name] == nil else { return }
        parameters[name] = name == "charset" ? value.uppercased() : value
    }

    /// Reads an unquoted value: everything up to the semicolon, nil if it holds control characters.
    private mutating func bareValue() -> String? {
        let start = position
        skipToSemicolon()
        var end = position
        while end > start, Self.isSpace(bytes[end - 1]) { end -= 1 }
        guard bytes[start..<end].allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// Reads a quoted value and resolves its escapes; nil if it has no end or holds control characters.
    private mutating func quotedValue() -> String? {
        position += 1
        var value: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = peek, escaped >= 0x20, escaped != 0x7F else { return nil }
                value.append(escaped)
                position += 1
            case ..<0x20, 0x7F:
                return nil
            default:
                value.append(byte)
            }
        }
        return nil
    }
}

extension MediaTypeScanner {
    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, Self.isSpace(byte) { position += 1 }
    }

    private mutating func skipToSemicolon() {
        while let byte = peek, byte != UInt8(ascii: ";") { position += 1 }
    }

    private mutating func token() -> Range<Int> {
        let start = position
        while let byte = peek, Self.isTokenByte(byte) { position += 1 }
        return start..<position
    }

    private func lowercased(_ range: Range<Int>) -> String {
        String(unsafeUninitializedCapacity: range.count) { buffer in
            for (offset, byte) in bytes[range].enumerated() {
                let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
                buffer[offset] = isUpper ? byte | 0x20 : byte
            }
            return range.count
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }

    /// RFC 9110, section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"),
            UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }

    private static func quotedIfNeeded(_ value: String) -> String {
        if value.utf8.allSatisfy(isTokenByte) { return value }
        // By scalars: a combining mark would make one character with the quote.
        let escaped = value.unicodeScalars.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
        return "\"\(String(String.UnicodeScalarView(escaped)))\""
    }
}
