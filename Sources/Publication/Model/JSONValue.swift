/// A JSON value (RFC 8259) that can be compared, passed between tasks and kept unchanged.
///
/// Whole numbers that fit 64 bits are ``integer(_:)`` however they were written, so `1.0` and `1` are equal.
public enum JSONValue: Hashable, Sendable {
    /// The literal `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number that fits 64 bits.
    case integer(Int64)
    /// Any other number.
    case double(Double)
    /// Text.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Values by name; the order of the names in a document has no meaning.
    case object([String: JSONValue])
}

extension JSONValue {
    /// The member called `key`, nil if there is none, if it is `null`, or if this is no object.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self, let member = members[key], member != .null else { return nil }
        return member
    }

    /// The text, if this is a string.
    public var stringValue: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The truth value, if this is one; numbers and strings are not.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The whole number, if this is one.
    public var integerValue: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The number, if this is one, whole or not.
    public var doubleValue: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// The elements, if this is an array.
    public var arrayValue: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members, if this is an object.
    public var objectValue: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// A literal in quotes is a ``string(_:)``.
    public init(stringLiteral value: String) { self = .string(value) }
    /// `true` and `false` are a ``bool(_:)``, never a number.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A literal without a point is an ``integer(_:)``.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A literal with a point is an ``integer(_:)`` where that loses nothing, as for `1.0`, else a ``double(_:)``.
    public init(floatLiteral value: Double) { self.init(value) }
    /// An ``array(_:)`` in the order in which the elements are written.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// `nil` is ``null``; where a `JSONValue?` is expected it is no value at all.
    public init(nilLiteral: ()) { self = .null }

    /// If a key is repeated, its first value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { first, _ in first }))
    }

    /// A number, as ``integer(_:)`` where that loses nothing.
    public init(_ number: Double) {
        self = Int64(exactly: number).map(JSONValue.integer) ?? .double(number)
    }
}
