import FileProviderCore
import GRDB
import Publication

/// The tables and conditions of a question for books. The table that the strictest condition is about comes first, so
/// SQLite never looks at every book unless all are meant.
struct BookSelection {
    /// The terms between `FROM` and `ORDER BY`.
    let sql: String
    let arguments: StatementArguments
    /// The terms after `FROM` that count the books, with the same arguments.
    let countedSQL: String

    init(_ query: ShelfQuery) {
        var (tables, conditions): ([String], [String]) = ([], [])
        var (first, rest): (StatementArguments, StatementArguments) = ([], [])
        if let text = query.text, !text.allSatisfy(\.isWhitespace) {
            tables.append("search")
            if let condition = SearchText.condition(text) {
                conditions.append("search MATCH ?")
                rest += [condition]
            } else {
                conditions.append("FALSE")
            }
        }
        if let ids = query.ids {
            let list = BookReader.list(ids)
            if tables.isEmpty {
                tables.append("(SELECT DISTINCT value AS book FROM json_each(?)) AS wanted")
                first += [list]
            } else {
                conditions.append("books.id IN (SELECT value FROM json_each(?))")
                rest += [list]
            }
        }
        for (kind, key) in Self.names(query) {
            let name = "(SELECT id FROM names WHERE kind = \(kind.rawValue) AND key = ?)"
            if tables.isEmpty {
                tables.append("book_names AS wanted")
                conditions.append("wanted.name = \(name)")
            } else {
                conditions.append("EXISTS (SELECT 1 FROM book_names WHERE name = \(name) AND book = books.id)")
            }
            rest += [key]
        }
        let place = Self.place(query)
        if let place {
            conditions.append(place.condition)
            rest += place.arguments
        }
        switch tables.first {
        case nil where place != nil: tables = ["files", "books ON books.file = files.id"]
        case nil: tables = ["books"]
        case "search"?: tables.append("books ON books.id = search.rowid")
        default: tables.append("books ON books.id = wanted.book")
        }
        if place != nil, tables.first != "files" { tables.append("files ON files.id = books.file") }
        // If words are the only condition, the search table alone has the number.
        let counted = tables.first == "search" && conditions.count == 1 ? ["search"] : tables
        let condition = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
        sql = tables.joined(separator: " CROSS JOIN ") + condition
        countedSQL = counted.joined(separator: " CROSS JOIN ") + condition
        arguments = first + rest
    }

    private static func names(_ query: ShelfQuery) -> [(NameKind, String)] {
        let keys: [(NameKind, String?)] = [
            (.series, query.series), (.author, query.author), (.collection, query.collection),
            (.subject, query.subject), (.language, query.language), (.mediaType, query.mediaType),
        ]
        return keys.compactMap { kind, key in key.map { (kind, $0) } }
    }

    private static func place(_ query: ShelfQuery) -> (condition: String, arguments: StatementArguments)? {
        var (conditions, arguments): ([String], StatementArguments) = ([], [])
        if let source = query.source {
            conditions.append("files.source = ?")
            arguments += [source]
        }
        if let folder = query.folder, !folder.isRoot {
            let range = folder.rangeBelow
            // The index on paths begins with the source.
            if query.source == nil { conditions.append("files.source IN (SELECT id FROM sources)") }
            conditions.append("files.path > ? AND files.path < ?")
            arguments += [range.first, range.last]
        }
        return conditions.isEmpty ? nil : (conditions.joined(separator: " AND "), arguments)
    }

    /// Returns the terms of `ORDER BY`.
    static func order(of query: ShelfQuery) -> String {
        let columns =
            switch query.sort {
            case .added: ["added"]
            case .title: ["title_key"]
            case .author: ["author_key", "title_key"]
            case .series: ["series_key", "series_position", "title_key"]
            case .changed: ["changed"]
            case .relevance: hasWords(query) ? [relevance, "title_key"] : ["title_key"]
            }
        // Each order is that of an index, or its reverse.
        return (columns + ["books.id"]).map { query.isDescending ? "\($0) DESC" : $0 }.joined(separator: ", ")
    }

    private static func hasWords(_ query: ShelfQuery) -> Bool { query.text.flatMap(SearchText.condition) != nil }

    private static let relevance =
        "bm25(search, \(ShelfSchema.searchColumns.map { String($0.1) }.joined(separator: ", ")))"
}
