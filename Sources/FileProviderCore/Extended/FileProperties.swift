public import Foundation

/// The properties that a file holds of itself: names in the order in which to show them, each with a value.
///
/// The names depend on the kind of file; `Documentation/FileInformation.md` has the table.
public struct FileProperties: Sendable, Hashable {
    /// What a property can be.
    public enum Value: Sendable, Hashable {
        /// A text, as in the file.
        case string(String)
        /// A whole number, in the unit that the table gives for the name.
        case integer(Int64)
        /// Any other number, in that unit; also for EXIF's fractions.
        case double(Double)
        /// Yes or no.
        case bool(Bool)
        /// A point in time. A date without a time zone is a ``string(_:)``.
        case date(Date)
        /// Several values of one name.
        case list([Value])
    }

    /// The names, in order.
    public private(set) var keys: [String] = []
    private var values: [String: Value] = [:]

    /// Creates a value without properties; add them with the subscript.
    public init() {}

    /// The value of `key`. A new key goes to the end; nil removes one.
    public subscript(key: String) -> Value? {
        get { values[key] }
        set {
            if newValue == nil { keys.removeAll { $0 == key } } else if values[key] == nil { keys.append(key) }
            values[key] = newValue
        }
    }

    /// Whether the file has no properties.
    public var isEmpty: Bool { keys.isEmpty }

    /// The values as plain types, see ``Value/plain``; their order is lost.
    public var dictionary: [String: any Sendable] { values.mapValues(\.plain) }
}

extension FileProperties.Value {
    /// `String`, `Int64`, `Double`, `Bool`, `Date` or an array of those.
    public var plain: any Sendable {
        switch self {
        case .string(let text): text
        case .integer(let number): number
        case .double(let number): number
        case .bool(let value): value
        case .date(let date): date
        case .list(let values): values.map(\.plain)
        }
    }
}

extension FileProperties.Value: CustomStringConvertible {
    /// A text for a person: dates in RFC 3339, lists with commas in between.
    public var description: String {
        switch self {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let value): value ? "yes" : "no"
        case .date(let date): date.formatted(Date.ISO8601FormatStyle())
        case .list(let values): values.map(\.description).joined(separator: ", ")
        }
    }
}

extension FileProperties.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral
{
    /// A ``string(_:)`` written as a literal.
    public init(stringLiteral value: String) { self = .string(value) }
    /// An ``integer(_:)`` written as a literal.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A ``double(_:)`` written as a literal.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// A ``bool(_:)`` written as a literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A ``list(_:)`` written as a literal.
    public init(arrayLiteral elements: FileProperties.Value...) { self = .list(elements) }
}
