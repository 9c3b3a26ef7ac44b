import FileProviderCore
public import Foundation
import GRDB
import ReaderLink
import SQLiteStorage

extension SQLiteBookLibrary {
    /// Writes the metadata of all books whose files exist into a separate database for drivers, complete in one file.
    ///
    /// The snapshot is one consistent state of the library. ``SQLiteSnapshotReader`` reads it.
    /// - Returns: A local file in the library's folder. The caller removes it; otherwise the next opening does.
    /// - Complexity: Copies the tables within SQLite, and lists the folder of books.
    public func snapshot() async throws -> URL {
        let path = try folder.newIncoming("sqlite")
        let file = folder.location(of: path)
        do {
            let names = try await folder.names(in: folder.books)
            try await BlockingThreads.shared.run { try Self.makeEmptySnapshot(file) }
            // An attached database could not be detached after the task is cancelled.
            try await withCancellationShield { [database] in
                try await database.writeWithoutTransaction { db in try Self.fill(file, from: db, names: names) }
            }
            return file
        } catch {
            await discard(path)
            throw error
        }
    }

    private static func makeEmptySnapshot(_ file: URL) throws {
        let queue = try DatabaseQueue(path: file.path)
        try queue.writeWithoutTransaction { db in try LibrarySchema.snapshot.create(db) }
        try queue.close()
    }

    private static func fill(_ file: URL, from db: Database, names: Set<String>) throws {
        // A database left attached by a failure would block all later snapshots.
        try detach(db)
        try db.execute(sql: "ATTACH DATABASE ? AS snapshot", arguments: [file.path])
        let result = Result {
            // The file is removed on failure, so no rollback is needed.
            try db.execute(sql: "PRAGMA snapshot.journal_mode = MEMORY")
            try db.inTransaction {
                for table in LibrarySchema.copiedTables {
                    try db.execute(sql: "INSERT INTO snapshot.\(table) SELECT * FROM main.\(table)")
                }
                for id in try missing(db, names: names).map(\.id) {
                    try db.execute(sql: "DELETE FROM snapshot.books WHERE id = ?", arguments: [id])
                }
                return .commit
            }
        }
        let end = Result { try detach(db) }
        try result.get()
        try end.get()
    }

    /// Detaches the attached snapshot, if any.
    private static func detach(_ db: Database) throws {
        guard try Int.fetchOne(db, sql: "SELECT 1 FROM pragma_database_list WHERE name = 'snapshot'") != nil else {
            return
        }
        try db.execute(sql: "DETACH DATABASE snapshot")
    }

    /// Returns the books whose files are not among `names`.
    static func missing(_ db: Database, names: Set<String>) throws -> [(id: Int64, filename: String)] {
        let rows = try Row.fetchCursor(db, sql: "SELECT id, filename FROM books")
        var missing: [(id: Int64, filename: String)] = []
        while let row = try rows.next() {
            let values = RowValues(row)
            let filename = try values.text(1)
            if !names.contains(filename) { missing.append((try values.int64(0), filename)) }
        }
        return missing
    }
}
