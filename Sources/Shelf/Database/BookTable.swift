import Foundation
import GRDB
import SQLiteStorage

/// The rows of books, with their names and their words for searching.
struct BookTable {
    private let db: Database

    init(_ db: Database) { self.db = db }

    /// Adds a book, with the number `id` if there is one.
    /// - Returns: Its number.
    func insert(_ book: BookRow, file: Int64, id: Int64?, added: Date, now: Date) throws -> Int64 {
        try db.execute(
            sql: """
                INSERT INTO books (id, file, title_key, author_key, series_key, series_position, media_type, positions,
                    added, changed, cover, is_named_after_file)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)
                """,
            arguments: [
                id, file, book.titleKey, book.authorKey, book.seriesKey, book.seriesPosition, book.mediaType,
                book.positions, added.timeIntervalSince1970, now.timeIntervalSince1970, book.isNamedAfterFile,
            ])
        let id = id ?? db.lastInsertedRowID
        try writeTexts(of: book, id: id)
        return id
    }

    /// Replaces what is known about a book. Its cover is unknown again.
    func update(_ book: BookRow, id: Int64, now: Date) throws {
        try db.execute(
            sql: """
                UPDATE books SET title_key = ?, author_key = ?, series_key = ?, series_position = ?, media_type = ?,
                    positions = ?, changed = ?, cover = 0, cover_tag = NULL, is_named_after_file = ?
                WHERE id = ?
                """,
            arguments: [
                book.titleKey, book.authorKey, book.seriesKey, book.seriesPosition, book.mediaType, book.positions,
                now.timeIntervalSince1970, book.isNamedAfterFile, id,
            ])
        try removeTexts(of: id)
        try writeTexts(of: book, id: id)
    }

    /// Removes the books that satisfy `condition`, an SQL term from this program, and the names that only they have.
    func remove(where condition: String, _ arguments: StatementArguments = []) throws {
        let chosen = "(SELECT id FROM books WHERE \(condition))"
        try db.execute(sql: "DELETE FROM search WHERE rowid IN \(chosen)", arguments: arguments)
        try db.execute(sql: "DELETE FROM books WHERE \(condition)", arguments: arguments)
        try db.execute(
            sql: "DELETE FROM names WHERE NOT EXISTS (SELECT 1 FROM book_names WHERE book_names.name = names.id)")
    }

    /// Removes one book.
    func remove(_ id: Int64) throws {
        try removeTexts(of: id)
        try db.execute(sql: "DELETE FROM books WHERE id = ?", arguments: [id])
    }

    private func removeTexts(of id: Int64) throws {
        let names = try Int64.fetchAll(db, sql: "SELECT name FROM book_names WHERE book = ?", arguments: [id])
        try db.execute(sql: "DELETE FROM book_names WHERE book = ?", arguments: [id])
        let statement = try db.cachedStatement(
            sql: "DELETE FROM names WHERE id = ? AND NOT EXISTS (SELECT 1 FROM book_names WHERE name = names.id)")
        for name in names { try statement.execute(arguments: [name]) }
        try db.execute(sql: "DELETE FROM search WHERE rowid = ?", arguments: [id])
        try db.execute(sql: "DELETE FROM documents WHERE book = ?", arguments: [id])
    }

    private func writeTexts(of book: BookRow, id: Int64) throws {
        try db.cachedStatement(sql: "INSERT INTO documents (book, metadata) VALUES (?, ?)")
            .execute(arguments: [id, book.metadata])
        let columns = ShelfSchema.searchColumns.map(\.0).joined(separator: ", ")
        let indices = ShelfSchema.searchColumns.map { _ in "?" }.joined(separator: ", ")
        try db.cachedStatement(sql: "INSERT INTO search (rowid, \(columns)) VALUES (?, \(indices))")
            .execute(arguments: StatementArguments([id.databaseValue] + book.searchTexts.map(\.databaseValue)))
        // The first spelling of a name stays.
        let insertName = try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO names (kind, key, name, sort_key) VALUES (?, ?, ?, ?)")
        let insertPair = try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO book_names (name, book, kind)
                SELECT id, ?, kind FROM names WHERE kind = ? AND key = ?
                """)
        for name in book.names {
            try insertName.execute(arguments: [name.kind.rawValue, name.key, name.name, name.sortKey])
            try insertPair.execute(arguments: [id, name.kind.rawValue, name.key])
        }
    }
}
