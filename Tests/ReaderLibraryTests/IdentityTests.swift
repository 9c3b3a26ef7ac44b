import FileProviderCore
import Foundation
import ReaderLibrary
import ReaderLink
import SampleBooks
import Testing

@Suite(.timeLimit(.minutes(1))) struct IdentityTests {
    private let fixture = LibraryFixture()
    private static let uuid = "11111111-2222-4333-8444-555555555555"
    private static let other = "99999999-2222-4333-8444-555555555555"

    @Test(arguments: [uuid, uuid.uppercased(), "urn:uuid:\(uuid)", "uuid:\(uuid)", " \(uuid) "])
    func `a book that is there stays without overwrite`(uuid: String) async throws {
        let library = try await fixture.open()
        try await fixture.add(to: library)
        let result = try await fixture.add(SampleEPUB(title: "Another Title", uuid: uuid), to: library)
        #expect(result == .rejected("already in library"))
        #expect(try await library.books().map(\.title) == ["The Desk"])
        #expect(try fixture.names(in: "Books").count == 1)
    }

    @Test func `the name that the driver gave a document tells the book too`() async throws {
        let library = try await fixture.open()
        try await fixture.add(SampleEPUB(uuid: nil), to: library, as: "\(Self.uuid).epub")
        #expect(try await library.books().map(\.uuid) == [Self.uuid])
        #expect(try await fixture.add(to: library) == .rejected("already in library"))
    }

    @Test func `without a uuid the title and the authors tell the book`() async throws {
        let library = try await fixture.open()
        try await fixture.add(SampleEPUB(uuid: nil), to: library)
        #expect(try await fixture.add(SampleEPUB(uuid: nil), to: library) == .rejected("already in library"))
        #expect(try await fixture.add(SampleEPUB(authors: [("Cy", "Cy")], uuid: nil), to: library) == .applied())
    }

    @Test func `two editions of one title are two books`() async throws {
        let library = try await fixture.open()
        try await fixture.add(to: library)
        #expect(try await fixture.add(SampleEPUB(uuid: Self.other), to: library) == .applied())
        #expect(try fixture.names(in: "Books") == ["Ada Reader - The Desk (2).epub", "Ada Reader - The Desk.epub"])
    }

    @Test func `a book that is replaced keeps what belongs to the user`() async throws {
        let library = try await fixture.open { $0.mapsFlags = true }
        try await fixture.add(to: library) { upload in
            upload.collections = ["Shelf", "READ"]
            upload.isLocked = true
        }
        let previous = try #require(try await library.books().first)
        fixture.time.advance(by: 60)
        let result = try await fixture.add(
            SampleEPUB(title: "The New Desk", cover: SampleEPUB.jpeg), to: library, overwrite: true)
        #expect(result == .applied())
        let book = try #require(try await library.books().first)
        #expect((book.title, book.added, book.modified > previous.modified) == ("The New Desk", previous.added, true))
        #expect(book.isRead && book.isLocked && book.collections == ["Shelf"])
        #expect(try await library.cover(of: book) == SampleEPUB.jpeg)
        #expect(try fixture.names(in: "Books") == ["Ada Reader - The New Desk.epub"])
        #expect(try fixture.names(in: "Covers").count == 1)
    }

    @Test func `the old file stays when the new one is no book`() async throws {
        let library = try await fixture.open()
        try await fixture.add(to: library)
        let document = try await fixture.stage(Data("nothing".utf8), as: "\(Self.uuid).epub")
        let upload = UploadedBook(filename: "\(Self.uuid).epub")
        #expect(try await !library.add(upload, from: document, overwrite: true, step: fixture.step()).isApplied)
        let book = try #require(try await library.books().first)
        #expect(try await library.open(book).attributes().size == book.size)
    }

    /// How a command names a book, and whether it means the one that is there.
    private static let references: [(BookReference, Bool)] = [
        (BookReference(uuid: uuid.uppercased()), true),
        (BookReference(filename: "Ada Reader - The Desk.epub"), true),
        (BookReference(filename: "ada reader - the desk.EPUB"), true),
        (BookReference(filename: "\(uuid).epub", uuid: uuid), true),
        (BookReference(author: "Ada Reader", title: "The Desk"), true),
        (BookReference(author: "Somebody", title: "The Desk"), false),
        (BookReference(author: "Ada Reader", title: "The Desk", uuid: other), false),
        (BookReference(filename: "Ada Reader - The Desk.epub", uuid: other), false),
        (BookReference(filename: "../library.sqlite"), false),
        (BookReference(), false),
    ]

    @Test(arguments: references.map(\.0))
    func `a book is found by uuid, else by file name, else by title and authors`(reference: BookReference) async throws
    {
        let library = try await fixture.open()
        try await fixture.add(to: library)
        let isMeant = try #require(Self.references.first { $0.0 == reference }).1
        #expect(try await (library.book(reference) != nil) == isMeant)
        _ = try await library.delete(reference, step: fixture.step())
        #expect(try await library.books().isEmpty == isMeant)
        #expect(try fixture.names(in: "Books").isEmpty == isMeant)
    }

    @Test func `a uuid and a file name of two books harm neither`() async throws {
        let library = try await fixture.open()
        try await fixture.add(to: library)
        try await fixture.add(SampleEPUB(title: "Second", uuid: Self.other), to: library)
        let both = BookReference(filename: "Ada Reader - Second.epub", uuid: Self.uuid)
        #expect(try await !library.delete(both, step: fixture.step()).isApplied)
        #expect(try await !library.update(UpdatedBook(both), step: fixture.step()).isApplied)
        #expect(
            try await !library.setCollections(CollectedBook(both, collections: ["X"]), step: fixture.step()).isApplied)
        #expect(try await library.books().map(\.title) == ["The Desk", "Second"])
    }
}
