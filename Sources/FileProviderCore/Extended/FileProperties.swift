public import Foundation

/// What a file says of itself: names in the order in which they are best shown, each with a value.
///
/// Which names there are depends on the kind of file; `Documentation/FileInformation.md` has the table.
public struct FileProperties: Sendable, Hashable {
    /// What a property can be.
    public enum Value: Sendable, Hashable {
        /// A text, as the file has it.
        case string(String)
        /// A whole number, in the unit that the name's line in the table says.
        case integer(Int64)
        /// Any other number, in that unit; EXIF's fractions too.
        case double(Double)
        /// Yes or no.
        case bool(Bool)
        /// A point in time. A date that the file gives without a zone is a ``string(_:)``.
        case date(Date)
        /// The values of a name that the file has several of.
        case list([Value])
    }

    /// The names, in order.
    public private(set) var keys: [String] = []
    private var values: [String: Value] = [:]

    /// Without any property; the subscript adds them.
    public init() {}

    /// The value called `key`. A new one goes to the end; nil takes one out.
    public subscript(key: String) -> Value? {
        get { values[key] }
        set {
            if newValue == nil { keys.removeAll { $0 == key } } else if values[key] == nil { keys.append(key) }
            values[key] = newValue
        }
    }

    /// Whether the file says nothing of itself.
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
    /// For a person: dates in RFC 3339, lists with commas between.
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
