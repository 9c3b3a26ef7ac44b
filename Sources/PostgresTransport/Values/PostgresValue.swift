/// A value for a `$1`, `$2`, … of a statement.
///
/// It is sent as text; the statement gives it a type, by its place or by a cast such as `$1::timestamptz`.
public enum PostgresValue: Equatable, Sendable {
    case null
    /// Text without NUL, which PostgreSQL cannot store.
    case text(String)
    case int(Int64)
    case double(Double)
    case bool(Bool)
    /// For a `bytea`.
    case bytes([UInt8])
    /// For a `text[]`, or by a cast for an array of any type.
    case array([String?])
    /// For a `bigint[]`.
    case ints([Int64])

    /// The text form; nil for null. Sources: PostgreSQL 15 manual, 8.1.3, 8.4.1, 8.6, 8.15.2.
    var sent: String? {
        switch self {
        case .null: nil
        case .text(let text): text
        case .int(let number): String(number)
        case .double(let number):
            number.isNaN ? "NaN" : number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : String(number)
        case .bool(let value): value ? "true" : "false"
        case .bytes(let bytes): Self.hexadecimal(bytes)
        case .array(let values): PostgresArray.text(values)
        case .ints(let numbers): "{" + numbers.map(String.init).joined(separator: ",") + "}"
        }
    }

    /// About as many bytes as are sent.
    var size: Int {
        switch self {
        case .null, .bool: 1
        case .int, .double: 8
        case .text(let text): text.utf8.count
        case .bytes(let bytes): 2 * bytes.count
        case .array(let values): values.reduce(2) { $0 + ($1?.utf8.count ?? 4) + 3 }
        case .ints(let numbers): 8 * numbers.count
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text = Array("\\x".utf8)
        text.reserveCapacity(2 + 2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension PostgresValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral, ExpressibleByNilLiteral
{
    /// Text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// A Boolean value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Null.
    public init(nilLiteral: ()) { self = .null }
}

extension PostgresValue {
    /// Text, or null for nil.
    public static func text(orNull text: String?) -> PostgresValue { text.map { .text($0) } ?? .null }

    /// A number, or null for nil.
    public static func int(orNull number: Int64?) -> PostgresValue { number.map { .int($0) } ?? .null }

    /// A number, or null for nil.
    public static func double(orNull number: Double?) -> PostgresValue { number.map { .double($0) } ?? .null }
}
