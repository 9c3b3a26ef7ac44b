import Foundation
import Shelf

/// The places of a person in the books of a shelf.
///
/// A place is kept under the number that the book had. If a file is copied, and the old one is removed later, the book has
/// another number, and its places are found under both: the newest one counts.
struct ReaderPlaces: Sendable {
    let shelf: Shelf
    let people: PeopleStore
    let user: User

    /// Returns the place in the book with the number `book`; nil if there is none.
    ///
    /// - Throws: Errors of the shelf and of the people's file.
    func place(in book: Int64) async throws -> KeptPlace? { try await places(in: [book])[book] }

    /// Returns the places in those of `books` that have one, by the books' numbers. Two queries.
    ///
    /// - Throws: Errors of the shelf and of the people's file.
    func places(in books: [Int64]) async throws -> [Int64: KeptPlace] {
        let successors = try await shelf.predecessors(of: books)
        let kept = try await people.places(of: user, in: books + successors.keys)
        var newest = kept.filter { successors[$0.key] == nil }
        for (number, book) in successors {
            guard let place = kept[number] else { continue }
            if let other = newest[book], other.modified >= place.modified { continue }
            newest[book] = place
        }
        return newest
    }

    /// Returns the books on the shelf in which the person has a place, of the last `limit` places, the latest first. Two
    /// queries.
    ///
    /// - Throws: Errors of the shelf and of the people's file.
    func recent(limit: Int) async throws -> [(book: ShelfBook, place: KeptPlace)] {
        let places = try await people.recent(of: user, limit: limit)
        let books = try await shelf.books(numbered: places.map(\.book))
        var recent: [(book: ShelfBook, place: KeptPlace)] = []
        var seen: Set<Int64> = []
        for (number, place) in places {
            guard let book = books[number], seen.insert(book.id).inserted else { continue }
            recent.append((book: book, place: place))
        }
        return recent
    }
}
