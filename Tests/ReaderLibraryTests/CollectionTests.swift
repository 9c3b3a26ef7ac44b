import Foundation
import ReaderLibrary
import ReaderLink
import Testing

@Suite(.timeLimit(.minutes(1))) struct CollectionTests {
    private let fixture = LibraryFixture()
    private static let reference = BookReference(uuid: "11111111-2222-4333-8444-555555555555")

    private func set(_ collections: [String], in library: SQLiteBookLibrary) async throws -> LibraryBook {
        #expect(
            try await library.setCollections(
                CollectedBook(Self.reference, collections: collections), step: fixture.step()) == .applied())
        return try #require(try await library.books().first)
    }

    @Test func `collections lose empty names and doubles, and keep their order and case`() async throws {
        let library = try await fixture.open()
        try await fixture.add(to: library)
        let book = try await set(["b", " ", "a", "B", "b", "Cafe\u{301}", "Caf\u{E9}", "READ"], in: library)
        #expect(book.collections == ["b", "a", "B", "Caf\u{E9}", "READ"])
        #expect(!book.isRead)
        #expect(try await set([], in: library).collections.isEmpty)
    }

    @Test func `words for flags set and clear them where the application says so`() async throws {
        let library = try await fixture.open { $0.mapsFlags = true }
        try await fixture.add(to: library)
        var book = try await set(["NEW", "READING LIST", "Shelf"], in: library)
        #expect(book.isNew && book.isOnReadingList && !book.isRead && book.collections == ["Shelf"])
        book = try await set(["READ"], in: library)
        #expect(!book.isNew && !book.isOnReadingList && book.isRead && book.collections.isEmpty)
    }

    private func act(_ parameters: [String: String], in library: SQLiteBookLibrary) async throws -> StepResult {
        try await library.perform(
            ReaderAction(type: "UpdateGlobalCollections", parameters: parameters), step: fixture.step())
    }

    @Test func `a collection is renamed, joined with another and deleted`() async throws {
        let library = try await fixture.open()
        try await fixture.add(to: library) { $0.collections = ["One", "Two", "Three"] }
        #expect(try await act(["action": "rename", "name": "One", "newname": "First"], in: library) == .applied())
        #expect(try await library.books()[0].collections == ["First", "Two", "Three"])
        #expect(try await act(["action": "rename", "name": "First", "newname": "Two"], in: library) == .applied())
        #expect(try await library.books()[0].collections == ["Two", "Three"])
        #expect(try await act(["action": "delete", "name": "Two"], in: library) == .applied())
        #expect(try await library.books()[0].collections == ["Three"])
        #expect(try await act(["action": "delete", "name": "Two"], in: library).warnings.count == 1)
        for wrong in [
            ["action": "delete"], ["action": "rename", "name": "Three"], ["action": "burn", "name": "Three"],
        ] {
            #expect(try await !act(wrong, in: library).isApplied)
        }
    }

    @Test func `books are locked and unlocked, and other actions are unsupported`() async throws {
        let library = try await fixture.open()
        try await fixture.add(to: library)
        let books = [Self.reference, BookReference(title: "Unknown")]
        let lock = try await library.perform(ReaderAction(type: "LockBooks", books: books), step: fixture.step())
        #expect(lock.isApplied && lock.warnings.count == 1)
        #expect(try await library.books()[0].isLocked)
        _ = try await library.perform(ReaderAction(type: "UnlockBooks", books: books), step: fixture.step())
        #expect(try await !library.books()[0].isLocked)
        let other = try await library.perform(ReaderAction(type: "GenerateDeepView"), step: fixture.step())
        #expect(!other.isApplied && other.warnings[0].contains("unsupported"))
    }

    @Test func `collections that no book is in go when they are cleaned up`() async throws {
        let library = try await fixture.open()
        try await fixture.add(to: library) { $0.collections = ["Kept", "Left"] }
        _ = try await set(["Kept"], in: library)
        #expect(try await library.cleanUpCollections(step: fixture.step()) == .applied())
        // What is gone cannot be renamed.
        #expect(try await act(["action": "delete", "name": "Left"], in: library).warnings.count == 1)
        #expect(try await act(["action": "rename", "name": "Kept", "newname": "Still"], in: library) == .applied())
    }
}
