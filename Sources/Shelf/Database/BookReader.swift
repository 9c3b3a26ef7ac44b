import FileProviderCore
import Foundation
import GRDB
import MediaTypes
import Publication
import SQLiteStorage

/// Reads books.
struct BookReader {
    private let db: Database

    init(_ db: Database) { self.db = db }

    /// Returns the books with the numbers `ids`, in that order; those that aren't on the shelf are left out.
    /// - Complexity: One statement.
    func books(_ ids: [Int64]) throws -> [ShelfBook] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT books.id, source, files.path, size, modified, tag, metadata, media_type, positions, added, changed,
                    cover, cover_tag
                FROM json_each(?) AS wanted CROSS JOIN books ON books.id = wanted.value
                    CROSS JOIN files ON files.id = books.file CROSS JOIN documents ON documents.book = books.id
                ORDER BY wanted.key
                """)
        let rows = try Row.fetchCursor(statement, arguments: [Self.list(ids)])
        var books: [ShelfBook] = []
        while let row = try rows.next() { books.append(try Self.book(RowValues(row))) }
        return books
    }

    /// Returns the books with the numbers `ids`, by these numbers; for a book that left the shelf, its successor.
    func books(numbered ids: [Int64]) throws -> [Int64: ShelfBook] {
        var found = Dictionary(try books(ids).map { ($0.id, $0) }) { first, _ in first }
        let missing = ids.filter { found[$0] == nil }
        if missing.isEmpty { return found }
        let successors = try SuccessorTable(db).successors(of: missing)
        let others = Dictionary(try books(Array(Set(successors.values))).map { ($0.id, $0) }) { first, _ in first }
        for (former, book) in successors { found[former] = others[book] }
        return found
    }

    /// Returns the book whose file is at `path`.
    func book(source: Int64, path: ProviderPath) throws -> ShelfBook? {
        let id = try Int64.fetchOne(
            db, sql: "SELECT books.id FROM files JOIN books ON books.file = files.id WHERE source = ? AND path = ?",
            arguments: [source, path.data])
        return try id.flatMap { try books([$0]).first }
    }

    /// Returns the numbers of books of a source whose covers have not been asked for.
    /// - Complexity: Grows with the number of such books of all sources, up to the end of the page.
    func coverless(source: Int64, after id: Int64, limit: Int) throws -> [Int64] {
        let sql = """
            SELECT books.id FROM books CROSS JOIN files ON files.id = books.file AND source = ?
            WHERE cover = 0 AND books.id > ? ORDER BY books.id LIMIT ?
            """
        return try Int64.fetchAll(db, sql: sql, arguments: [source, id, max(0, limit)])
    }

    /// Returns the numbers of such books that were added or changed at the time `date` or later.
    /// - Complexity: Grows with the number of books that changed since then.
    func coverless(source: Int64, since date: Date) throws -> [Int64] {
        let sql = """
            SELECT books.id FROM books INDEXED BY books_by_changed
                CROSS JOIN files ON files.id = books.file AND source = ?
            WHERE cover = 0 AND changed >= ?
            """
        return try Int64.fetchAll(db, sql: sql, arguments: [source, date.timeIntervalSince1970])
    }

    /// Returns those of `ids` that are numbers of books.
    func existing(_ ids: [Int64]) throws -> Set<Int64> {
        try Int64.fetchSet(
            db, sql: "SELECT books.id FROM json_each(?) AS wanted CROSS JOIN books ON books.id = wanted.value",
            arguments: [Self.list(ids)])
    }

    /// Returns numbers as an array in JSON.
    static func list(_ ids: [Int64]) -> String { "[\(ids.map(String.init).joined(separator: ","))]" }

    private static func book(_ values: RowValues) throws -> ShelfBook {
        guard let type = MediaType(try values.text(7)),
            let cover = ShelfBook.CoverState(rawValue: try values.int(11))
        else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a book has no media type") }
        var book = ShelfBook(
            id: try values.int64(0), source: try values.int64(1), path: try values.path(2),
            metadata: try Metadata(json: StoredJSON.value(try values.text(6))), mediaType: type,
            added: try values.date(9), changed: try values.date(10))
        book.fileSize = try values.optionalInt64(3)
        book.fileModified = try values.optionalDate(4)
        book.fileTag = try values.optionalText(5)
        book.positionCount = try values.optionalInt64(8).map { Int($0) }
        book.coverState = cover
        book.coverTag = try values.optionalText(12)
        return book
    }
}

// MARK: Pages

extension BookReader {
    /// Returns a page of books, and the number of books on all pages.
    func page(_ query: ShelfQuery) throws -> ShelfPage {
        let limit = min(max(0, query.limit), ShelfQuery.maxLimit)
        let offset = max(0, query.offset)
        let selection = BookSelection(query)
        // With a limit, SQLite keeps the first rows alone while it sorts. A second statement counts all of them.
        let ids = try Int64.fetchAll(
            db, sql: Self.pageSQL(selection, query), arguments: selection.arguments + [limit, offset])
        // A page that isn't full is the last one.
        let isLast = ids.count < limit && (!ids.isEmpty || offset == 0)
        let total = try isLast ? offset + ids.count : count(selection)
        return ShelfPage(books: try books(ids), total: total)
    }

    private func count(_ selection: BookSelection) throws -> Int {
        try Int.fetchOne(db, sql: Self.countSQL(selection), arguments: selection.arguments) ?? 0
    }

    private static func pageSQL(_ selection: BookSelection, _ query: ShelfQuery) -> String {
        "SELECT books.id FROM \(selection.sql) ORDER BY \(BookSelection.order(of: query)) LIMIT ? OFFSET ?"
    }

    private static func countSQL(_ selection: BookSelection) -> String {
        "SELECT count(*) FROM \(selection.countedSQL)"
    }

    /// Returns SQLite's plans of a page and of the number of all books.
    func plans(of query: ShelfQuery) throws -> (page: [String], count: [String]) {
        let selection = BookSelection(query)
        return (
            try plan(Self.pageSQL(selection, query), selection.arguments + [50, 0]),
            try plan(Self.countSQL(selection), selection.arguments)
        )
    }

    private func plan(_ sql: String, _ arguments: StatementArguments) throws -> [String] {
        try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: arguments).map { try RowValues($0).text(3) }
    }
}
