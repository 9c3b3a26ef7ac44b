import Foundation
import ReaderLibrary
import ReaderLink
import SampleBooks
import Testing

@Suite(.timeLimit(.minutes(1))) struct MetadataTests {
    private let fixture = LibraryFixture()
    private static let uuid = "11111111-2222-4333-8444-555555555555"

    /// A change of the one book, of which title and author stay.
    private func update(
        _ library: SQLiteBookLibrary, _ change: (inout UpdatedBook) -> Void
    ) async throws -> (result: StepResult, book: LibraryBook) {
        var update = UpdatedBook(BookReference(uuid: Self.uuid), hasTitle: false, hasAuthor: false)
        change(&update)
        let result = try await library.update(update, step: fixture.step())
        return (result, try #require(try await library.books().first))
    }

    private func library(_ change: (inout LibraryOptions) -> Void = { _ in }) async throws -> SQLiteBookLibrary {
        let library = try await fixture.open(change)
        try await fixture.add(SampleEPUB(series: ("Rooms", "2")), to: library) { $0.collections = ["Shelf"] }
        return library
    }

    @Test func `what is absent stays as it is`() async throws {
        let library = try await library()
        var previous = try #require(try await library.books().first)
        fixture.time.advance(by: 5)
        let (result, book) = try await update(library) { _ in }
        previous.modified = Date(timeIntervalSince1970: fixture.time.wallClock)
        #expect(result == .applied() && book == previous)
    }

    @Test func `what is empty is cleared`() async throws {
        let library = try await library()
        let (result, book) = try await update(library) { update in
            (update.publisher, update.series, update.seriesIndex, update.pubDate, update.description) = (
                "", "", "", "", ""
            )
            (update.subjects, update.collections, update.rating, update.authorSort) = ([], [], "", "")
        }
        #expect(result == .applied())
        #expect(
            book.publisher == nil && book.series == nil && book.seriesIndex == nil && book.pubDate == nil
                && book.description == nil)
        #expect(book.subjects.isEmpty && book.collections.isEmpty && book.rating == nil && book.authorSort.isEmpty)
    }

    @Test func `new values are taken and the file keeps its name`() async throws {
        let library = try await library()
        let (result, book) = try await update(library) { update in
            (update.hasTitle, update.hasAuthor) = (true, true)
            update.reference.title = "Fish & Chips"
            update.reference.author = "Ann Lee & Bo Ray"
            (update.titleSort, update.authorSort) = ("Fish", "Lee, Ann & Ray, Bo")
            (update.series, update.seriesIndex, update.rating) = ("New", "0", "4,5")
            (update.publisher, update.pubDate, update.description) = ("Pub", "2013-02-28T23:30:00-08:00", "<b>Bold</b>")
            (update.isLocked, update.wordCount) = (true, 12)
        }
        #expect(result == .applied())
        #expect(book.title == "Fish & Chips" && book.titleSort == "Fish")
        #expect(book.authors == ["Ann Lee", "Bo Ray"] && book.authorSort == "Lee, Ann & Ray, Bo")
        #expect(book.series == "New" && book.seriesIndex == 0 && book.rating == 4.5)
        #expect(book.publisher == "Pub" && book.pubDate == "2013-02-28" && book.description == "<b>Bold</b>")
        #expect(book.isLocked && book.wordCount == 12)
        #expect(book.filename == "Ada Reader - The Desk.epub")
    }

    @Test(arguments: [
        ("Doe, John", nil, ["Doe, John"]), ("Ann Lee, Bo Ray", "Lee, Ann & Ray, Bo", ["Ann Lee", "Bo Ray"]),
        ("Ann Lee; Bo Ray", nil, ["Ann Lee", "Bo Ray"]), ("", nil, []),
    ])
    func `authors are parted where that is certain`(text: String, sort: String?, authors: [String]) async throws {
        let library = try await library()
        let (_, book) = try await update(library) { update in
            (update.hasAuthor, update.reference.author, update.authorSort) = (true, text, sort)
        }
        #expect(book.authors == authors)
    }

    @Test func `authors that only come back joined stay apart`() async throws {
        let library = try await library()
        _ = try await update(library) { $0.authors = ["Ann Lee", "Bo Ray"] }
        let (_, book) = try await update(library) { ($0.hasAuthor, $0.reference.author) = (true, "Ann Lee, Bo Ray") }
        #expect(book.authors == ["Ann Lee", "Bo Ray"])
    }

    @Test(arguments: [
        ("2020", "2020"), ("2020-02", "2020-02"), ("0999-12-31", "0999-12-31"), ("2020-02-29", "2020-02-29"),
        ("0101-01-01", nil),
    ])
    func `a date may be cut short`(text: String, day: String?) async throws {
        let library = try await library()
        let (result, book) = try await update(library) { $0.pubDate = text }
        #expect(result == .applied() && book.pubDate == day)
    }

    /// What makes no sense.
    private static let nonsense: [@Sendable (inout UpdatedBook) -> Void] = [
        { $0.pubDate = "2021-02-29" }, { $0.pubDate = "yesterday" }, { $0.pubDate = "999-1-1" },
        { $0.seriesIndex = "nan" },
        { $0.seriesIndex = "0x10" }, { $0.rating = "6" }, { $0.rating = "-1" }, { $0.rating = "1e400" },
        { $0.wordCount = -1 },
        { $0.newUUID = "none" }, { ($0.hasTitle, $0.reference.title) = (true, " ") },
        { $0.description = String(repeating: "x", count: 2 << 20) }, { $0.cover = EncodedCover(hash: "h", text: "?") },
        { $0.cover = EncodedCover(hash: "h", encoding: "hex", text: "FFD8FF") },
        { $0.cover = EncodedCover(hash: "h", text: Data("no picture".utf8).base64EncodedString()) },
    ]

    @Test(arguments: nonsense.indices)
    func `a bad value keeps the old one with a warning`(index: Int) async throws {
        let library = try await library()
        let previous = try #require(try await library.books().first)
        let (result, book) = try await update(library, Self.nonsense[index])
        #expect(result.isApplied && result.warnings.count == 1, "\(result.warnings)")
        #expect(book == previous)
        #expect(try await library.cover(of: book) == SampleEPUB.png)
        #expect(try fixture.names(in: "Covers").count == 1)
    }

    @Test func `a cover replaces the old one and its hash is kept as it came`() async throws {
        let library = try await library()
        let (result, book) = try await update(library) {
            $0.cover = EncodedCover(hash: "any token", text: SampleEPUB.jpeg.base64EncodedString())
        }
        #expect(result == .applied() && book.coverHash == "any token")
        #expect(try await library.cover(of: book) == SampleEPUB.jpeg)
        #expect(try fixture.names(in: "Covers").count == 1)
    }

    @Test func `a cover over the limit is left out`() async throws {
        let library = try await library { $0.maxCoverSize = 64 }
        let (result, book) = try await update(library) {
            $0.cover = EncodedCover(picture: SampleEPUB.jpeg + Data(count: 100))
        }
        #expect(result.warnings.count == 1)
        #expect(try await library.cover(of: book) == SampleEPUB.png)
    }

    @Test func `a book gets another uuid unless a second one has it`() async throws {
        let library = try await library()
        let other = "99999999-2222-4333-8444-555555555555"
        try await fixture.add(SampleEPUB(title: "Second", uuid: other), to: library)
        #expect(try await update(library) { $0.newUUID = other }.result.warnings.count == 1)
        let free = UUID().uuidString
        #expect(try await update(library) { $0.newUUID = free }.book.uuid == free)
        #expect(try await library.book(BookReference(uuid: free.lowercased()))?.title == "The Desk")
    }

    @Test func `an unknown book is a warning and nothing else`() async throws {
        let library = try await library()
        let unknown = BookReference(title: "Nowhere", uuid: UUID().uuidString)
        let update = try await library.update(UpdatedBook(unknown), step: fixture.step())
        #expect(!update.isApplied && update.warnings.count == 1)
        let delete = try await library.delete(unknown, step: fixture.step())
        #expect(delete.isApplied && delete.warnings.count == 1)
        #expect(try await library.books().count == 1)
    }
}
