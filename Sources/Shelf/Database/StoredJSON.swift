import Foundation
import Publication

/// Reads the JSON texts that the database has, which ``/Publication/JSONValue/jsonString`` wrote: without white space.
///
/// A page of books parses dozens of them, for which the decoder of any JSON takes too long.
struct StoredJSON {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var next = 0

    /// Returns the value of `text`.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for anything that ``/Publication/JSONValue/jsonString`` doesn't
    ///   write.
    static func value(_ text: String) throws -> JSONValue {
        var text = text
        return try text.withUTF8 { bytes in
            var reader = StoredJSON(bytes: bytes)
            let value = try reader.value(depth: 0)
            guard reader.next == bytes.count else { throw damage }
            return value
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private static var damage: CocoaError {
        CocoaError(
            .fileReadCorruptFile,
            userInfo: [NSLocalizedDescriptionKey: "The metadata of a book in the shelf's database is damaged."])
    }

    private var byte: UInt8 { next < bytes.count ? bytes[next] : 0 }

    private mutating func take(_ expected: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: expected) else { return false }
        next += 1
        return true
    }

    private mutating func takeWord(_ word: StaticString) throws {
        let length = word.utf8CodeUnitCount
        guard next + length <= bytes.count,
            (0..<length).allSatisfy({ bytes[next + $0] == word.utf8Start[$0] })
        else { throw Self.damage }
        next += length
    }

    private mutating func value(depth: Int) throws -> JSONValue {
        guard depth <= JSONValue.maximumDepth else { throw Self.damage }
        switch byte {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return .object(try members(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try elements(depth: depth + 1))
        case UInt8(ascii: "t"):
            try takeWord("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try takeWord("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try takeWord("null")
            return .null
        default: return try number()
        }
    }

    private mutating func members(depth: Int) throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        next += 1
        if take("}") { return members }
        repeat {
            guard byte == UInt8(ascii: "\"") else { throw Self.damage }
            let key = try string()
            guard take(":") else { throw Self.damage }
            members[key] = try value(depth: depth)
        } while take(",")
        guard take("}") else { throw Self.damage }
        return members
    }

    private mutating func elements(depth: Int) throws -> [JSONValue] {
        var elements: [JSONValue] = []
        next += 1
        if take("]") { return elements }
        repeat { elements.append(try value(depth: depth)) } while take(",")
        guard take("]") else { throw Self.damage }
        return elements
    }

    private mutating func number() throws -> JSONValue {
        let start = next
        while "+-.eE0123456789".utf8.contains(byte) { next += 1 }
        let text = String(decoding: bytes[start..<next], as: UTF8.self)
        if let integer = Int64(text) { return .integer(integer) }
        guard let double = Double(text), double.isFinite else { throw Self.damage }
        return JSONValue(double)
    }

    /// Reads a string, whose quotation mark comes next.
    private mutating func string() throws -> String {
        next += 1
        let start = next
        while next < bytes.count, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { next += 1 }
        var text = String(decoding: bytes[start..<next], as: UTF8.self)
        while next < bytes.count, byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") {
                next += 1
                text.unicodeScalars.append(try escaped())
            } else {
                let start = next
                while next < bytes.count, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { next += 1 }
                text += String(decoding: bytes[start..<next], as: UTF8.self)
            }
        }
        guard take("\"") else { throw Self.damage }
        return text
    }

    /// Reads what follows a backslash.
    private mutating func escaped() throws -> Unicode.Scalar {
        let letter = byte
        next += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): return Unicode.Scalar(letter)
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "u"):
            guard next + 4 <= bytes.count,
                let code = UInt32(String(decoding: bytes[next..<next + 4], as: UTF8.self), radix: 16),
                let scalar = Unicode.Scalar(code)
            else { throw Self.damage }
            next += 4
            return scalar
        default: throw Self.damage
        }
    }
}
