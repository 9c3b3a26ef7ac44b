public import Foundation

extension JSONValue: CustomStringConvertible {
    /// The value as JSON text without white space: keys sorted by code point, only what must be escaped escaped.
    ///
    /// Equal values give equal texts, which is what a signature over a document needs. Numbers that JSON cannot
    /// express (infinity, not a number) become `null`.
    public var jsonString: String {
        var text = ""
        write(to: &text)
        return text
    }

    /// ``jsonString`` in UTF-8.
    public var data: Data { Data(jsonString.utf8) }

    /// The same as ``jsonString``.
    public var description: String { jsonString }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let number): text += String(number)
        case .double(let number): text += number.isFinite ? String(number) : "null"
        case .string(let value): Self.write(value, to: &text)
        case .array(let elements): Self.write(elements, to: &text)
        case .object(let members): Self.write(members, to: &text)
        }
    }

    private static func write(_ elements: [JSONValue], to text: inout String) {
        text += "["
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            element.write(to: &text)
        }
        text += "]"
    }

    private static func write(_ members: [String: JSONValue], to text: inout String) {
        let sorted = members.sorted { $0.key.unicodeScalars.lexicographicallyPrecedes($1.key.unicodeScalars) }
        text += "{"
        for (index, member) in sorted.enumerated() {
            if index > 0 { text += "," }
            write(member.key, to: &text)
            text += ":"
            member.value.write(to: &text)
        }
        text += "}"
    }

    private static func write(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{8}": text += "\\b"
            case "\u{C}": text += "\\f"
            case "\0"..<" ": text += String(format: "\\u%04x", scalar.value)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
