import FileProviderCore
public import Foundation

/// One row of a result.
///
/// Each function throws `CocoaError(.fileReadCorruptFile)` if there is no such column, if it is null and the function's
/// name does not begin with `optional`, or if its text is not of the type.
public struct PostgresRow: Sendable {
    let columns: PostgresColumns
    let values: [String?]

    /// Returns the text of a column, whatever its type.
    public func text(_ column: String) throws -> String { try present(optionalText(column), column) }

    /// Returns the text of a column, or nil for null.
    public func optionalText(_ column: String) throws -> String? {
        guard let position = columns.positions[column] else {
            throw Self.unusable("The database's answer has no column “\(column)”.")
        }
        return values[position]
    }

    /// Returns a number of a `smallint`, `integer` or `bigint`.
    public func int(_ column: String) throws -> Int64 { try present(optionalInt(column), column) }

    /// Returns a number of a `smallint`, `integer` or `bigint`, or nil for null.
    public func optionalInt(_ column: String) throws -> Int64? { try value(column, "a whole number") { Int64($0) } }

    /// Returns a number of any type.
    public func double(_ column: String) throws -> Double { try present(optionalDouble(column), column) }

    /// Returns a number of any type, or nil for null.
    public func optionalDouble(_ column: String) throws -> Double? { try value(column, "a number") { Double($0) } }

    /// Returns a `boolean`.
    public func bool(_ column: String) throws -> Bool { try present(optionalBool(column), column) }

    /// Returns a `boolean`, or nil for null.
    public func optionalBool(_ column: String) throws -> Bool? {
        try value(column, "a Boolean value") { ["t": true, "f": false][$0] }
    }

    /// Returns a `timestamptz`, to the microsecond; `distantFuture` for `infinity`, `distantPast` for `-infinity`.
    public func date(_ column: String) throws -> Date { try present(optionalDate(column), column) }

    /// Returns a `timestamptz` like ``date(_:)``, or nil for null.
    public func optionalDate(_ column: String) throws -> Date? { try value(column, "a time", PostgresTime.date) }

    /// Returns a `bytea`.
    public func bytes(_ column: String) throws -> [UInt8] { try present(optionalBytes(column), column) }

    /// Returns a `bytea`, or nil for null.
    public func optionalBytes(_ column: String) throws -> [UInt8]? { try value(column, "bytes", Self.bytes) }

    /// Returns an array of one dimension without nulls, as texts.
    public func texts(_ column: String) throws -> [String] {
        let values = try value(column, "an array without nulls") { text in
            PostgresArray.values(text).flatMap { all in all.contains(nil) ? nil : all.compactMap(\.self) }
        }
        return try present(values, column)
    }

    private func value<Value>(_ column: String, _ kind: String, _ read: (String) -> Value?) throws -> Value? {
        guard let text = try optionalText(column) else { return nil }
        guard let value = read(text) else {
            throw Self.unusable("The column “\(column)” of the database's answer is not \(kind).")
        }
        return value
    }

    private func present<Value>(_ value: Value?, _ column: String) throws -> Value {
        guard let value else { throw Self.unusable("The column “\(column)” of the database's answer is null.") }
        return value
    }

    private static func unusable(_ sentence: String) -> CocoaError {
        FileError.make(.fileReadCorruptFile, path: "", sentence: sentence)
    }

    /// The hexadecimal form. Source: PostgreSQL 15 manual, 8.4.1.
    private static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.starts(with: Array("\\x".utf8)), digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2 - 1)
        for index in stride(from: 2, to: digits.count, by: 2) {
            guard let high = Character(UnicodeScalar(digits[index])).hexDigitValue,
                let low = Character(UnicodeScalar(digits[index + 1])).hexDigitValue
            else { return nil }
            bytes.append(UInt8(high * 16 + low))
        }
        return bytes
    }
}
