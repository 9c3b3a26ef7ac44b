import GRDB

/// The collections themselves, without the books in them.
struct CollectionTable {
    private let db: Database

    init(_ db: Database) { self.db = db }

    /// Removes empty collections.
    func removeEmpty() throws {
        try db.execute(sql: "DELETE FROM collections WHERE id NOT IN (SELECT collection FROM book_collections)")
    }

    /// Removes a collection; its books stay in the library.
    /// - Returns: Whether there was one.
    func remove(_ name: String) throws -> Bool {
        try db.execute(sql: "DELETE FROM collections WHERE name = ?", arguments: [name])
        return db.changesCount > 0
    }

    /// Renames a collection. If the new name exists, its books are moved into that collection.
    /// - Returns: Whether there was a collection with the old name.
    func rename(_ name: String, to newName: String) throws -> Bool {
        guard let previous = try id(name) else { return false }
        guard let new = try id(newName), new != previous else {
            try db.execute(sql: "UPDATE collections SET name = ? WHERE id = ?", arguments: [newName, previous])
            return true
        }
        try db.execute(
            sql: """
                DELETE FROM book_collections WHERE collection = ? AND book IN (SELECT book FROM book_collections WHERE collection = ?)
                """, arguments: [previous, new])
        try db.execute(
            sql: "UPDATE book_collections SET collection = ? WHERE collection = ?", arguments: [new, previous])
        return try remove(name)
    }

    private func id(_ name: String) throws -> Int64? {
        try Int64.fetchOne(db, sql: "SELECT id FROM collections WHERE name = ?", arguments: [name])
    }
}
