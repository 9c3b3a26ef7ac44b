import Foundation
import GRDB
import ReaderLink
import SQLiteStorage

/// A book with its row ID.
struct StoredBook: Sendable {
    let id: Int64
    var book: LibraryBook
}

/// The books in a library or a snapshot, with their authors, subjects and collections.
struct BookTable {
    let db: Database

    init(_ db: Database) { self.db = db }

    /// The columns in the order of ``book(_:_:_:)``.
    private static let columns = """
        id, filename, uuid, title, title_sort, author_sort, series, series_index, publisher, pub_date, description, cover_hash, rating, \
        size, added, modified, is_locked, word_count, is_new, is_read, is_on_reading_list
        """

    /// Returns the books that satisfy `condition`, an SQL term from this program and never from a peer.
    /// - Complexity: Four statements for any number of books.
    func books(where condition: String = "TRUE", _ arguments: StatementArguments = []) throws -> [StoredBook] {
        let chosen = "(SELECT id FROM books WHERE \(condition))"
        let authors = try lists(
            "SELECT book, name FROM authors WHERE book IN \(chosen) ORDER BY book, place", arguments)
        let subjects = try lists(
            "SELECT book, name FROM subjects WHERE book IN \(chosen) ORDER BY book, place", arguments)
        let collections = try lists(
            """
            SELECT book, name FROM book_collections JOIN collections ON collections.id = collection WHERE book IN \(chosen) \
            ORDER BY book, place
            """, arguments)
        let rows = try Row.fetchCursor(
            db, sql: "SELECT \(Self.columns) FROM books WHERE \(condition) ORDER BY id", arguments: arguments)
        var books: [StoredBook] = []
        while let row = try rows.next() {
            let values = RowValues(row)
            let id = try values.int64(0)
            var book = try Self.book(values)
            (book.authors, book.subjects, book.collections) = (
                authors[id] ?? [], subjects[id] ?? [], collections[id] ?? []
            )
            books.append(StoredBook(id: id, book: book))
        }
        return books
    }

    /// Returns the names that belong to each book, in order.
    private func lists(_ sql: String, _ arguments: StatementArguments) throws -> [Int64: [String]] {
        let rows = try Row.fetchCursor(db, sql: sql, arguments: arguments)
        var lists: [Int64: [String]] = [:]
        while let row = try rows.next() {
            let values = RowValues(row)
            lists[try values.int64(0), default: []].append(try values.text(1))
        }
        return lists
    }

    private static func book(_ values: RowValues) throws -> LibraryBook {
        var book = LibraryBook(
            filename: try values.text(1), title: try values.text(3), uuid: try values.text(2),
            size: try values.int64(13),
            added: Date(timeIntervalSince1970: try values.double(14)))
        book.titleSort = try values.text(4)
        book.authorSort = try values.text(5)
        book.series = try values.optionalText(6)
        book.seriesIndex = try values.optionalDouble(7)
        book.publisher = try values.optionalText(8)
        book.pubDate = try values.optionalText(9)
        book.description = try values.optionalText(10)
        book.coverHash = try values.optionalText(11)
        book.rating = try values.optionalDouble(12)
        book.modified = Date(timeIntervalSince1970: try values.double(15))
        book.isLocked = try values.flag(16)
        book.wordCount = try values.optionalInt64(17).map { Int($0) }
        book.isNew = try values.flag(18)
        book.isRead = try values.flag(19)
        book.isOnReadingList = try values.flag(20)
        return book
    }
}

// MARK: Changing

extension BookTable {
    /// Adds a book.
    /// - Returns: Its row ID.
    @discardableResult
    func insert(_ book: LibraryBook) throws -> Int64 {
        let values = Self.values(of: book)
        let names = values.map(\.0).joined(separator: ", ")
        let indices = values.map { _ in "?" }.joined(separator: ", ")
        try db.execute(
            sql: "INSERT INTO books (\(names)) VALUES (\(indices))", arguments: StatementArguments(values.map(\.1)))
        let id = db.lastInsertedRowID
        try writeLists(of: book, id: id)
        return id
    }

    /// Replaces all values of a book.
    func update(_ stored: StoredBook) throws {
        let values = Self.values(of: stored.book)
        let changes = values.map { "\($0.0) = ?" }.joined(separator: ", ")
        try db.execute(
            sql: "UPDATE books SET \(changes) WHERE id = ?",
            arguments: StatementArguments(values.map(\.1) + [stored.id.databaseValue]))
        try writeLists(of: stored.book, id: stored.id)
    }

    /// Removes a book with its dependent rows.
    func delete(_ id: Int64) throws { try db.execute(sql: "DELETE FROM books WHERE id = ?", arguments: [id]) }

    private static func values(of book: LibraryBook) -> [(String, DatabaseValue)] {
        [
            ("filename", book.filename.databaseValue), ("uuid", book.uuid.databaseValue),
            ("uuid_key", BookUUID.canonical(book.uuid).databaseValue), ("title", book.title.databaseValue),
            ("title_sort", book.titleSort.databaseValue), ("author_sort", book.authorSort.databaseValue),
            ("series", book.series.databaseValue), ("series_index", book.seriesIndex.databaseValue),
            ("publisher", book.publisher.databaseValue), ("pub_date", book.pubDate.databaseValue),
            ("description", book.description.databaseValue), ("cover_hash", book.coverHash.databaseValue),
            ("rating", book.rating.databaseValue), ("size", book.size.databaseValue),
            ("added", book.added.timeIntervalSince1970.databaseValue),
            ("modified", book.modified.timeIntervalSince1970.databaseValue),
            ("is_locked", book.isLocked.databaseValue), ("word_count", book.wordCount.databaseValue),
            ("is_new", book.isNew.databaseValue), ("is_read", book.isRead.databaseValue),
            ("is_on_reading_list", book.isOnReadingList.databaseValue),
        ]
    }

    private func writeLists(of book: LibraryBook, id: Int64) throws {
        for (table, names) in [("authors", book.authors), ("subjects", book.subjects)] {
            try db.execute(sql: "DELETE FROM \(table) WHERE book = ?", arguments: [id])
            for (index, name) in names.enumerated() {
                try db.execute(
                    sql: "INSERT INTO \(table) (book, place, name) VALUES (?, ?, ?)", arguments: [id, index, name])
            }
        }
        try db.execute(sql: "DELETE FROM book_collections WHERE book = ?", arguments: [id])
        for (index, name) in book.collections.enumerated() {
            try db.execute(sql: "INSERT OR IGNORE INTO collections (name) VALUES (?)", arguments: [name])
            try db.execute(
                sql:
                    "INSERT INTO book_collections (book, place, collection) SELECT ?, ?, id FROM collections WHERE name = ?",
                arguments: [id, index, name])
        }
    }
}

// MARK: Covers

extension BookTable {
    /// Returns the name of the book's cover file, or `nil` if it has none.
    func cover(of id: Int64) throws -> String? {
        try String.fetchOne(db, sql: "SELECT file FROM covers WHERE book = ?", arguments: [id])
    }

    /// Sets the book's cover to `file`, or removes it. The old file becomes litter, and the new one no longer is.
    func replaceCover(of id: Int64, with file: String?) throws {
        let litter = LitterTable(db)
        if let previous = try cover(of: id) { try litter.add(LibraryFile(.covers, name: previous)) }
        try db.execute(sql: "DELETE FROM covers WHERE book = ?", arguments: [id])
        guard let file else { return }
        try db.execute(sql: "INSERT INTO covers (book, file) VALUES (?, ?)", arguments: [id, file])
        try litter.remove(LibraryFile(.covers, name: file))
    }
}
