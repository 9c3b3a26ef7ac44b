import FileProviderCore
import Foundation
import GRDB
import SQLiteStorage

/// Compares a listing with the known files of a source. Everything runs in SQL, so memory doesn't grow with the number
/// of files.
struct ListingComparison {
    private let db: Database
    private let source: Int64
    private let now: Date
    /// The files of the listing, to be used as `listed`.
    private let listed: String

    init(_ db: Database, source: Int64, now: Date) {
        self.db = db
        self.source = source
        self.now = now
        listed = "temp.\(Listing.table(of: source)) AS listed"
    }

    func run(scope: ComparisonScope, unlisted: [ProviderPath], isCautious: Bool) throws -> Comparison {
        var result = Comparison()
        try prepare()
        try relate(scope: scope, unlisted: unlisted)
        result.listed = try count("SELECT count(*) FROM \(listed)")
        try findMoves()
        result.unchanged = try count("SELECT count(*) FROM temp.known WHERE relation IN (1, 3)")
        try storeMoves(&result)
        try storeVersions()
        try storeNewFiles()
        let departed = try storeMissing(&result, scope: scope, isCautious: isCautious)
        try DepartedTable(db, now: now).welcome(in: departed > 0 ? nil : source)
        if result.removedCount > 0 { try SuccessorTable(db).note(departed: now) }
        result.pending = try count("SELECT count(*) FROM files WHERE source = ? AND is_pending = 1", [source])
        result.withheld = try count(
            "SELECT count(*) FROM files JOIN books ON books.file = files.id WHERE source = ? AND missing = 1", [source])
        if scope == .all, unlisted.isEmpty {
            try SourceTable(db).noteScan(of: source, now)
            try DepartedTable(db, now: now).forget()
        }
        if result.movedCount + result.removedCount > 0 { try SourceTable(db).noteChange(now) }
        for table in [Listing.table(of: source), "known", "moves", "places"] {
            try db.execute(sql: "DELETE FROM temp.\(table)")
        }
        return result
    }

    private func count(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
        try Int.fetchOne(db, sql: sql, arguments: arguments) ?? 0
    }
}

// MARK: Relating

extension ListingComparison {
    private func prepare() throws {
        try Listing(db, source: source).create()
        for table in [
            // How a known file relates to the listing: 0 missing, 1 proven to be unchanged, 2 listed with another version
            // or without a proof, 3 moved, 4 missing and kept.
            "known (id INTEGER PRIMARY KEY, relation INTEGER NOT NULL)",
            "moves (id INTEGER PRIMARY KEY, path BLOB NOT NULL)",
            // A folder, and the ends of the range of the paths below it.
            "places (path BLOB NOT NULL, first BLOB NOT NULL, last BLOB NOT NULL)",
        ] {
            try db.execute(sql: "CREATE TEMPORARY TABLE IF NOT EXISTS \(table)")
        }
        for table in ["known", "moves", "places"] { try db.execute(sql: "DELETE FROM temp.\(table)") }
    }

