import Foundation
import GRDB
import ReaderLink
import SQLiteStorage

/// The result of looking for a book.
enum FoundBook: Sendable {
    case none
    case one(StoredBook)
    /// More than one book fits equally well.
    case several
    /// The uuid means one book and the file name another.
    case conflict
}

/// Finds a book by uuid, else by file name, else by title and authors if nothing contradicts it.
struct BookFinder {
    private let table: BookTable

    init(_ db: Database) { table = BookTable(db) }

    /// Finds the book that a command refers to.
    func find(_ reference: BookReference) throws -> FoundBook {
        let key = BookUUID.canonical(reference.uuid)
        let named = try book(named: reference.filename)
        guard key.isEmpty else { return try book(uuid: key, named: named) }
        if let named { return .one(named) }
        return try book(title: reference.title) {
            $0.authors.isEmpty ? reference.author.isEmpty : AuthorNames.isList(reference.author, of: $0.authors)
        }
    }

    /// Finds the book that an incoming one is a copy of.
    ///
    /// Two books with different uuids are two editions, whatever their titles.
    func find(_ book: LibraryBook, uuids: [String]) throws -> FoundBook {
        for key in uuids {
            let found = try table.books(where: "uuid_key = ?", [key])
            if found.count > 1 { return .several }
            if let one = found.first { return .one(one) }
        }
        return try self.book(title: book.title) {
            $0.authors == book.authors && (uuids.isEmpty || BookUUID.canonical($0.uuid).isEmpty)
        }
    }

    private func book(uuid key: String, named: StoredBook?) throws -> FoundBook {
        let found = try table.books(where: "uuid_key = ?", [key])
        if found.count > 1 {
            guard let named else { return .several }
            return found.contains { $0.id == named.id } ? .one(named) : .conflict
        }
        guard let one = found.first else {
            guard let named else { return .none }
            // File names are reused after a removal: a driver with an outdated list must not hit the wrong book.
            return BookUUID.canonical(named.book.uuid).isEmpty ? .one(named) : .conflict
        }
        return named == nil || named?.id == one.id ? .one(one) : .conflict
    }

    /// Finds a book by its exact name, else by the only name that differs just in case.
    private func book(named filename: String) throws -> StoredBook? {
        let filename = filename.precomposedStringWithCanonicalMapping
        if filename.isEmpty { return nil }
        if let exact = try table.books(where: "filename = ?", [filename]).first { return exact }
        let similar = try table.books(where: "filename = ? COLLATE NOCASE", [filename])
        return similar.count == 1 ? similar.first : nil
    }

    private func book(title: String, where fits: (LibraryBook) -> Bool) throws -> FoundBook {
        let title = BookText.clean(title)
        if title.isEmpty { return .none }
        let found = try table.books(where: "title = ?", [title]).filter { fits($0.book) }
        return switch found.count {
        case 0: .none
        case 1: .one(found[0])
        default: .several
        }
    }
}
