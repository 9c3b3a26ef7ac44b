package import GRDB

/// A kind of SQLite file: how it is identified, how its tables are created, and how a file is verified.
package struct DatabaseKind: Sendable {
    /// The value of `PRAGMA application_id`.
    package let applicationID: Int64
    /// The value of `PRAGMA user_version`.
    package let version: Int64
    /// The statements that create the tables and indexes, in order. The verification compares each of them.
    package let statements: [String]

    package init(applicationID: Int64, version: Int64, statements: [String]) {
        self.applicationID = applicationID
        self.version = version
        self.statements = statements
    }

    /// Creates everything in an empty database, in one transaction.
    package func create(_ db: Database) throws {
        try db.inTransaction {
            for statement in statements { try db.execute(sql: statement) }
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            try db.execute(sql: "PRAGMA user_version = \(version)")
            return .commit
        }
    }

    /// Whether nothing was ever written to the database.
    package func isEmpty(_ db: Database) throws -> Bool {
        let objects = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        let version = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        return objects == 0 && version == 0
    }

    /// Verifies that the database is intact and of this kind: only the expected tables and indexes exist, no views or
    /// triggers, and every value has the type of its column.
    /// - Throws: ``DatabaseProblem``; SQLite's errors.
    /// - Complexity: Reads the whole file once.
    package func verify(_ db: Database) throws {
        guard try Int64.fetchOne(db, sql: "PRAGMA application_id") == applicationID else {
            throw DatabaseProblem(.foreign, detail: "another program made it")
        }
        let found = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        if found > version { throw DatabaseProblem(.newer(Int(found)), detail: "its version is \(found)") }
        guard found == version, try objects(in: db) == expectedObjects() else {
            throw DatabaseProblem(.damaged, detail: "its tables are not the expected ones")
        }
        let finding = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no answer"
        guard finding == "ok" else { throw DatabaseProblem(.damaged, detail: String(finding.prefix(200))) }
    }

    /// Returns SQLite's descriptions of tables and indexes, limited to slightly more than expected.
    private func objects(in db: Database) throws -> [String] {
        let sql = """
            SELECT type || '|' || name || '|' || tbl_name || '|' || ifnull(sql, '') FROM sqlite_master ORDER BY name, type
            LIMIT \(statements.count * 4)
            """
        return try String?.fetchAll(db, sql: sql).map { $0 ?? "" }
    }

    /// Returns the same for a new database.
    private func expectedObjects() throws -> [String] {
        let queue = try DatabaseQueue()
        return try queue.writeWithoutTransaction { db in
            try create(db)
            return try objects(in: db)
        }
    }
}
