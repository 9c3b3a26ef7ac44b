import FileProviderCore
import Foundation
import GRDB
import Publication
import SQLiteStorage

/// Stores what was read from files.
struct BookWriter {
    /// A pending file, and the book that it has or had.
    private struct Target {
        var source: Int64
        var path: ProviderPath
        var version: ListedVersion
        var isPending: Bool
        var problem: String?
        var book: Int64?
        var added: Date?
        var formerBook: Int64?
        var formerAdded: Date?
    }

    private let db: Database
    private let now: Date
    private var folding = FoldedKey()

    init(_ db: Database, now: Date) {
        self.db = db
        self.now = now
    }

    /// Stores a result, if the file still has the version that was read.
    mutating func store(_ read: ReadFile) throws -> StoredChange {
        guard let target = try target(read.file), target.isPending, target.version == read.version else {
            return .outdated(file: read.file)
        }
        switch read.outcome {
        case .book(let record): return try store(record, file: read.file, target)
        case .refused(let sentence): return try refuse(read.file, BookText.clean(sentence), target)
        case .postponed(let sentence):
            let sentence = BookText.clean(sentence)
            try execute("UPDATE files SET problem = ? WHERE id = ?", [sentence, read.file])
            return .postponed(path: target.path, sentence: sentence, isNews: sentence != target.problem)
        }
    }

    private func target(_ file: Int64) throws -> Target? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT source, path, size, modified, tag, is_pending, problem, books.id, added, former_book, former_added
                FROM files LEFT JOIN books ON books.file = files.id WHERE files.id = ?
                """)
        guard let row = try Row.fetchOne(statement, arguments: [file]) else { return nil }
        let values = RowValues(row)
        return Target(
            source: try values.int64(0), path: try values.path(1), version: try values.version(2),
            isPending: try values.flag(5), problem: try values.optionalText(6), book: try values.optionalInt64(7),
            added: try values.optionalDate(8), formerBook: try values.optionalInt64(9),
            formerAdded: try values.optionalDate(10))
    }

    private mutating func store(_ record: BookRecord, file: Int64, _ target: Target) throws -> StoredChange {
        let table = BookTable(db)
        let row = BookRow(record, path: target.path, folding: &folding)
        let id: Int64
        if let known = target.book {
            try table.update(row, id: known, now: now)
            id = known
        } else {
            id = try table.insert(
                row, file: file, id: target.formerBook, added: target.formerAdded ?? now, now: now)
            if target.formerBook != nil { try SuccessorTable(db).end(of: id) }
        }
        try execute(
            "UPDATE files SET is_pending = 0, problem = NULL, former_book = NULL, former_added = NULL WHERE id = ?",
            [file])
        try SourceTable(db).noteChange(now)
        guard let book = try BookReader(db).books([id]).first else { return .outdated(file: file) }
        return target.book == nil ? .added(book) : .changed(book)
    }

    private func refuse(_ file: Int64, _ sentence: String, _ target: Target) throws -> StoredChange {
        if let book = target.book {
            try BookTable(db).remove(book)
            try SourceTable(db).noteChange(now)
        }
        try execute(
            """
            UPDATE files SET is_pending = 0, problem = ?, former_book = ?, former_added = ?, missing = 0 WHERE id = ?
            """,
            [
                sentence, target.book ?? target.formerBook,
                (target.added ?? target.formerAdded)?.timeIntervalSince1970, file,
            ])
        let refused = RefusedFile(source: target.source, path: target.path, sentence: sentence)
        return .refused(refused, book: target.book)
    }

    private func execute(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

extension RowValues {
    func optionalDate(_ column: Int) throws -> Date? {
        try optionalDouble(column).map { Date(timeIntervalSince1970: $0) }
    }
}
