import Foundation
import GRDB

/// A kind of SQLite file: what it is called in sentences, how its tables are made, and how a file is proven to be one.
struct DatabaseKind: Sendable {
    /// Stands in `PRAGMA application_id`.
    let applicationID: Int64
    /// Stands in `PRAGMA user_version`.
    let version: Int64
    /// What makes the tables and indexes, in order; every statement is part of the proof.
    let statements: [String]

    /// Makes everything in an empty database, in one transaction.
    func create(_ db: Database) throws {
        try db.inTransaction {
            for statement in statements { try db.execute(sql: statement) }
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            try db.execute(sql: "PRAGMA user_version = \(version)")
            return .commit
        }
    }

    /// Whether nothing was ever written to the database.
    func isEmpty(_ db: Database) throws -> Bool {
        let objects = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        let version = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        return objects == 0 && version == 0
    }

    /// Proves that the database is of this kind and sound: the tables and indexes made here and nothing else, so
    /// neither views nor triggers, and every value of the type of its column.
    /// - Throws: ``DatabaseProblem``; SQLite's errors.
    /// - Complexity: Reads the whole file once.
    func verify(_ db: Database) throws {
        guard try Int64.fetchOne(db, sql: "PRAGMA application_id") == applicationID else {
            throw DatabaseProblem(.foreign, detail: "another program made it")
        }
        let found = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        if found > version { throw DatabaseProblem(.newer(Int(found)), detail: "its version is \(found)") }
        guard found == version, try objects(in: db) == expectedObjects() else {
            throw DatabaseProblem(.damaged, detail: "its tables are not the ones that belong there")
        }
        let finding = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no answer"
        guard finding == "ok" else { throw DatabaseProblem(.damaged, detail: String(finding.prefix(200))) }
    }

    /// What SQLite knows of tables and indexes, as text; of too many no more than tell that there are too many.
    private func objects(in db: Database) throws -> [String] {
        let sql = """
            SELECT type || '|' || name || '|' || tbl_name || '|' || ifnull(sql, '') FROM sqlite_master ORDER BY name, type
            LIMIT \(statements.count * 4)
            """
        return try String?.fetchAll(db, sql: sql).map { $0 ?? "" }
    }

    /// The same of a database that was just made.
    private func expectedObjects() throws -> [String] {
        let queue = try DatabaseQueue()
        return try queue.writeWithoutTransaction { db in
            try create(db)
            return try objects(in: db)
        }
    }
}

/// What is wrong with a database file.
struct DatabaseProblem: Error, Hashable {
    enum Kind: Hashable {
        /// Not as it was written.
        case damaged
        /// Of a version after ours.
        case newer(Int)
        /// Some other database.
        case foreign
    }

    let kind: Kind
    /// More, without a full stop.
    let detail: String

    init(_ kind: Kind, detail: String) {
        self.kind = kind
        self.detail = detail
    }
}