    /// Fills `known`, and `listed.file` of the known paths.
    private func relate(scope: ComparisonScope, unlisted: [ProviderPath]) throws {
        let relation = """
            CASE WHEN listed.path IS NULL THEN 0 WHEN \(Self.isProof) THEN 1 ELSE 2 END
            """
        let join = "LEFT JOIN \(listed) ON listed.path = files.path"
        switch scope {
        case .all:
            try db.execute(
                sql: "INSERT INTO temp.known SELECT files.id, \(relation) FROM files \(join) WHERE source = ?",
                arguments: [source])
        case .below(let paths):
            try setPlaces(paths)
            for condition in Self.inPlaces {
                try db.execute(
                    sql: """
                        INSERT OR IGNORE INTO temp.known SELECT files.id, \(relation)
                        FROM temp.places CROSS JOIN files ON source = ? AND \(condition) \(join)
                        """, arguments: [source])
            }
            // Whatever was listed besides.
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO temp.known SELECT files.id, \(relation)
                    FROM \(listed) CROSS JOIN files ON source = ? AND files.path = listed.path
                    """, arguments: [source])
        }
        try setPlaces(unlisted)
        for condition in Self.inPlaces {
            try db.execute(
                sql: """
                    DELETE FROM temp.known WHERE relation = 0 AND id IN (
                        SELECT files.id FROM temp.places CROSS JOIN files ON source = ? AND \(condition))
                    """, arguments: [source])
        }
        try db.execute(
            sql: """
                UPDATE \(listed) SET file = files.id FROM files
                WHERE files.source = ? AND files.path = listed.path
                """, arguments: [source])
    }

    /// Equal tags prove that a file is unchanged; without them, equal times do.
    private static let isProof = """
        files.size IS listed.size AND CASE WHEN files.tag IS NULL OR listed.tag IS NULL
            THEN files.modified = listed.modified ELSE files.tag = listed.tag END
        """

    private static let inPlaces = [
        "files.path = places.path", "files.path > places.first AND files.path < places.last",
    ]

    private func setPlaces(_ paths: [ProviderPath]) throws {
        try db.execute(sql: "DELETE FROM temp.places")
        let statement = try db.cachedStatement(sql: "INSERT INTO temp.places (path, first, last) VALUES (?, ?, ?)")
        for path in paths {
            let range = path.rangeBelow
            try statement.execute(arguments: [path.data, range.first, range.last])
        }
    }
}

extension ProviderPath {
    /// Values between which all paths below this folder are, and no others: `0` follows the slash in ASCII. No path
    /// begins with so many bytes 0xFF, which aren't UTF-8.
    var rangeBelow: (first: Data, last: Data) {
        if isRoot { return (data, Data(repeating: 0xFF, count: 1024)) }
        return (Data(bytes + [UInt8(ascii: "/")]), Data(bytes + [UInt8(ascii: "0")]))
    }
}

// MARK: Moves

extension ListingComparison {
    /// What a missing file and a file at a new path must have in common, the strongest evidence first. If several have
    /// it, the first path goes with the first one.
    private static let evidence = [
        ["identity", "size", "modified"], ["tag", "size", "name"], ["modified", "size", "name"], ["tag", "size"],
    ]

    private func findMoves() throws {
        for columns in Self.evidence {
            let isMissing = "EXISTS (SELECT 1 FROM temp.known WHERE relation = 0)"
            let isNew = "EXISTS (SELECT 1 FROM \(listed) WHERE file IS NULL)"
            guard try count("SELECT \(isMissing) AND \(isNew)") == 1 else { return }
            let keys = columns.joined(separator: ", ")
            let isComplete = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
            try db.execute(
                sql: """
                    INSERT INTO temp.moves (id, path)
                    WITH missing AS (
                        SELECT files.id, \(keys), row_number() OVER (PARTITION BY \(keys) ORDER BY path) AS place
                        FROM temp.known JOIN files ON files.id = known.id WHERE relation = 0 AND \(isComplete)
                    ), new AS (
                        SELECT path, \(keys), row_number() OVER (PARTITION BY \(keys) ORDER BY path) AS place
                        FROM \(listed) WHERE file IS NULL AND \(isComplete)
                    )
                    SELECT missing.id, new.path FROM missing JOIN new USING (\(keys), place)
                    """)
            try db.execute(
                sql: "UPDATE temp.known SET relation = 3 WHERE relation = 0 AND id IN (SELECT id FROM temp.moves)")
            try db.execute(
                sql: """
                    UPDATE \(listed) SET file = moves.id FROM temp.moves
                    WHERE listed.path = moves.path AND listed.file IS NULL
                    """)
        }
    }

    private func storeMoves(_ result: inout Comparison) throws {
        let books = "FROM temp.moves JOIN files ON files.id = moves.id JOIN books ON books.file = files.id"
        result.movedCount = try count("SELECT count(*) \(books)")
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT books.id, files.path, moves.path \(books) ORDER BY files.path LIMIT \(Comparison.maxEntries)
                """)
        while let row = try rows.next() {
            let values = RowValues(row)
            result.moved.append(
                Comparison.MovedBook(id: try values.int64(0), from: try values.path(1), path: try values.path(2)))
        }
        // A name is a hint at the format, and may stand for a missing title.
        try db.execute(
            sql: """
                UPDATE files SET is_pending = 1, problem = NULL FROM temp.moves JOIN \(listed) USING (path)
                WHERE files.id = moves.id AND is_pending = 0 AND files.name <> listed.name AND (
                    problem IS NOT NULL
                    OR EXISTS (SELECT 1 FROM books WHERE books.file = files.id AND is_named_after_file = 1))
                """)
        try db.execute(
            sql: """
                UPDATE files SET path = listed.path, name = listed.name
                FROM temp.moves JOIN \(listed) USING (path) WHERE files.id = moves.id
                """)
    }
}

