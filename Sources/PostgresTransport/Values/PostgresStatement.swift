import FileProviderCore
import Foundation

/// One SQL command with its values.
///
/// A text that is used again is prepared on the server. Values therefore belong into `values`, not into the text.
public struct PostgresStatement: Equatable, Sendable {
    /// The command, with `$1`, `$2`, … for the values.
    public var sql: String
    /// The values, at most 65,535.
    public var values: [PostgresValue]

    /// A command. `sql` holds one command only; PostgreSQL refuses several here.
    public init(_ sql: String, _ values: [PostgresValue] = []) {
        self.sql = sql
        self.values = values
    }

    /// About as many bytes as are sent.
    var size: Int { values.reduce(sql.utf8.count) { $0 + $1.size } }

    /// - Throws: `CocoaError` if it cannot be sent.
    func check() throws {
        if values.count > 65_535 {
            throw FileError.make(
                .featureUnsupported, path: "",
                sentence: "A statement has \(values.count) values; PostgreSQL accepts 65,535. Send them as arrays.")
        }
        if sql.utf8.contains(0) || values.contains(where: { $0.sent?.utf8.contains(0) ?? false }) {
            throw FileError.make(
                .fileWriteInapplicableStringEncoding, path: "",
                sentence: "A statement or one of its values contains the character NUL, which PostgreSQL cannot store.")
        }
        let first = sql.drop { $0.isWhitespace }.prefix { $0.isLetter }.lowercased()
        if ["begin", "start", "commit", "end", "rollback", "abort", "savepoint", "copy"].contains(first) {
            throw FileError.make(
                .featureUnsupported, path: "",
                sentence: "A statement begins with \(first.uppercased()), which a shared connection cannot run: "
                    + "the statements of one call are one transaction.")
        }
    }
}
