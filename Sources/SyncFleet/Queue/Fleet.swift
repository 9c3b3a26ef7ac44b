import FileProviderCore
import Foundation
public import PostgresTransport

/// A fleet of sync workers: its pairs, limits and workers in a schema of a PostgreSQL database.
///
/// Each function is one round trip unless it says otherwise. Errors are those of
/// ``/PostgresTransport/PostgresConnection/run(_:)-([PostgresStatement])``, besides the ones that a function names.
public struct Fleet: Sendable {
    let connection: PostgresConnection
    private let definition: FleetSchema

    /// A fleet in a schema, which ``migrate()`` makes. Sends nothing yet.
    ///
    /// - Parameter schema: Up to 63 lower-case letters, digits and underscores, not a digit first.
    /// - Throws: `CocoaError(.fileWriteInvalidFileName)` for another schema.
    public init(_ connection: PostgresConnection, schema: String = "carrel_fleet") throws {
        self.connection = connection
        definition = try FleetSchema(schema)
    }

    /// The name of the schema, which is also the channel of its notifications.
    var schema: String { definition.name }

    /// Runs a command and returns its rows. In `sql`, `@` is the schema.
    ///
    /// A command that PostgreSQL ended because it and another one waited for each other has done nothing, and is sent
    /// again (PostgreSQL, 13.3.4).
    func run(_ sql: String, _ values: [PostgresValue] = []) async throws -> PostgresRows {
        var tries = 1
        while true {
            do { return try await connection.run(definition.statement(sql, values)) } catch let error
                where tries < Self.maxTries && Self.isRolledBack(error)
            {
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...20) * tries))
                tries += 1
            }
        }
    }

    private static let maxTries = 5

    private static func isRolledBack(_ error: any Error) -> Bool {
        let server = (error as? CocoaError)?.underlying as? PostgresServerError
        return ["40001", "40P01"].contains(server?.sqlState)
    }

    /// Runs a command and returns its only row.
    func row(_ sql: String, _ values: [PostgresValue] = []) async throws -> PostgresRow {
        guard let row = try await run(sql, values).first else {
            throw FileError.make(
                .fileReadCorruptFile, path: schema, sentence: "The database of the fleet “\(schema)” gave no answer.")
        }
        return row
    }

    // MARK: Schema

    /// Makes the schema, or brings it up to date, in one transaction. Several processes may do so at once. It is never
    /// taken back; workers of the former version may go on meanwhile.
    ///
    /// - Returns: The number of migrations applied; 0 if the schema is up to date.
    /// - Throws: `CocoaError(.featureUnsupported)` if a newer or another version made it, and nothing has changed.
    /// - Complexity: Up to three round trips.
    @discardableResult
    public func migrate() async throws -> Int {
        let (exists, applied) = try await present()
        let missing = try definition.missing(applied ?? [])
        if missing.isEmpty { return 0 }
        let answers = try await connection.run(definition.migrating(missing, exists: exists))
        return try answers.suffix(missing.count).filter { try $0.first?.bool("applied") == true }.count
    }

    /// Checks that the schema is the one of this version.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` if there is no fleet; `CocoaError(.featureUnsupported)` if it is
    ///   older, newer, or another one.
    /// - Complexity: Two round trips.
    public func checkSchema() async throws {
        guard let applied = try await present().applied else {
            throw FileError.make(
                .fileReadNoSuchFile, path: schema,
                sentence: "The database has no fleet in the schema “\(schema)”; make one with “carrel fleet init”.")
        }
        if let first = try definition.missing(applied).first {
            throw FileError.make(
                .featureUnsupported, path: schema,
                sentence: "The fleet in the schema “\(schema)” is older than this version, and lacks migration "
                    + "\(first.number); bring it up to date with “carrel fleet init”.")
        }
    }

    private func present() async throws -> (exists: Bool, applied: [(number: Int, checksum: String)]?) {
        guard let row = try await connection.run(definition.presence).first else { return (false, nil) }
        let exists = try row.bool("exists")
        guard try row.bool("has_migrations") else { return (exists, nil) }
        let applied = try await connection.run(definition.applied)
        return (exists, try applied.map { (Int(try $0.int("number")), try $0.text("checksum")) })
    }
}