// MARK: Storing

extension ListingComparison {
    private func storeVersions() throws {
        try db.execute(
            sql: """
                UPDATE files SET size = listed.size, modified = listed.modified, tag = listed.tag,
                    identity = listed.identity, missing = 0
                FROM \(listed) JOIN temp.known ON known.id = listed.file
                WHERE files.id = known.id AND relation IN (1, 3) AND (
                    missing <> 0 OR files.size IS NOT listed.size OR files.modified IS NOT listed.modified
                    OR files.tag IS NOT listed.tag OR files.identity IS NOT listed.identity)
                """)
        try db.execute(
            sql: """
                UPDATE files SET size = listed.size, modified = listed.modified, tag = listed.tag,
                    identity = listed.identity, missing = 0, is_pending = 1,
                    problem = CASE WHEN is_pending = 1 THEN problem END
                FROM \(listed) JOIN temp.known ON known.id = listed.file
                WHERE files.id = known.id AND relation = 2
                """)
    }

    private func storeNewFiles() throws {
        try db.execute(
            sql: """
                INSERT INTO files (source, path, name, size, modified, tag, identity, is_pending, missing)
                SELECT ?, path, name, size, modified, tag, identity, 1, 0 FROM \(listed) WHERE file IS NULL
                ORDER BY path
                """, arguments: [source])
    }

    /// Removes the missing files, or marks them if there are too many of them.
    /// - Returns: The number of departed books.
    private func storeMissing(_ result: inout Comparison, scope: ComparisonScope, isCautious: Bool) throws -> Int {
        let missing = try count("SELECT count(*) FROM temp.known JOIN books ON file = known.id WHERE relation = 0")
        let books = "SELECT count(*) FROM files JOIN books ON books.file = files.id WHERE source = ?"
        if isCautious, missing > 0, try missing * 2 > count(books, [source]) {
            // Those that are marked already are missing in a second scan. Events about parts prove less.
            let isFirst = scope == .all ? "id IN (SELECT id FROM files WHERE missing = 0)" : "TRUE"
            try db.execute(sql: "UPDATE temp.known SET relation = 4 WHERE relation = 0 AND \(isFirst)")
            try db.execute(
                sql: "UPDATE files SET missing = 1 WHERE id IN (SELECT id FROM temp.known WHERE relation = 4)")
        }
        return try remove(&result)
    }

    private func remove(_ result: inout Comparison) throws -> Int {
        let books = "FROM temp.known JOIN files USING (id) JOIN books ON books.file = files.id WHERE relation = 0"
        result.removedCount = try count("SELECT count(*) \(books)")
        let rows = try Row.fetchCursor(
            db, sql: "SELECT books.id, path \(books) ORDER BY path LIMIT \(Comparison.maxEntries)")
        while let row = try rows.next() {
            let values = RowValues(row)
            result.removed.append(Comparison.RemovedBook(id: try values.int64(0), path: try values.path(1)))
        }
        let departed = try DepartedTable(db, now: now).note(
            where: "files.id IN (SELECT id FROM temp.known WHERE relation = 0)")
        if result.removedCount > 0 {
            try BookTable(db).remove(where: "file IN (SELECT id FROM temp.known WHERE relation = 0)")
        }
        try db.execute(sql: "DELETE FROM files WHERE id IN (SELECT id FROM temp.known WHERE relation = 0)")
        return departed
    }
}
