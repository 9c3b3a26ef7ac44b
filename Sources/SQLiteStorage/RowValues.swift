package import Foundation
package import GRDB

/// The values of a row, by column. A value of an unexpected type throws an error for a damaged database; GRDB's own
/// access would end the process.
package struct RowValues {
    private let row: Row

    package init(_ row: Row) { self.row = row }

    package func text(_ column: Int) throws -> String { try required(optionalText(column)) }

    package func optionalText(_ column: Int) throws -> String? {
        switch storage(column) {
        case .null: return nil
        case .string(let text): return text
        default: throw Self.mismatch
        }
    }

    package func int64(_ column: Int) throws -> Int64 { try required(optionalInt64(column)) }

    package func int(_ column: Int) throws -> Int { Int(try int64(column)) }

    package func optionalInt64(_ column: Int) throws -> Int64? {
        switch storage(column) {
        case .null: return nil
        case .int64(let number): return number
        default: throw Self.mismatch
        }
    }

    package func flag(_ column: Int) throws -> Bool { try int64(column) != 0 }

    package func double(_ column: Int) throws -> Double { try required(optionalDouble(column)) }

    /// Never infinite.
    package func optionalDouble(_ column: Int) throws -> Double? {
        switch storage(column) {
        case .null: return nil
        case .int64(let number): return Double(number)
        case .double(let number) where number.isFinite: return number
        default: throw Self.mismatch
        }
    }

    package func optionalData(_ column: Int) throws -> Data? {
        switch storage(column) {
        case .null: return nil
        case .blob(let data): return data
        default: throw Self.mismatch
        }
    }

    private func storage(_ column: Int) -> DatabaseValue.Storage { (row[column] as DatabaseValue).storage }

    private func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Self.mismatch }
        return value
    }

    private static var mismatch: DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a value has another type than its column")
    }
}
