import FileProviderCore
import Foundation
import Publication
import Testing

@testable import Shelf

/// What a listing changes in the catalogue.
@Suite(.timeLimit(.minutes(1))) struct DatabaseComparisonTests {
    private typealias Fixture = DatabaseFixture

    @Test func `new files are pending until they are read, and then unchanged`() async throws {
        let fixture = try await Fixture()
        let files = [try Fixture.file("a.epub", 1), try Fixture.file("b.epub", 2)]
        let first = try await fixture.look(files)
        #expect(first.listed == 2)
        #expect(first.pending == 2)
        #expect(first.unchanged == 0)
        let changes = try await fixture.read()
        #expect(changes.count(where: { if case .added = $0 { true } else { false } }) == 2)
        let second = try await fixture.look(files)
        #expect(second.listed == 2)
        #expect(second.pending == 0)
        #expect(second.unchanged == 2)
        let books = try await fixture.database.books(ShelfQuery())
        #expect(books.total == 2 && books.books.map(\.positionCount) == [12, 12])
    }

    @Test(
        arguments: [
            (ListedVersion(size: 102, modified: 1.25), true), (ListedVersion(size: 101, modified: 2), true),
            (ListedVersion(size: 101, modified: 1.25), false),
            (ListedVersion(size: 101, modified: 1.25, tag: "a"), false),
            (ListedVersion(size: 101), true), (ListedVersion(modified: 1.25), true),
        ])
    func `a file without a tag is read again unless its size and its time are the same`(
        version: ListedVersion, isPending: Bool
    ) async throws {
        let fixture = try await Fixture()
        try await fixture.look([try Fixture.file("a.epub", 1)])
        try await fixture.read()
        let path = try ProviderPath("a.epub")
        let comparison = try await fixture.look([ListedFile(path: path, version: version)])
        #expect(comparison.pending == (isPending ? 1 : 0))
        #expect(comparison.unchanged == (isPending ? 0 : 1))
    }

    @Test func `tags decide where both versions have one, and a version without tag and time proves nothing`()
        async throws
    {
        let fixture = try await Fixture()
        let path = try ProviderPath("a.epub")
        func look(_ version: ListedVersion) async throws -> Int {
            let pending = try await fixture.look([ListedFile(path: path, version: version)]).pending
            try await fixture.read()
            return pending
        }
        #expect(try await look(ListedVersion(size: 1, modified: 1, tag: "x")) == 1)
        #expect(try await look(ListedVersion(size: 1, modified: 2, tag: "x")) == 0)
        #expect(try await look(ListedVersion(size: 1, modified: 2, tag: "y")) == 1)
        #expect(try await look(ListedVersion(size: 1)) == 1)
        #expect(try await look(ListedVersion(size: 1)) == 1)
    }

    @Test func `a changed book keeps its number and the time when it was added`() async throws {
        let fixture = try await Fixture()
        try await fixture.look([try Fixture.file("a.epub", 1)])
        try await fixture.read { _ in .book(Fixture.record("Old")) }
        let old = try #require(try await fixture.database.books(ShelfQuery()).books.first)
        #expect(try await fixture.database.setCover(of: old.id, tag: "c", ifFileIs: ListedVersion(old)))
        try await fixture.look([try Fixture.file("a.epub", 2)])
        // Until the file is read, the book stays as it was.
        #expect(try await fixture.titles() == ["Old"])
        let changes = try await fixture.read { _ in .book(Fixture.record("New")) }
        guard case .changed(let new) = changes.first else {
            Issue.record("\(changes)")
            return
        }
        #expect(new.id == old.id && new.added == old.added && new.changed > old.changed)
        #expect(new.metadata.title == "New" && new.coverState == .unknown && new.coverTag == nil)
        #expect(try await fixture.titles(ShelfQuery(text: "old")) == [])
        #expect(try await fixture.titles(ShelfQuery(text: "new")) == ["New"])
    }

    @Test func `a result for a version that the file no longer has is dropped`() async throws {
        let fixture = try await Fixture()
        try await fixture.look([try Fixture.file("a.epub", 1)])
        let pending = try #require(try await fixture.database.pending(source: fixture.source, limit: 1).first)
        try await fixture.look([try Fixture.file("a.epub", 2)])
        let late = ReadFile(file: pending.id, version: pending.version, outcome: .book(Fixture.record("Late")))
        #expect(try await fixture.database.store([late]) == [.outdated(file: pending.id)])
        #expect(try await fixture.database.counts().pending == 1)
    }

    @Test func `a postponed file stays pending, and the same sentence is no news`() async throws {
        let fixture = try await Fixture()
        try await fixture.look([try Fixture.file("a.epub")])
        let path = try ProviderPath("a.epub")
        let news = StoredChange.postponed(path: path, sentence: "No.", isNews: true)
        #expect(try await fixture.read { _ in .postponed("No.") } == [news])
        let again = StoredChange.postponed(path: path, sentence: "No.", isNews: false)
        #expect(try await fixture.read { _ in .postponed("No.") } == [again])
        #expect(try await fixture.look([try Fixture.file("a.epub")]).pending == 1)
        #expect(try await fixture.database.refused() == [])
    }

    @Test func `a refused file isn't read again until it changes, and a book gets its number back`() async throws {
        let fixture = try await Fixture()
        try await fixture.look([try Fixture.file("a.epub", 1)])
        try await fixture.read()
        let book = try #require(try await fixture.database.books(ShelfQuery()).books.first)
        try await fixture.look([try Fixture.file("a.epub", 2)])
        let refused = RefusedFile(source: fixture.source, path: book.path, sentence: "It is cut off.")
        #expect(try await fixture.read { _ in .refused("It is cut off.") } == [.refused(refused, book: book.id)])
        #expect(try await fixture.database.refused() == [refused])
        #expect(try await fixture.database.books(ShelfQuery()).total == 0)
        #expect(try await fixture.look([try Fixture.file("a.epub", 2)]).pending == 0)
        try await fixture.look([try Fixture.file("a.epub", 3)])
        try await fixture.read()
        let again = try #require(try await fixture.database.books(ShelfQuery()).books.first)
        #expect(again.id == book.id && again.added == book.added)
        #expect(try await fixture.database.refused() == [])
    }

    @Test func `pending files come by path, a page at a time`() async throws {
        let fixture = try await Fixture()
        try await fixture.look(try ["c", "a/b", "a", "b"].map { try Fixture.file($0) })
        var names: [String] = []
        while let file = try await fixture.database.pending(
            source: fixture.source, after: try names.last.map { try ProviderPath($0) }, limit: 1
        ).first {
            names.append(file.path.string)
        }
        #expect(names == ["/a", "/a/b", "/b", "/c"])
    }

    @Test func `a folder that can't be listed keeps its books`() async throws {
        let fixture = try await Fixture()
        let files = try ["a/1", "a/2", "ab/3", "b/4", "b/5"].map { try Fixture.file($0) }
        try await fixture.look(files)
        try await fixture.read()
        let scanned = try #require(try await fixture.database.sources().first?.scanned)
        let comparison = try await fixture.look(Array(files[3...]), unlisted: ["a"])
        #expect(comparison.removed.map(\.path.string) == ["/ab/3"])
        #expect(try await fixture.paths() == ["/a/1", "/a/2", "/b/4", "/b/5"])
        #expect(try await fixture.database.sources().first?.scanned == scanned)
        try await fixture.look(Array(files[0...1] + files[3...]))
        #expect(try #require(try await fixture.database.sources().first?.scanned) > scanned)
    }

    @Test func `a large listing of one source delays no listing of another one`() async throws {
        let fixture = try await Fixture()
        let source = fixture.source
        let other = try await fixture.database.sourceID(location: "memory://other/", name: "Other")
        let slow = ListingSpool(database: fixture.database, source: other)
        for number in 0..<25_000 { try await slow.add(Fixture.file("\(number).epub", number)) }
        let spool = ListingSpool(database: fixture.database, source: source)
        try await spool.add(Fixture.file("a.epub"))
        let comparison = try await spool.finish { try await $0.compare(source: source) }
        #expect(comparison.listed == 1 && comparison.pending == 1)
        let slowComparison = try await slow.finish { try await $0.compare(source: other) }
        #expect(slowComparison.listed == 25_000 && slowComparison.pending == 25_000)
        #expect(try await fixture.database.pending(source: source, limit: 9).map(\.path.string) == ["/a.epub"])
    }

    @Test func `a listing that failed leaves nothing to the next one`() async throws {
        let fixture = try await Fixture()
        let source = fixture.source
        let failed = ListingSpool(database: fixture.database, source: source)
        for number in 0..<2_000 { try await failed.add(Fixture.file("\(number).epub", number)) }
        let spool = ListingSpool(database: fixture.database, source: source)
        try await spool.add(Fixture.file("a.epub"))
        let comparison = try await spool.finish { try await $0.compare(source: source) }
        #expect(comparison.listed == 1)
    }

    @Test func `a listing of a part changes that part alone`() async throws {
        let fixture = try await Fixture()
        try await fixture.look(try ["a", "a/1", "a/2", "a0", "b/1", "b/2"].map { try Fixture.file($0) })
        try await fixture.read()
        let scope = ComparisonScope.below([try ProviderPath("a")])
        let comparison = try await fixture.look([try Fixture.file("a/3", 3)], scope: scope, policy: .immediate)
        #expect(comparison.removed.map(\.path.string) == ["/a", "/a/1", "/a/2"])
        #expect(comparison.pending == 1)
        #expect(try await fixture.paths() == ["/a0", "/b/1", "/b/2"])
    }
}
