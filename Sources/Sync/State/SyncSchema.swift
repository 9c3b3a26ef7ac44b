import FileProviderCore
import Foundation
import GRDB

/// The error for a file that is not the state of this pair.
package struct ForeignState: Error {
    /// The rest of the sentence “NAME …”.
    let what: String
    /// Whether the file is the state of two other folders.
    package var isOfOtherFolders = false
}

/// The tables.
enum SyncSchema {
    private static let application = 0x4353_594E  // "CSYN"
    private static let version = 1

    static func prepare(_ db: Database, _ pair: Sides<String>) throws {
        try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        // Takes the lock and keeps it.
        try db.inTransaction(.immediate) {
            try open(db, pair)
            return .commit
        }
        try db.execute(sql: pass)
    }

    private static func open(_ db: Database, _ pair: Sides<String>) throws {
        let owner = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        if owner == 0, try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == 0 {
            try db.execute(sql: tables)
            try db.execute(sql: "PRAGMA application_id = \(application); PRAGMA user_version = \(version)")
            let token = String(UInt64.random(in: .min ... .max), radix: 36)
            try db.execute(
                sql: "INSERT INTO pair(source, destination, token) VALUES (?, ?, ?)",
                arguments: [pair.source, pair.destination, token])
        }
        guard owner == 0 || owner == application, try db.tableExists("pair") else {
            throw ForeignState(what: "is the database of another program; choose another file.")
        }
        guard try Int.fetchOne(db, sql: "PRAGMA user_version") == version else {
            throw ForeignState(what: "was made by a newer version of this program; use that one.")
        }
        // Also finds values of the wrong type, which would end the process when read.
        guard try String.fetchOne(db, sql: "PRAGMA quick_check(1)") == "ok" else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        let isAbsurd = try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM item WHERE id < 1 OR type NOT BETWEEN 1 AND 4)")
        guard isAbsurd == false else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
        guard let row = try Row.fetchOne(db, sql: "SELECT source, destination FROM pair"), Sides(row[0], row[1]) == pair
        else {
            throw ForeignState(what: "belongs to two other folders; choose another file.", isOfOtherFolders: true)
        }
        // States of earlier versions have neither this table nor this column.
        try db.execute(sql: unkept)
        if try !db.columns(in: "pair").contains(where: { $0.name == "older" }) {
            try db.execute(sql: "ALTER TABLE pair ADD COLUMN older INTEGER NOT NULL DEFAULT 0")
        }
    }

    private static let tables = """
        CREATE TABLE pair (source TEXT NOT NULL, destination TEXT NOT NULL, runs INTEGER NOT NULL DEFAULT 0,
            token TEXT NOT NULL) STRICT;
        CREATE TABLE item (
            id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, type INTEGER NOT NULL, hash TEXT, folded TEXT NOT NULL,
            size0 INTEGER, time0 INTEGER, tag0 TEXT, identity0 TEXT, listed0 INTEGER NOT NULL,
            size1 INTEGER, time1 INTEGER, tag1 TEXT, identity1 TEXT, listed1 INTEGER NOT NULL) STRICT;
        CREATE INDEX item_folded ON item (folded);
        """

    private static let unkept = """
        CREATE TABLE IF NOT EXISTS unkept (
            key BLOB PRIMARY KEY NOT NULL, side INTEGER NOT NULL, fresh INTEGER NOT NULL, copied INTEGER NOT NULL DEFAULT 0) STRICT
        """

    private static let pass = """
        CREATE TEMP TABLE found (
            key BLOB NOT NULL, side INTEGER NOT NULL, type INTEGER NOT NULL, size INTEGER, time INTEGER, tag TEXT, identity TEXT,
            hash TEXT, folded TEXT NOT NULL, PRIMARY KEY (key, side)) WITHOUT ROWID;
        CREATE TEMP TABLE left_out (key BLOB PRIMARY KEY, itself INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TEMP TABLE incomplete (key BLOB NOT NULL, side INTEGER NOT NULL, PRIMARY KEY (key, side)) WITHOUT ROWID;
        CREATE TEMP TABLE sent (key BLOB PRIMARY KEY, side INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TEMP TABLE rest (key BLOB PRIMARY KEY) WITHOUT ROWID;
        CREATE TEMP TABLE form (
            listed BLOB NOT NULL, known BLOB NOT NULL, type INTEGER NOT NULL, size INTEGER, time INTEGER, tag TEXT, identity TEXT,
            PRIMARY KEY (listed, known)) WITHOUT ROWID;
        CREATE TEMP TABLE compared (key BLOB PRIMARY KEY, same INTEGER, hash TEXT) WITHOUT ROWID;
        CREATE TEMP TABLE moved (target BLOB PRIMARY KEY, origin BLOB NOT NULL UNIQUE, side INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TEMP TABLE action (
            phase INTEGER NOT NULL, depth INTEGER NOT NULL, key BLOB NOT NULL, kind TEXT NOT NULL, side INTEGER NOT NULL, origin BLOB,
            type INTEGER NOT NULL, size INTEGER, keeps INTEGER NOT NULL, reason TEXT, PRIMARY KEY (phase, depth, key)) WITHOUT ROWID;
        """

    static func clearPass(_ db: Database) throws {
        for table in ["found", "left_out", "incomplete", "rest", "form", "compared", "moved", "action"] {
            try db.execute(sql: "DELETE FROM \(table)")
        }
        try db.execute(
            sql: """
                DROP INDEX IF EXISTS temp.found_folded; DROP INDEX IF EXISTS temp.gone_identity; DROP INDEX IF EXISTS temp.gone_hash
                """)
    }

    /// Used for names that differ in case or normalization alone. Built once, after both listings.
    static let indexFolded = "CREATE INDEX temp.found_folded ON found (folded)"

    /// Used by the search for moves, which runs only in a pass in which something is gone.
    static let indexGone = """
        CREATE INDEX IF NOT EXISTS temp.gone_identity ON found (side, size, identity) WHERE type = -1;
        CREATE INDEX IF NOT EXISTS temp.gone_hash ON found (side, size, hash) WHERE type = -1
        """
}
