import FileProviderCore
import Foundation
import GRDB
import SQLiteStorage

/// The files of the sources, whatever is in them.
struct FileTable {
    private let db: Database

    init(_ db: Database) { self.db = db }

    /// Returns pending files in the order of their paths, those that come after `path`.
    func pending(source: Int64, after path: ProviderPath?, limit: Int) throws -> [PendingFile] {
        let sql = """
            SELECT id, path, size, modified, tag, problem FROM files
            WHERE source = ? AND is_pending = 1 AND path > ? ORDER BY path LIMIT ?
            """
        let arguments: StatementArguments = [source, (path ?? .root).data, max(0, limit)]
        return try Row.fetchAll(db, sql: sql, arguments: arguments).map { row in
            let values = RowValues(row)
            return PendingFile(
                id: try values.int64(0), path: try values.path(1), version: try values.version(2),
                sentence: try values.optionalText(5))
        }
    }

    /// Makes the file at `path` pending if it is known.
    func reread(source: Int64, path: ProviderPath) throws {
        try db.execute(
            sql: """
                UPDATE files SET is_pending = 1, problem = NULL WHERE source = ? AND path = ? AND is_pending = 0
                """, arguments: [source, path.data])
    }

    /// Returns files that aren't shown as books.
    func refused(source: Int64?, limit: Int, offset: Int) throws -> [RefusedFile] {
        let sql = """
            SELECT source, path, problem FROM files INDEXED BY files_refused
            WHERE is_pending = 0 AND problem IS NOT NULL AND (? IS NULL OR source = ?)
            ORDER BY source, path LIMIT ? OFFSET ?
            """
        let arguments: StatementArguments = [source, source, max(0, limit), max(0, offset)]
        return try Row.fetchAll(db, sql: sql, arguments: arguments).map { row in
            let values = RowValues(row)
            return RefusedFile(
                source: try values.int64(0), path: try values.path(1), sentence: try values.text(2))
        }
    }

    /// Stores what was found out about a book's cover.
    /// - Returns: Whether the book is there and its file has this version.
    func setCover(of id: Int64, tag: String?, ifFileIs version: ListedVersion) throws -> Bool {
        let state: ShelfBook.CoverState = tag == nil ? .none : .known
        try db.execute(
            sql: """
                UPDATE books SET cover = ?, cover_tag = ? WHERE id = ? AND file IN (
                    SELECT id FROM files WHERE size IS ? AND modified IS ? AND tag IS ?
                        AND id = (SELECT file FROM books WHERE id = ?))
                """,
            arguments: [state.rawValue, tag, id, version.size, version.modified, version.tag, id])
        return db.changesCount > 0
    }
}

extension ProviderPath {
    /// The path as the database keeps it. The root, which is no file's path, comes before all others: GRDB binds data
    /// without bytes as NULL, and no path has NUL in it.
    var data: Data { isRoot ? Data([0]) : Data(bytes) }
}

extension RowValues {
    func data(_ column: Int) throws -> Data {
        guard let data = try optionalData(column) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a path is missing")
        }
        return data
    }

    func path(_ column: Int) throws -> ProviderPath { try ProviderPath(bytes: data(column)) }

    func date(_ column: Int) throws -> Date { Date(timeIntervalSince1970: try double(column)) }

    /// The version whose size, time and tag begin at `column`.
    func version(_ column: Int) throws -> ListedVersion {
        ListedVersion(
            size: try optionalInt64(column), modified: try optionalDouble(column + 1),
            tag: try optionalText(column + 2))
    }
}
