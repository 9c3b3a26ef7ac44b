import FileProviderCore
import Foundation
import ProviderDoubles
import Publication
import SQLiteStorage
import Testing

@testable import Shelf

/// The database with many books, and files that aren't a shelf's database.
@Suite(.timeLimit(.minutes(5))) struct DatabaseScaleTests {
    private typealias Fixture = DatabaseFixture
    private static let count = 10_000

    /// Made books: 2,000 authors, 500 series, 40 subjects, 3 languages, 50 folders.
    private static func record(_ number: Int) -> BookRecord {
        Fixture.record("Title \(number) of many", by: ["Author \(number % 2000)", "Author \(number % 7)"]) {
            $0.languages = [["en", "de", "fr"][number % 3]]
            $0.belongsToSeries = [
                ParentCollection(name: LocalizedString("Series \(number % 500)"), position: Double(number / 500))
            ]
            $0.subjects = [
                Subject(name: LocalizedString("Subject \(number % 40)")),
                Subject(name: LocalizedString("Subject \(number % 9)")),
            ]
            $0.description = "Word\(number % 100) and word\(number % 1000), again and again."
        }
    }

    private static func files() throws -> [ListedFile] {
        try (0..<count).map { try Fixture.file("books/\($0 % 50)/\($0).epub", $0) }
    }

    private func filled() async throws -> Fixture {
        let fixture = try await Fixture()
        try await fixture.look(try Self.files())
        try await fixture.read { file in
            .book(Self.record(Int(file.path.name.prefix { $0 != "." }) ?? 0))
        }
        return fixture
    }

    @Test func `no page looks at every book, and comparing 10,000 files changes what changed alone`() async throws {
        let fixture = try await filled()
        var queries: [ShelfQuery] = []
        for sort in ShelfQuery.Sort.allCases {
            var query = ShelfQuery(text: "word7", sort: sort)
            queries.append(query)
            query.text = nil
            query.author = "author 3"
            queries.append(query)
            query.subject = "subject 3"
            queries.append(query)
            query = ShelfQuery(sort: sort, isDescending: true)
            query.folder = try ProviderPath("books/7")
            queries.append(query)
            query.source = fixture.source
            queries.append(query)
            query = ShelfQuery(sort: sort)
            query.ids = [1, 2, 3]
            queries.append(query)
        }
        for query in queries {
            let (page, count) = try await fixture.database.plans(of: query)
            let plans = page + count
            #expect(!plans.contains { $0.contains("SCAN books") || $0.contains("SCAN files") }, "\(plans)")
            #expect(try await fixture.database.books(query).total > 0)
        }
        // All books in an order are read from its index, without sorting.
        for sort in ShelfQuery.Sort.allCases {
            for isDescending in [false, true] {
                let (page, count) = try await fixture.database.plans(
                    of: ShelfQuery(sort: sort, isDescending: isDescending))
                let plans = page + count
                #expect(!plans.contains { $0.contains("TEMP B-TREE") }, "\(plans)")
            }
        }
        var files = try Self.files()
        let same = try await fixture.look(files)
        #expect(same.unchanged == Self.count)
        #expect(same.pending == 0)
        #expect(same.movedCount == 0)
        #expect(same.removedCount == 0)
        for number in 0..<100 { files[number] = try Fixture.file(files[number].path.string, number + 1) }
        files[200] = try Fixture.file("elsewhere/200.epub", 200)
        files.removeLast()
        let changed = try await fixture.look(files)
        #expect(changed.pending == 100)
        #expect(changed.movedCount == 1)
        #expect(changed.removedCount == 1)
        #expect(try await fixture.database.books(ShelfQuery()).total == Self.count - 1)
    }

    @Test func `thousands of books of one size and time leave as fast as others, each with its copy`() async throws {
        let fixture = try await Fixture()
        let count = Self.count / 2
        func files(_ folder: String) throws -> [ListedFile] {
            try (0..<count).map { try Fixture.file("\(folder)/\($0).epub") }
        }
        try await fixture.look(files("old"))
        try await fixture.read()
        try await fixture.look(files("old") + files("new"))
        try await fixture.read()
        let old = try #require(try await fixture.id("old/7.epub"))
        let new = try #require(try await fixture.id("new/7.epub"))
        let began = ContinuousClock.now
        let removed = try await fixture.look(files("new"), policy: .immediate).removedCount
        // Looking at every pair of old and new files takes several times as long.
        #expect(ContinuousClock.now - began < .seconds(5))
        #expect(removed == count)
        #expect(try await fixture.database.book(old)?.id == new)
    }

    @Test func `a shelf is as it was when it is opened again`() async throws {
        let fixture = try await Fixture()
        try await fixture.add([Self.record(1), Self.record(2)])
        try await fixture.look(try ["books/0.epub", "books/1.epub", "c.epub"].map { try Fixture.file($0, 9) })
        let (books, counts) = (try await fixture.database.books(ShelfQuery()), try await fixture.database.counts())
        try await fixture.database.close()
        let again = try await ShelfDatabase.open(Fixture.file(in: fixture.folder))
        #expect(try await again.books(ShelfQuery()) == books)
        #expect(try await again.counts() == counts && counts.pending == 3)
        #expect(try await again.sourceID(location: "memory://test/", name: "New name") == fixture.source)
        #expect(try await again.sources().map(\.name) == ["New name"])
        try await again.close()
    }

    @Test func `a source that is no longer wanted leaves with its books`() async throws {
        let fixture = try await Fixture()
        try await fixture.add([Self.record(1)])
        let other = try await fixture.database.sourceID(location: "memory://other/", name: "Other")
        try await fixture.database.removeSources(besides: [other])
        #expect(try await fixture.database.sources().map(\.id) == [other])
        #expect(try await fixture.database.counts().books == 0)
        #expect(try await fixture.database.counts().authors == 0)
        #expect(try await fixture.titles(ShelfQuery(text: "title")) == [])
    }

    @Test func `a file that is no shelf's database is refused with a sentence and left alone`() async throws {
        let fixture = try await Fixture()
        let file = fixture.folder.url.appendingPathComponent("other.sqlite")
        let kind = DatabaseKind(applicationID: 7, version: 1, statements: ["CREATE TABLE a (b INTEGER) STRICT"])
        try await StoredDatabase.open(file, kind: kind, noun: "test").close()
        let foreign = await #expect(throws: CocoaError.self) { _ = try await ShelfDatabase.open(file) }
        #expect(foreign?.code == .fileReadUnknown)
        #expect(foreign?.sentence.contains("not a shelf") == true)
        try Data("no database at all, but long enough".utf8).write(to: file)
        let damaged = await #expect(throws: CocoaError.self) { _ = try await ShelfDatabase.open(file) }
        #expect(damaged?.code == .fileReadCorruptFile)
    }
}
