import FileProviderCore
import Foundation
import GRDB

/// The files of a listing in a temporary table, which SQLite keeps on the disk once it is large.
struct Listing {
    private let db: Database

    init(_ db: Database) { self.db = db }

    /// Creates the table, or empties it.
    func begin() throws {
        try create()
        try db.execute(sql: "DELETE FROM temp.listed")
    }

    /// Creates the table if it is missing.
    func create() throws {
        // `file` is the number of the known file that is in this place, once it is known.
        try db.execute(
            sql: """
                CREATE TEMPORARY TABLE IF NOT EXISTS listed (
                    path BLOB PRIMARY KEY, name BLOB NOT NULL, size INTEGER, modified REAL, tag TEXT, identity TEXT,
                    file INTEGER
                ) WITHOUT ROWID
                """)
    }

    /// Adds files. Of a path that is listed twice the last one counts.
    func add(_ files: [ListedFile]) throws {
        try create()
        let statement = try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO temp.listed (path, name, size, modified, tag, identity) VALUES (?, ?, ?, ?, ?, ?)
                """)
        for file in files where !file.path.isRoot {
            let modified = file.version.modified.flatMap { $0.isFinite ? $0 : nil }
            try statement.execute(arguments: [
                file.path.data, Data(file.path.nameBytes), file.version.size, modified, file.version.tag, file.identity,
            ])
        }
    }
}
