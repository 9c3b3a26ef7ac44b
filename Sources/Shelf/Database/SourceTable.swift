import FileProviderCore
import Foundation
import GRDB
import SQLiteStorage

/// The sources of a shelf, and when the shelf last changed.
struct SourceTable {
    private let db: Database

    init(_ db: Database) { self.db = db }

    /// Returns the number of the source at `location`, which is added if it is new; sets its name.
    func id(location: String, name: String) throws -> Int64 {
        let sql = """
            INSERT INTO sources (location, name) VALUES (?, ?)
            ON CONFLICT (location) DO UPDATE SET name = excluded.name RETURNING id
            """
        guard let id = try Int64.fetchOne(db, sql: sql, arguments: [location, name]) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "a source has no number")
        }
        return id
    }

    /// Returns the states of all sources, in the order of their numbers.
    func states() throws -> [SourceState] {
        let sql = """
            SELECT id, location, name, scanned,
                (SELECT count(*) FROM files WHERE source = sources.id AND is_pending = 1),
                (SELECT count(*) FROM files JOIN books ON books.file = files.id WHERE source = sources.id AND missing = 1),
                EXISTS (SELECT 1 FROM files WHERE source = sources.id)
            FROM sources ORDER BY id
            """
        return try Row.fetchAll(db, sql: sql).map { row in
            let values = RowValues(row)
            var state = SourceState(
                id: try values.int64(0), location: try values.text(1), name: try values.text(2),
                scanned: try values.optionalDouble(3).map { Date(timeIntervalSince1970: $0) },
                pending: try values.int(4), withheld: try values.int(5))
            state.hasFiles = try values.flag(6)
            return state
        }
    }

    /// Removes the sources whose numbers aren't in `ids`, with their files and books. Files of the others may be the same
    /// ones under another address.
    /// - Returns: Whether there were such sources.
    func remove(besides ids: [Int64], now: Date) throws -> Bool {
        let removed = try states().filter { !ids.contains($0.id) }
        for state in removed {
            try DepartedTable(db, now: now).note(where: "files.source = ?", [state.id])
            try BookTable(db).remove(where: "file IN (SELECT id FROM files WHERE source = ?)", [state.id])
            try db.execute(sql: "DELETE FROM sources WHERE id = ?", arguments: [state.id])
            try noteChange(now)
        }
        if removed.isEmpty { return false }
        try DepartedTable(db, now: now).welcome()
        try SuccessorTable(db).note(departed: now)
        return true
    }

    /// Notes that a source was listed in full.
    func noteScan(of id: Int64, _ now: Date) throws {
        try db.execute(
            sql: "UPDATE sources SET scanned = ? WHERE id = ?", arguments: [now.timeIntervalSince1970, id])
    }

    /// Notes that a book was added, changed, moved or removed.
    func noteChange(_ now: Date) throws {
        try db.execute(
            sql: """
                INSERT INTO changes (id, changed) VALUES (1, ?)
                ON CONFLICT (id) DO UPDATE SET changed = max(changed, excluded.changed)
                """, arguments: [now.timeIntervalSince1970])
    }
}
