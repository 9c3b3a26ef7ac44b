import Foundation
import GRDB
import ReaderLink
import SQLiteStorage

/// The tables of ``SQLiteFolderCache``.
struct FolderCacheTable {
    static let kind = DatabaseKind(
        applicationID: 0x4352_4C43, version: 1,
        statements: [
            "CREATE TABLE cache (id INTEGER PRIMARY KEY CHECK (id = 1), generation INTEGER NOT NULL) STRICT",
            """
            CREATE TABLE files (
                path TEXT PRIMARY KEY, size INTEGER NOT NULL, modified INTEGER, entry_tag TEXT, digest TEXT, format TEXT NOT NULL,
                title TEXT NOT NULL, title_sort TEXT NOT NULL, authors TEXT NOT NULL, author_sort TEXT NOT NULL, added INTEGER NOT NULL,
                uuid TEXT NOT NULL, thumbnail BLOB, edited INTEGER NOT NULL, problem TEXT
            ) STRICT
            """,
        ])

    private let db: Database

    init(_ db: Database) { self.db = db }

    /// Returns all contents.
    /// - Complexity: Two statements.
    func contents() throws -> FolderCacheContents {
        let generation = try Int64.fetchOne(db, sql: "SELECT generation FROM cache") ?? 0
        let sql = """
            SELECT path, size, modified, entry_tag, digest, format, title, title_sort, authors, author_sort, added, uuid, thumbnail, edited, \
            problem FROM files ORDER BY path
            """
        let rows = try Row.fetchCursor(db, sql: sql)
        let decoder = JSONDecoder()
        var entries: [FolderCacheEntry] = []
        while let row = try rows.next() { entries.append(try Self.entry(RowValues(row), decoder)) }
        return FolderCacheContents(generation: generation, entries: entries)
    }

    private static func entry(_ values: RowValues, _ decoder: JSONDecoder) throws -> FolderCacheEntry {
        var entry = FolderCacheEntry(
            path: try values.text(0), size: try values.int64(1), format: try values.text(5), title: try values.text(6),
            added: date(try values.int64(10)))
        entry.modified = try values.optionalInt64(2).map(date)
        entry.entryTag = try values.optionalText(3)
        entry.digest = try values.optionalText(4)
        entry.titleSort = try values.text(7)
        do { entry.authors = try decoder.decode([String].self, from: Data(try values.text(8).utf8)) } catch {
            throw DatabaseProblem(.damaged, detail: "a list of authors in it is malformed")
        }
        entry.authorSort = try values.text(9)
        entry.uuid = try values.text(11)
        entry.thumbnail = try values.optionalData(12)
        entry.edited = FolderCacheEntry.Fields(rawValue: try values.int(13))
        entry.problem = try values.optionalText(14)
        guard entry.size >= 0, !entry.path.isEmpty else {
            throw DatabaseProblem(.damaged, detail: "a file in it has no size or no name")
        }
        return entry
    }

    /// Replaces all contents.
    func write(_ contents: FolderCacheContents) throws {
        try db.execute(sql: "DELETE FROM files")
        try db.execute(
            sql: "INSERT OR REPLACE INTO cache (id, generation) VALUES (1, ?)", arguments: [contents.generation])
        let insertion = try db.makeStatement(
            sql: """
                INSERT INTO files (path, size, modified, entry_tag, digest, format, title, title_sort, authors, author_sort, added, uuid, \
                thumbnail, edited, problem) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        let encoder = JSONEncoder()
        for entry in contents.entries {
            let authors = String(decoding: try encoder.encode(entry.authors), as: UTF8.self)
            try insertion.execute(arguments: [
                entry.path, entry.size, entry.modified.map(Self.milliseconds), entry.entryTag, entry.digest,
                entry.format, entry.title,
                entry.titleSort, authors, entry.authorSort, Self.milliseconds(entry.added), entry.uuid, entry.thumbnail,
                entry.edited.rawValue, entry.problem,
            ])
        }
    }

    private static func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// Clamps dates that are out of range.
    private static func milliseconds(_ date: Date) -> Int64 {
        let limit = 253_402_300_800.0
        return Int64((min(limit, max(-limit, date.timeIntervalSince1970)) * 1000).rounded())
    }
}
