import FileProviderCore
import Foundation
import Publication
import Testing

@testable import Shelf

/// Which books stay themselves when their files have other paths, and which leave.
@Suite(.timeLimit(.minutes(1))) struct DatabaseMoveTests {
    private typealias Fixture = DatabaseFixture

    @Test(arguments: ["away/a.epub", "other/a.epub"])
    func `a book that left comes back as itself`(_ path: String) async throws {
        let fixture = try await DatabaseFixture()
        let files = [try DatabaseFixture.file("away/a.epub", 1), try DatabaseFixture.file("b.epub", 2)]
        try await fixture.look(files)
        try await fixture.read()
        let number = try #require(try await fixture.id("away/a.epub"))
        let gone = try await fixture.look([files[1]], policy: .immediate)
        #expect(gone.removedCount == 1)
        #expect(try await fixture.id("away/a.epub") == nil)
        // A copy of it is another book.
        let copies = [try DatabaseFixture.file(path, 1), try DatabaseFixture.file("copy/a.epub", 1), files[1]]
        try await fixture.look(copies)
        try await fixture.read()
        let (found, copy) = (try await fixture.id(path), try await fixture.id("copy/a.epub"))
        #expect([found, copy].filter { $0 == number }.count == 1)
        #expect(path != "away/a.epub" || found == number)
    }

    @Test func `books of a source come back as themselves`() async throws {
        let fixture = try await DatabaseFixture()
        let files = [try DatabaseFixture.file("a.epub", 1), try DatabaseFixture.file("b.epub", 2)]
        try await fixture.look(files)
        try await fixture.read()
        let before = try await fixture.ids(["a.epub", "b.epub"])
        try await fixture.database.removeSources(besides: [])
        #expect(try await fixture.paths().isEmpty)
        let source = try await fixture.database.sourceID(location: "memory://test/", name: "Test")
        #expect(source != fixture.source)
        try await fixture.database.beginListing(of: source)
        try await fixture.database.list(files, of: source)
        _ = try await fixture.database.compare(source: source)
        let pending = try await fixture.database.pending(source: source, limit: 10)
        _ = try await fixture.database.store(
            pending.map {
                ReadFile(file: $0.id, version: $0.version, outcome: .book(DatabaseFixture.record($0.path.name)))
            })
        var after: [Int64?] = []
        for file in files { after.append(try await fixture.database.book(source: source, path: file.path)?.id) }
        #expect(after == before)
    }

    /// A refused file is no book, but has the number of the one that it was.
    @Test(arguments: [false, true])
    func `a book that leaves gives its number to a file of another source that waits to be read`(isRefused: Bool)
        async throws
    {
        let fixture = try await Fixture()
        let database = fixture.database
        let stays = try Fixture.file("b.epub", 2)
        try await fixture.look([try Fixture.file("a.epub", 1), stays])
        try await fixture.read()
        let number = try #require(try await fixture.id("a.epub"))
        if isRefused {
            try await fixture.look([try Fixture.file("a.epub", 3), stays])
            try await fixture.read { _ in .refused("It is damaged.") }
        }
        let source = try await database.sourceID(location: "memory://other/", name: "Other")
        let file = try Fixture.file("c/a.epub", isRefused ? 3 : 1)
        try await database.beginListing(of: source)
        try await database.list([file], of: source)
        _ = try await database.compare(source: source)
        #expect(try await fixture.look([stays], policy: .immediate).removedCount == (isRefused ? 0 : 1))
        let pending = try await database.pending(source: source, limit: 10)
        _ = try await database.store(
            pending.map { ReadFile(file: $0.id, version: $0.version, outcome: .book(Fixture.record($0.path.name))) })
        let found = try await database.book(source: source, path: file.path)?.id
        #expect(found == number)
    }

    @Test func `a renamed folder takes its books with it, copies of one book too`() async throws {
        let fixture = try await Fixture()
        try await fixture.look(
            [try Fixture.file("a/1/x.epub", 1), try Fixture.file("a/2/x.epub", 1), try Fixture.file("a/y.epub", 2)])
        try await fixture.read { .book(Fixture.record("Title of \($0.path)")) }
        let ids = try await fixture.ids(["a/1/x.epub", "a/2/x.epub", "a/y.epub"])
        let comparison = try await fixture.look(
            [try Fixture.file("b/1/x.epub", 1), try Fixture.file("b/2/x.epub", 1), try Fixture.file("b/y.epub", 2)])
        #expect(comparison.movedCount == 3)
        #expect(comparison.removedCount == 0)
        #expect(comparison.pending == 0)
        #expect(comparison.moved.map(\.from.string) == ["/a/1/x.epub", "/a/2/x.epub", "/a/y.epub"])
        let moved = try await fixture.ids(["b/1/x.epub", "b/2/x.epub", "b/y.epub"])
        #expect(moved == ids && !ids.contains(nil))
    }

    @Test(arguments: [(nil, "i"), ("t", nil)] as [(String?, String?)])
    func `a book under another name is itself if its tag or its identity says so`(tag: String?, identity: String?)
        async throws
    {
        let fixture = try await Fixture()
        try await fixture.look([try Fixture.file("a.epub", 1, tag: tag, identity: identity)])
        try await fixture.read { _ in .book(Fixture.record("Title")) }
        let id = try await fixture.id("a.epub")
        let comparison = try await fixture.look([try Fixture.file("b.epub", 1, tag: tag, identity: identity)])
        #expect(comparison.movedCount == 1)
        #expect(comparison.pending == 0)
        #expect(try await fixture.id("b.epub") == id && id != nil)
    }

    @Test func `size and time alone don't make another name the same book`() async throws {
        let fixture = try await Fixture()
        try await fixture.look([try Fixture.file("a.epub", 1)])
        try await fixture.read()
        let comparison = try await fixture.look([try Fixture.file("b.epub", 1)], policy: .immediate)
        #expect(comparison.movedCount == 0)
        #expect(comparison.removedCount == 1)
        #expect(comparison.pending == 1)
    }

    @Test func `a renamed file is read again if its name stands for the title, and keeps its number`() async throws {
        let fixture = try await Fixture()
        try await fixture.look([try Fixture.file("My book.epub", 1, tag: "t"), try Fixture.file("no.txt", 2, tag: "u")])
        try await fixture.read {
            $0.path.name == "no.txt" ? .refused("It is no book.") : .book(Fixture.record("My book"))
        }
        let id = try await fixture.id("My book.epub")
        let comparison = try await fixture.look(
            [try Fixture.file("Other.epub", 1, tag: "t"), try Fixture.file("no.epub", 2, tag: "u")])
        #expect(comparison.movedCount == 1)
        #expect(comparison.pending == 2)
        let changes = try await fixture.read { .book(Fixture.record(String($0.path.name.dropLast(5)))) }
        #expect(changes.contains { if case .changed(let book) = $0 { book.id == id } else { false } })
        #expect(try await fixture.titles() == ["no", "Other"])
    }

    @Test func `a file that is replaced by another one stays the book at its path`() async throws {
        let fixture = try await Fixture()
        try await fixture.look([try Fixture.file("a.epub", 1, tag: "1"), try Fixture.file("b.epub", 2, tag: "2")])
        try await fixture.read()
        let ids = try await fixture.ids(["a.epub", "b.epub"])
        let comparison = try await fixture.look([try Fixture.file("a.epub", 2, tag: "2")])
        #expect(comparison.removed.map(\.id) == [ids[1]] && comparison.movedCount == 0 && comparison.pending == 1)
        #expect(try await fixture.id("a.epub") == ids[0])
    }

    @Test(arguments: [0, 4])
    func `books of which more than half are missing stay until a second scan`(kept: Int) async throws {
        let fixture = try await Fixture()
        let files = try (0..<10).map { try Fixture.file("\($0).epub", $0) }
        try await fixture.look(files)
        try await fixture.read()
        let first = try await fixture.look(Array(files.prefix(kept)))
        #expect(first.removedCount == 0)
        #expect(first.withheld == 10 - kept)
        #expect(try await fixture.database.sources().first?.withheld == 10 - kept)
        #expect(try await fixture.paths().count == 10)
        // Another one is missing for the first time.
        let second = try await fixture.look(Array(files.prefix(max(kept - 1, 0))))
        #expect(second.removedCount == 10 - kept)
        #expect(second.withheld == min(kept, 1))
    }

    @Test func `books that are back are no longer counted as missing`() async throws {
        let fixture = try await Fixture()
        let files = try (0..<4).map { try Fixture.file("\($0).epub", $0) }
        try await fixture.look(files)
        try await fixture.read()
        #expect(try await fixture.look([]).withheld == 4)
        #expect(try await fixture.look(files).withheld == 0)
        #expect(try await fixture.look([]).removedCount == 0)
    }

    @Test func `half of the books leave at once, and all of them if it is confirmed or the policy says so`()
        async throws
    {
        let files = try (0..<4).map { try Fixture.file("\($0).epub", $0) }
        let cases: [(Int, RemovalPolicy, Bool)] = [(2, .cautious, false), (4, .cautious, true), (4, .immediate, false)]
        for (left, policy, isConfirmed) in cases {
            let fixture = try await Fixture()
            try await fixture.look(files)
            try await fixture.read()
            let comparison = try await fixture.look(
                Array(files.dropFirst(left)), policy: policy, isConfirmed: isConfirmed)
            #expect(comparison.removedCount == left)
            #expect(comparison.withheld == 0)
            #expect(try await fixture.paths().count == 4 - left)
        }
    }

    @Test func `events about parts don't remove more than half, however often they say it`() async throws {
        let fixture = try await Fixture()
        let files = try (0..<4).map { try Fixture.file("a/\($0).epub", $0) }
        try await fixture.look(files)
        try await fixture.read()
        let scope = ComparisonScope.below([try ProviderPath("a")])
        for _ in 0..<3 { #expect(try await fixture.look([], scope: scope).withheld == 4) }
        #expect(try await fixture.look([]).removedCount == 4)
    }

    @Test func `removed books take their names and words with them, and numbers aren't used again`() async throws {
        let fixture = try await Fixture()
        try await fixture.add([Fixture.record("One", by: ["Anna"]), Fixture.record("Two", by: ["Anna", "Bert"])])
        let last = try #require(try await fixture.id("books/1.epub"))
        try await fixture.look([try Fixture.file("books/0.epub", 0)])
        #expect(try await fixture.database.facets(.authors).map(\.name) == ["Anna"])
        #expect(try await fixture.titles(ShelfQuery(text: "two")) == [])
        #expect(try await fixture.database.existing([last - 1, last, last + 1]) == [last - 1])
        try await fixture.look([try Fixture.file("books/0.epub", 0), try Fixture.file("books/2.epub", 2)])
        try await fixture.read()
        let new = try #require(try await fixture.id("books/2.epub"))
        #expect(new > last)
    }
}
