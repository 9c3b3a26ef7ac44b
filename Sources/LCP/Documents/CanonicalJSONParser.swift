import FileProviderCore
import Foundation
import Publication

/// Parses JSON by the grammar of RFC 8259, without any extension.
struct CanonicalJSONParser {
    private let bytes: [UInt8]
    private var position = 0

    /// - Throws: `CanonicalJSON.Fault` if `data` is not UTF-8. A byte order mark is skipped.
    init(_ data: Data) throws {
        bytes = Array(data)
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw CanonicalJSON.Fault(reason: "is not text in UTF-8")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// Returns the only value of the document.
    mutating func parse() throws -> CanonicalJSON {
        let value = try readValue(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw unexpected }
        return value
    }

    /// - Parameter depth: The number of arrays and objects around the value.
    private mutating func readValue(depth: Int) throws -> CanonicalJSON {
        skipSpace()
        guard let byte = peek else { throw unexpected }
        switch byte {
        case UInt8(ascii: "{"): return .object(try readMembers(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try readElements(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t"): return try readWord("true", .bool(true))
        case UInt8(ascii: "f"): return try readWord("false", .bool(false))
        case UInt8(ascii: "n"): return try readWord("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try readNumber())
        default: throw unexpected
        }
    }

    private mutating func readMembers(depth: Int) throws -> [CanonicalJSON.Member] {
        try enter(depth)
        if take(UInt8(ascii: "}")) { return [] }
        var members: [CanonicalJSON.Member] = []
        // Compares as `JSONValue` does: two spellings of one letter, composed and not, are one name.
        var names: Set<String> = []
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw unexpected }
            let name = try readString()
            guard names.insert(name).inserted else {
                throw CanonicalJSON.Fault(reason: "has the member “\(name.prefix(100))” twice in one object")
            }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw unexpected }
            members.append(CanonicalJSON.Member(name: name, value: try readValue(depth: depth)))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw unexpected }
        // The order of bytes in UTF-8 is that of code points.
        return members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    private mutating func readElements(depth: Int) throws -> [CanonicalJSON] {
        try enter(depth)
        if take(UInt8(ascii: "]")) { return [] }
        var elements: [CanonicalJSON] = []
        repeat {
            elements.append(try readValue(depth: depth))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw unexpected }
        return elements
    }

    /// Skips the bracket and the space behind it.
    private mutating func enter(_ depth: Int) throws {
        guard depth <= JSONValue.maximumDepth else {
            throw CanonicalJSON.Fault(reason: "is nested more than \(JSONValue.maximumDepth) levels deep")
        }
        position += 1
        skipSpace()
    }

    private mutating func readWord(_ word: String, _ value: CanonicalJSON) throws -> CanonicalJSON {
        for byte in word.utf8 {
            guard take(byte) else { throw unexpected }
        }
        return value
    }

    private mutating func readNumber() throws -> String {
        let start = position
        _ = take(UInt8(ascii: "-"))
        // A digit behind a leading zero is unexpected where the value should end.
        if !take(UInt8(ascii: "0")) { try skipDigits() }
        if take(UInt8(ascii: ".")) { try skipDigits() }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            position += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let number = Double(text), number.isFinite else {
            throw CanonicalJSON.Fault(reason: "has a number that is too large: \(text.prefix(40))")
        }
        return text
    }

    private mutating func skipDigits() throws {
        let start = position
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw unexpected }
    }

    private mutating func readString() throws -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                position += 1
                text += Array(String(try readEscape()).utf8)
            case 0..<0x20: throw unexpected
            default:
                text.append(byte)
                position += 1
            }
        }
        throw unexpected
    }

    /// Reads the escape behind a backslash.
    private mutating func readEscape() throws -> Unicode.Scalar {
        if peek == UInt8(ascii: "u") { return try readEscapedScalar() }
        guard let byte = peek, let scalar = Self.escapes[byte] else { throw unexpected }
        position += 1
        return scalar
    }

    /// Reads `u00e9`, or two such units with a backslash in between for a character outside of the basic plane.
    private mutating func readEscapedScalar() throws -> Unicode.Scalar {
        let first = try readUnit()
        guard UTF16.isLeadSurrogate(first) else { return try scalar(UInt32(first)) }
        guard take(UInt8(ascii: "\\")), peek == UInt8(ascii: "u") else { throw halfCharacter }
        let second = try readUnit()
        guard UTF16.isTrailSurrogate(second) else { throw halfCharacter }
        return try scalar(0x10000 + ((UInt32(first) - 0xD800) << 10) + (UInt32(second) - 0xDC00))
    }

    /// Reads `u` and four digits.
    private mutating func readUnit() throws -> UInt16 {
        let digits = bytes[position...].dropFirst().prefix(4)
        guard digits.count == 4, let high = Hexadecimal.byte(digits.prefix(2)),
            let low = Hexadecimal.byte(digits.suffix(2))
        else { throw unexpected }
        position += 5
        return UInt16(high) << 8 | UInt16(low)
    }

    private func scalar(_ value: UInt32) throws -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(value) else { throw halfCharacter }
        return scalar
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// The next byte; nil at the end.
    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Skips `byte` if it is the next one.
    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    private var unexpected: CanonicalJSON.Fault {
        let reason =
            position < bytes.count
            ? "is not JSON: its byte \(position + 1) is not expected there" : "is not JSON: it ends too early"
        return CanonicalJSON.Fault(reason: reason)
    }

    private var halfCharacter: CanonicalJSON.Fault {
        CanonicalJSON.Fault(reason: "is not JSON: an escape before its byte \(position + 1) is half a character")
    }

    /// What short escapes mean.
    private static let escapes: [UInt8: Unicode.Scalar] = [
        UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/", UInt8(ascii: "b"): "\u{8}",
        UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]
}
