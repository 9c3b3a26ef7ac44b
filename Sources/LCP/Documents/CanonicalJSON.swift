import FileProviderCore
import Foundation
import Publication

/// A JSON document (RFC 8259) that can be read in one way only, with its canonical form (LCP 1.0, section 5.3).
///
/// ``JSONValue`` is not enough for a signature: it keeps the first of two members with one name, and `1.0` as `1`.
enum CanonicalJSON: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number as it is written.
    case number(String)
    case string(String)
    case array([CanonicalJSON])
    /// The members, sorted by the code points of their names. No name occurs twice.
    case object([Member])

    /// One member of an object.
    struct Member: Hashable, Sendable {
        let name: String
        let value: CanonicalJSON
    }

    /// Why a document is refused: the rest of a sentence that begins with the document.
    struct Fault: Error, Hashable {
        let reason: String
    }

    /// Parses a document in UTF-8.
    ///
    /// - Throws: ``Fault`` if `data` is not UTF-8 or not JSON, has a name twice in one object, is nested deeper than
    ///   `JSONValue.maximumDepth`, or has a number beyond the range of `Double`.
    init(data: Data) throws {
        var parser = try CanonicalJSONParser(data)
        self = try parser.parse()
    }

    /// The same value without the spelling of its numbers.
    var json: JSONValue {
        switch self {
        case .null: JSONValue.null
        case .bool(let value): JSONValue.bool(value)
        case .number(let text): Int64(text).map(JSONValue.integer) ?? JSONValue(Double(text) ?? 0)
        case .string(let text): JSONValue.string(text)
        case .array(let elements): JSONValue.array(elements.map(\.json))
        case .object(let members):
            JSONValue.object(
                Dictionary(members.map { ($0.name, $0.value.json) }, uniquingKeysWith: { first, _ in first }))
        }
    }

    /// Returns the canonical form: members sorted by code point, no white space, only the escapes that JSON requires.
    ///
    /// Numbers stay as they are written. JSON allows no leading zeros, and licence servers write whole numbers only. Control
    /// characters without a short escape are written as `\u001f`, with lower-case digits, as licence servers do;
    /// section 5.3 asks for upper case.
    /// - Parameter name: A member of the outermost object to leave out.
    func canonicalForm(without name: String? = nil) -> Data {
        var bytes: [UInt8] = []
        if case .object(let members) = self {
            Self.write(members.filter { $0.name != name }, to: &bytes)
        } else {
            write(to: &bytes)
        }
        return Data(bytes)
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += Array("null".utf8)
        case .bool(let value): bytes += Array((value ? "true" : "false").utf8)
        case .number(let text): bytes += Array(text.utf8)
        case .string(let text): Self.write(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members): Self.write(members, to: &bytes)
        }
    }

    private static func write(_ members: [Member], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(member.name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            member.value.write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if let letter = escapes[byte] {
                bytes += [UInt8(ascii: "\\"), letter]
            } else if byte < 0x20 {
                bytes += Array("\\u00\(Hexadecimal.text([byte]))".utf8)
            } else {
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// The letters of short escapes, by the character that must be escaped.
    private static let escapes: [UInt8: UInt8] = [
        0x08: UInt8(ascii: "b"), 0x09: UInt8(ascii: "t"), 0x0A: UInt8(ascii: "n"), 0x0C: UInt8(ascii: "f"),
        0x0D: UInt8(ascii: "r"), 0x22: UInt8(ascii: "\""), 0x5C: UInt8(ascii: "\\"),
    ]
}
