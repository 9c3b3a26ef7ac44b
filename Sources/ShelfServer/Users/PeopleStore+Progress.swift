import Foundation
import GRDB
import SQLiteStorage

/// What KOReader's synchronisation keeps.
extension PeopleStore {
    /// Returns the progress of a person in a document; nil if they have none.
    package func progress(of user: User, document: String) async throws -> KeptProgress? {
        let id = user.id
        return try await database.read { db in
            let sql = """
                SELECT progress, percentage, device, device_id, timestamp FROM progress WHERE user = ? AND document = ?
                """
            return try Row.fetchOne(db, sql: sql, arguments: [id, document]).map { row in
                let values = RowValues(row)
                return KeptProgress(
                    document: document, progress: try values.text(0), percentage: try values.double(1),
                    device: try values.text(2), deviceID: try values.text(3), timestamp: try values.int64(4))
            }
        }
    }

    /// Keeps the progress of a person instead of the one before in the same document.
    package func keep(_ progress: KeptProgress, of user: User) async throws {
        let id = user.id
        try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO progress (user, document, progress, percentage, device, device_id, timestamp)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (user, document) DO UPDATE SET progress = excluded.progress,
                    percentage = excluded.percentage, device = excluded.device, device_id = excluded.device_id,
                    timestamp = excluded.timestamp
                    """,
                arguments: [
                    id, progress.document, progress.progress, progress.percentage, progress.device, progress.deviceID,
                    progress.timestamp,
                ])
        }
    }

    // MARK: Digests

    /// Keeps KOReader's digest of a book's file.
    ///
    /// - Parameter version: The version of the file; see ``BookVersion``.
    package func keepDocument(_ digest: String, of book: Int64, version: String) async throws {
        try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO documents (book, digest, version) VALUES (?, ?, ?)
                    ON CONFLICT (book) DO UPDATE SET digest = excluded.digest, version = excluded.version
                    """, arguments: [book, digest, version])
        }
    }

    /// Returns KOReader's digest of a book's file; nil if it is not known for this version.
    package func document(of book: Int64, version: String) async throws -> String? {
        try await database.read { db in
            let sql = "SELECT digest FROM documents WHERE book = ? AND version = ?"
            return try Row.fetchOne(db, sql: sql, arguments: [book, version]).map { try RowValues($0).text(0) }
        }
    }

    /// Returns the books whose files had a digest when it was last computed, the newest first. Books may have left the
    /// shelf meanwhile.
    package func books(ofDocument digest: String) async throws -> [Int64] {
        try await database.read { db in
            let sql = "SELECT book FROM documents WHERE digest = ? ORDER BY book DESC"
            return try Int64.fetchAll(db, sql: sql, arguments: [digest])
        }
    }
}
