public import Foundation
import GRDB
import SQLiteStorage

/// Places in books, one for each person and book.
extension PeopleStore {
    /// The most bytes of a locator that is kept.
    package static let longestLocator = 32 << 10
    /// How far the clock of a device may be ahead of the server's, in seconds.
    private static let tolerance: TimeInterval = 300

    /// Returns the place of a person in a book; nil if they have none.
    public func place(of user: User, in book: Int64) async throws -> KeptPlace? {
        let id = user.id
        return try await database.read { db in
            let sql = "SELECT locator, progression, modified, device FROM places WHERE user = ? AND book = ?"
            return try Row.fetchOne(db, sql: sql, arguments: [id, book]).map { try Self.place(RowValues($0), from: 0) }
        }
    }

    /// Returns the places of a person in those of `books` that have one, by the books' numbers. One query.
    package func places(of user: User, in books: [Int64]) async throws -> [Int64: KeptPlace] {
        if books.isEmpty { return [:] }
        let (id, list) = (user.id, "[\(books.map(String.init).joined(separator: ","))]")
        return try await database.read { db in
            let sql = """
                SELECT book, locator, progression, modified, device
                FROM json_each(?) AS wanted CROSS JOIN places ON user = ? AND book = wanted.value
                """
            var places: [Int64: KeptPlace] = [:]
            for row in try Row.fetchAll(db, sql: sql, arguments: [list, id]) {
                let values = RowValues(row)
                places[try values.int64(0)] = try Self.place(values, from: 1)
            }
            return places
        }
    }

    /// Keeps the place of a person in a book instead of the one before, unless that is newer. Compares and writes in one
    /// transaction.
    ///
    /// - Parameter place: If its time is more than five minutes in the future, it is kept with the present time.
    public func keep(_ place: KeptPlace, of user: User, in book: Int64) async throws {
        let (id, now) = (user.id, now())
        let time = place.modified > now + Self.tolerance ? now : place.modified
        try await database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO places (user, book, locator, progression, modified, device) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (user, book) DO UPDATE SET locator = excluded.locator,
                    progression = excluded.progression, modified = excluded.modified, device = excluded.device
                    WHERE excluded.modified >= places.modified
                    """,
                arguments: [
                    id, book, place.locator, place.totalProgression, time.timeIntervalSince1970, place.device,
                ])
        }
    }

    /// Returns the places that a person had last, the latest first. Books may have left the shelf meanwhile.
    public func recent(of user: User, limit: Int) async throws -> [(book: Int64, place: KeptPlace)] {
        let id = user.id
        return try await database.read { db in
            let sql = """
                SELECT book, locator, progression, modified, device FROM places WHERE user = ?
                ORDER BY modified DESC, book LIMIT ?
                """
            return try Row.fetchAll(db, sql: sql, arguments: [id, max(0, limit)]).map { row in
                let values = RowValues(row)
                return (book: try values.int64(0), place: try Self.place(values, from: 1))
            }
        }
    }

    private static func place(_ values: RowValues, from column: Int) throws -> KeptPlace {
        KeptPlace(
            locator: try values.optionalData(column) ?? Data(),
            totalProgression: try values.optionalDouble(column + 1),
            modified: Date(timeIntervalSince1970: try values.double(column + 2)),
            device: try values.optionalText(column + 3))
    }
}
