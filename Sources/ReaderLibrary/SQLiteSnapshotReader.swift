import FileProviderCore
public import Foundation
import GRDB
public import ReaderLink
import SQLiteStorage

/// Reads the snapshot of a library that ``SQLiteBookLibrary`` wrote, on the driver's side.
///
/// The file comes from a peer and is not trusted: its size is limited, it must be intact, and it must have exactly the
/// expected tables, so that nothing in it is ever executed.
public struct SQLiteSnapshotReader: LibrarySnapshotReader, Hashable {
    /// The largest file that is read, in bytes; 256 MiB. Its books are held in memory.
    public var maxFileSize: Int64 = 256 << 20
    /// The most books that are read.
    public var maxBooks = 100_000

    /// Creates a reader with the default limits.
    public init() {}

    /// Returns the books in the local snapshot `file`, without changing it.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if the file is damaged or not a snapshot;
    ///   `CocoaError(.fileReadUnknown)` if it is of a newer version; `CocoaError(.fileReadTooLarge)` over a limit;
    ///   `CocoaError(.fileReadNoSuchFile)`.
    /// - Complexity: Reads the file twice; four statements for any number of books.
    public func books(in file: URL) async throws -> [LibraryBook] {
        let (largest, limit) = (maxFileSize, maxBooks)
        do {
            return try await BlockingThreads.shared.run {
                try ForeignDatabase.read(file, kind: LibrarySchema.snapshot, limit: largest) { db in
                    try Self.check(db, file, limit: limit)
                    return try BookTable(db).books().map { try Self.proven($0.book) }
                }
            }
        } catch let problem as DatabaseProblem {
            throw Self.error(problem, file)
        } catch let error as DatabaseError {
            throw error.isDamage
                ? Self.error(DatabaseProblem(.damaged, detail: error.message ?? "SQLite cannot read it"), file)
                : error.fileError(path: file.path)
        }
    }

    /// Checks numbers and lengths before anything is loaded into memory.
    private static func check(_ db: Database, _ file: URL, limit: Int) throws {
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM books") ?? 0
        if count > limit {
            let sentence = "“\(file.lastPathComponent)” has \(count) books; the limit is \(limit)."
            throw FileError.make(.fileReadTooLarge, path: file.path, sentence: sentence)
        }
        let lines = [
            "filename", "uuid", "title", "title_sort", "author_sort", "series", "publisher", "pub_date", "cover_hash",
        ]
        let tooLong = lines.map { "length(CAST(\($0) AS BLOB)) > \(BookText.maxLineLength)" }.joined(separator: " OR ")
        let rows = [
            "SELECT 1 FROM books WHERE \(tooLong) OR length(CAST(description AS BLOB)) > \(BookText.maxDescriptionLength)",
            "SELECT 1 FROM authors WHERE place >= \(BookText.maxListLength) OR length(CAST(name AS BLOB)) > \(BookText.maxLineLength)",
            "SELECT 1 FROM subjects WHERE place >= \(BookText.maxListLength) OR length(CAST(name AS BLOB)) > \(BookText.maxLineLength)",
            "SELECT 1 FROM collections WHERE length(CAST(name AS BLOB)) > \(BookText.maxLineLength)",
            "SELECT 1 FROM book_collections WHERE place >= \(BookText.maxListLength)",
        ]
        for sql in rows where try Int.fetchOne(db, sql: sql + " LIMIT 1") != nil {
            throw DatabaseProblem(.damaged, detail: "a value in it is too long")
        }
    }

    /// Returns the book after checking its file name and its numbers.
    private static func proven(_ book: LibraryBook) throws -> LibraryBook {
        do { _ = try StagedName.bookPath(book.filename, below: .root) } catch {
            throw DatabaseProblem(.damaged, detail: "a file name in it is not allowed")
        }
        guard book.size >= 0, (book.wordCount ?? 0) >= 0 else {
            throw DatabaseProblem(.damaged, detail: "a number in it is negative")
        }
        return book
    }

    private static func error(_ problem: DatabaseProblem, _ file: URL) -> CocoaError {
        let name = file.lastPathComponent
        switch problem.kind {
        case .damaged, .foreign:
            let sentence = "The application's library “\(name)” cannot be read: \(problem.detail)."
            return FileError.make(.fileReadCorruptFile, path: file.path, sentence: sentence)
        case .newer:
            let sentence = "The application's library “\(name)” is of a newer version than this program supports."
            return FileError.make(.fileReadUnknown, path: file.path, sentence: sentence)
        }
    }
}
