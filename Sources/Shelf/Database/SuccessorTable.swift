import Foundation
import GRDB
import SQLiteStorage

/// The copies that took over from books that left the shelf.
///
/// A file that is moved by copying it and removing the old one later is two books for a while, and the one that stays has
/// another number. Everything that people have under the number of the one that left, such as their places, is found by
/// this table under the one that stays. Nothing is rewritten under another number, for three reasons: both copies may
/// have been read, so that there are two places, of which the newer one counts; places are in another database, which
/// no transaction covers; and the file may come back.
///
/// A number is a book on the shelf, or points to one other number at most. So no place belongs to two books: while both
/// copies are there, each has its own places; once one has left, its places belong to one remaining copy, that which came
/// last; and a number that is a book again has its own places only. What was read in the copy meanwhile stays with the
/// copy as long as that is there, and comes back with the number after that.
struct SuccessorTable {
    /// What a book that left and a remaining one have in common, the strongest evidence first: as for moves, and the path
    /// in another source, which may be the same storage under another address.
    private static let evidence = [
        ["size", "modified", "identity", "location"], ["size", "modified", "path"],
        ["size", "tag", "name", "location"], ["size", "modified", "name"], ["size", "tag", "location"],
    ]

    private let db: Database

    init(_ db: Database) { self.db = db }

    /// Finds the successors of the books that left at the time `now`, and lets what pointed to these books point to them.
    /// Comes after the books were removed, and after new files got the numbers of books that left.
    func note(departed now: Date) throws {
        for columns in Self.evidence {
            let keys = columns.joined(separator: ", ")
            let indexed = columns.filter { ["size", "modified"].contains($0) }.joined(separator: ", ")
            // One remaining book for all the evidence: many files may have the same size and time, so nothing looks at all
            // of them for each book that left.
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO successors (former, book)
                    WITH gone AS MATERIALIZED (
                        SELECT book, \(keys) FROM departed WHERE departed = ?
                    ), remaining AS MATERIALIZED (
                        SELECT \(keys), max(books.id) AS successor
                        FROM (SELECT DISTINCT \(indexed) FROM gone) CROSS JOIN files USING (\(indexed))
                            CROSS JOIN (SELECT id AS source, location FROM sources) USING (source)
                            CROSS JOIN books ON books.file = files.id
                        GROUP BY \(keys)
                    )
                    SELECT book, successor FROM gone CROSS JOIN remaining USING (\(keys))
                    """, arguments: [now.timeIntervalSince1970])
        }
        try db.execute(
            sql: """
                UPDATE successors SET book = later.book FROM successors AS later WHERE successors.book = later.former
                """)
    }

    /// Ends the succession of `book`, which is on the shelf again. If the successor has left in the meantime, it points to
    /// `book` now, and so does everything that pointed to it.
    func end(of book: Int64) throws {
        let successor = try Int64.fetchOne(db, sql: "SELECT book FROM successors WHERE former = ?", arguments: [book])
        guard let successor else { return }
        try db.execute(sql: "DELETE FROM successors WHERE former = ?", arguments: [book])
        if try Int64.fetchOne(db, sql: "SELECT id FROM books WHERE id = ?", arguments: [successor]) != nil { return }
        try db.execute(sql: "UPDATE successors SET book = ? WHERE book = ?", arguments: [book, successor])
        try db.execute(
            sql: "INSERT OR IGNORE INTO successors (former, book) VALUES (?, ?)", arguments: [successor, book])
    }

    /// Returns the successors of those of `numbers` that have one. They may have left the shelf, too.
    func successors(of numbers: [Int64]) throws -> [Int64: Int64] {
        try pairs("successors.former = wanted.value", numbers)
    }

    /// Returns the numbers whose successors are in `books`, each with its successor.
    func predecessors(of books: [Int64]) throws -> [Int64: Int64] { try pairs("successors.book = wanted.value", books) }

    private func pairs(_ condition: String, _ numbers: [Int64]) throws -> [Int64: Int64] {
        let rows = try Row.fetchAll(
            db, sql: "SELECT former, book FROM json_each(?) AS wanted CROSS JOIN successors ON \(condition)",
            arguments: [BookReader.list(numbers)])
        var pairs: [Int64: Int64] = [:]
        for row in rows {
            let values = RowValues(row)
            pairs[try values.int64(0)] = try values.int64(1)
        }
        return pairs
    }
}
