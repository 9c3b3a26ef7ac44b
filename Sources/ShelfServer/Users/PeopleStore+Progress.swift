import Foundation
import GRDB
import SQLiteStorage

/// What KOReader's synchronisation keeps.
extension PeopleStore {
    /// The most documents of one person whose progress is kept.
    package static let mostDocuments = 5_000

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

    /// Keeps the progress of a person instead of the one before in the same document, and removes the
    /// person's oldest progress in the same transaction if there are too many documents.
    ///
    /// - Parameter most: The number of documents whose progress stays.
    package func keep(_ progress: KeptProgress, of user: User, most: Int = PeopleStore.mostDocuments) async throws {
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
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM progress WHERE user = ?", arguments: [id]) ?? 0
            if count <= most { return }
            // The new one stays even if the clock was ahead when the others came.
            try db.execute(
                sql: """
                    DELETE FROM progress WHERE user = ? AND document IN (
                        SELECT document FROM progress WHERE user = ? AND document <> ?
                        ORDER BY timestamp DESC, document LIMIT -1 OFFSET ?)
                    """, arguments: [id, id, progress.document, max(0, most - 1)])
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
