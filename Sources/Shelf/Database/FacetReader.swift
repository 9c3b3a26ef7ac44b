import FileProviderCore
import Foundation
import GRDB
import Publication
import SQLiteStorage

/// Counts books by what they have in common.
struct FacetReader {
    private let db: Database

    init(_ db: Database) { self.db = db }

    /// Returns the values of a facet among the books that match `query`, in the order of their names.
    func values(of facet: ShelfFacet, in query: ShelfQuery, limit: Int, offset: Int) throws -> [FacetValue] {
        guard let kind = facet.kind else { return try folders(in: query, limit: limit, offset: offset) }
        let page: StatementArguments = [max(0, limit), max(0, offset)]
        let selection = BookSelection(query)
        if selection.sql == "books" {
            return try values(
                """
                SELECT key, name, (SELECT count(*) FROM book_names WHERE book_names.name = names.id)
                FROM names WHERE kind = \(kind.rawValue) ORDER BY sort_key, id LIMIT ? OFFSET ?
                """, page)
        }
        return try values(
            """
            WITH counted AS MATERIALIZED (
                SELECT book_names.name AS id, count(*) AS books FROM (SELECT books.id FROM \(selection.sql)) AS chosen
                CROSS JOIN book_names ON book = chosen.id AND kind = \(kind.rawValue) GROUP BY book_names.name
            )
            SELECT key, name, books FROM counted CROSS JOIN names USING (id) ORDER BY sort_key, id LIMIT ? OFFSET ?
            """, selection.arguments + page)
    }

    /// Returns the first values of several facets among the books that match `query`, in the order of their names.
    /// - Complexity: The books are looked for once.
    func values(of facets: [ShelfFacet], in query: ShelfQuery, limit: Int) throws -> [ShelfFacet: [FacetValue]] {
        let selection = BookSelection(query)
        let kinds = Dictionary(facets.compactMap { facet in facet.kind.map { ($0, facet) } }) { first, _ in first }
        if selection.sql == "books" || kinds.count < facets.count {
            return try facets.reduce(into: [:]) { found, facet in
                found[facet] = try values(of: facet, in: query, limit: limit, offset: 0)
            }
        }
        let list = kinds.keys.map { String($0.rawValue) }.sorted().joined(separator: ", ")
        let sql = """
            WITH counted AS MATERIALIZED (
                SELECT book_names.name AS id, count(*) AS books FROM (SELECT books.id FROM \(selection.sql)) AS chosen
                CROSS JOIN book_names ON book = chosen.id AND kind IN (\(list)) GROUP BY book_names.name
            ), placed AS (
                SELECT key, name, books, kind, row_number() OVER (PARTITION BY kind ORDER BY sort_key, id) AS place
                FROM counted CROSS JOIN names USING (id)
            )
            SELECT key, name, books, kind FROM placed WHERE place <= ? ORDER BY kind, place
            """
        var found: [ShelfFacet: [FacetValue]] = [:]
        for row in try Row.fetchAll(db, sql: sql, arguments: selection.arguments + [max(0, limit)]) {
            let values = RowValues(row)
            guard let facet = NameKind(rawValue: try values.int64(3)).flatMap({ kinds[$0] }) else { continue }
            found[facet, default: []].append(try Self.value(values))
        }
        return found
    }

    private func values(_ sql: String, _ arguments: StatementArguments) throws -> [FacetValue] {
        try Row.fetchAll(db, sql: sql, arguments: arguments).map { try Self.value(RowValues($0)) }
    }

    private static func value(_ values: RowValues) throws -> FacetValue {
        FacetValue(key: try values.text(0), name: try values.text(1), count: try values.int(2))
    }

    /// Returns the folders directly in the question's folder that have books, with the books below them.
    private func folders(in query: ShelfQuery, limit: Int, offset: Int) throws -> [FacetValue] {
        let folder = query.folder ?? .root
        let start = folder.isRoot ? 0 : folder.bytes.count + 1
        let selection = BookSelection(query)
        let sql = """
            WITH paths AS (
                SELECT substr(path, ?) AS rest FROM files
                WHERE id IN (SELECT books.file FROM \(selection.sql))
            )
            SELECT substr(rest, 1, instr(rest, X'2F') - 1) AS name, count(*) FROM paths
            WHERE instr(rest, X'2F') > 0 GROUP BY name ORDER BY name LIMIT ? OFFSET ?
            """
        let arguments: StatementArguments = [start + 1] + selection.arguments + [max(0, limit), max(0, offset)]
        return try Row.fetchAll(db, sql: sql, arguments: arguments).map { row in
            let values = RowValues(row)
            let path = try folder.appending(nameBytes: Array(try values.data(0)))
            return FacetValue(key: path.string, name: path.name, count: try values.int(1))
        }
    }

    /// Returns the numbers of what is on the shelf.
    func counts() throws -> ShelfCounts {
        var counts = ShelfCounts()
        counts.books = try count("books")
        counts.refused = try count("files WHERE is_pending = 0 AND problem IS NOT NULL")
        counts.pending = try count("files WHERE is_pending = 1")
        counts.authors = try count(.author)
        counts.series = try count(.series)
        counts.languages = try count(.language)
        counts.subjects = try count(.subject)
        counts.collections = try count(.collection)
        counts.changed = try changed()
        return counts
    }

    /// Returns when a book was last added, changed, moved or removed.
    func changed() throws -> Date? {
        try Double.fetchOne(db, sql: "SELECT changed FROM changes").map { Date(timeIntervalSince1970: $0) }
    }

    private func count(_ kind: NameKind) throws -> Int { try count("names WHERE kind = \(kind.rawValue)") }

    private func count(_ rows: String) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM \(rows)") ?? 0
    }
}

extension ShelfFacet {
    /// The kind of its names; `nil` for folders.
    fileprivate var kind: NameKind? {
        switch self {
        case .authors: .author
        case .series: .series
        case .languages: .language
        case .subjects: .subject
        case .collections: .collection
        case .mediaTypes: .mediaType
        case .folders: nil
        }
    }
}
