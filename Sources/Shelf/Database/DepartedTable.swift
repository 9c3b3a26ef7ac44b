import Foundation
import GRDB
import SQLiteStorage

/// The numbers of books that left the shelf. A storage that was away for long, such as an empty mount point, brings its
/// books back with their numbers, and so with the places of their readers.
struct DepartedTable {
    /// 400 days, in seconds.
    private static let patience = 400.0 * 24 * 3_600

    private let db: Database
    private let now: Date

    init(_ db: Database, now: Date) {
        self.db = db
        self.now = now
    }

    /// Notes the books of the files that satisfy `condition`, an SQL term from this program, before they are removed.
    /// - Returns: The number of books, including those that refused files were before.
    @discardableResult
    func note(where condition: String, _ arguments: StatementArguments = []) throws -> Int {
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO departed (
                    book, location, path, name, size, modified, tag, identity, added, departed)
                SELECT coalesce(books.id, former_book), location, path, files.name, size, modified, tag, identity,
                    coalesce(added, former_added), ?
                FROM files JOIN sources ON sources.id = source LEFT JOIN books ON books.file = files.id
                WHERE coalesce(books.id, former_book) IS NOT NULL AND \(condition)
                """, arguments: [now.timeIntervalSince1970] + arguments)
        return db.changesCount
    }

    /// Gives new files the numbers of the books that they were: those that were at the same path, or else had the same
    /// name, size and time, in any source, and have no successor on the shelf.
    /// - Parameter source: The source of the new files. `nil` for all sources, after books left.
    /// - Complexity: Grows with the number of pending files.
    func welcome(in source: Int64? = nil) throws {
        let first = try Int64.fetchOne(db, sql: "SELECT book FROM departed LIMIT 1")
        if first == nil { return }
        let isNew = source == nil ? "is_pending = 1" : "is_pending = 1 AND files.source = ?"
        var arguments: StatementArguments = []
        if let source { arguments += [source] }
        for condition in [
            "departed.location = sources.location AND departed.path = files.path",
            // At another place of the same storage, or under another address of it.
            """
            departed.size = files.size AND departed.modified = files.modified AND departed.name = files.name
                AND NOT EXISTS (
                    SELECT 1 FROM successors JOIN books ON books.id = successors.book WHERE former = departed.book)
            """,
        ] {
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT files.id, departed.book, departed.added
                    FROM files JOIN sources ON sources.id = files.source
                    JOIN departed ON \(condition)
                    WHERE \(isNew) AND former_book IS NULL
                        AND NOT EXISTS (SELECT 1 FROM books WHERE books.file = files.id)
                    ORDER BY departed.departed DESC, departed.book
                    """, arguments: arguments)
            var claims: [(file: Int64, book: Int64, added: Double)] = []
            var files: Set<Int64> = []
            var books: Set<Int64> = []
            while let row = try rows.next() {
                let values = RowValues(row)
                let (file, book) = (try values.int64(0), try values.int64(1))
                if files.contains(file) || books.contains(book) { continue }
                files.insert(file)
                books.insert(book)
                claims.append((file, book, try values.double(2)))
            }
            for claim in claims {
                try db.execute(
                    sql: "UPDATE files SET former_book = ?, former_added = ? WHERE id = ?",
                    arguments: [claim.book, claim.added, claim.file])
                try db.execute(sql: "DELETE FROM departed WHERE book = ?", arguments: [claim.book])
            }
        }
    }

    /// Forgets the books that left long ago.
    func forget() throws {
        try db.execute(
            sql: "DELETE FROM departed WHERE departed < ?",
            arguments: [now.timeIntervalSince1970 - Self.patience])
    }
}
