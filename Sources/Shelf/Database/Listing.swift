import FileProviderCore
import Foundation
import GRDB

/// The files of a listing of a source in a temporary table, which SQLite keeps on the disk once it is large. Each source
/// has a separate table, so that several can be listed at once.
struct Listing {
    private let db: Database
    private let table: String

    init(_ db: Database, source: Int64) {
        self.db = db
        table = Self.table(of: source)
    }

    /// The name of the table, without `temp`.
    static func table(of source: Int64) -> String { "listed_\(source)" }

    /// Creates the table, or empties it.
    func begin() throws {
        try create()
        try db.execute(sql: "DELETE FROM temp.\(table)")
    }

    /// Creates the table if it is missing.
    func create() throws {
        // `file` is the number of the known file that is in this place, once it is known.
        try db.execute(
            sql: """
                CREATE TEMPORARY TABLE IF NOT EXISTS \(table) (
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
                INSERT OR REPLACE INTO temp.\(table) (path, name, size, modified, tag, identity)
                VALUES (?, ?, ?, ?, ?, ?)
                """)
        for file in files where !file.path.isRoot {
            let modified = file.version.modified.flatMap { $0.isFinite ? $0 : nil }
            try statement.execute(arguments: [
                file.path.data, Data(file.path.nameBytes), file.version.size, modified, file.version.tag, file.identity,
            ])
        }
    }
}
