import FileProviderCore
import Foundation
import Publication
import Testing

@testable import Shelf

/// Books that left while copies of their files stayed.
@Suite(.timeLimit(.minutes(1))) struct DatabaseSuccessorTests {
    private typealias Fixture = DatabaseFixture

    /// Looks at files at `paths` that are all copies of each other, besides another one, and reads them.
    private func look(_ fixture: Fixture, _ paths: [String]) async throws {
        let files = try paths.map { try Fixture.file($0, 1) } + [try Fixture.file("other.epub", 2)]
        try await fixture.look(files, policy: .immediate)
        try await fixture.read()
    }

    /// The number of the book at `path`.
    private func number(_ fixture: Fixture, _ path: String) async throws -> Int64 {
        try #require(try await fixture.id(path), "\(path)")
    }

    /// A copy of a file, and whether a listing proves that it is one.
    struct Copy: Sendable {
        var path: String
        var number = 1
        var tags: [String?] = [nil, nil]
        var identity: String?
        var isFound = true
    }

    @Test(arguments: [
        Copy(path: "b/a.epub"), Copy(path: "b/a.epub", tags: ["s", "t"]), Copy(path: "new.epub", tags: ["t", "t"]),
        Copy(path: "new.epub", identity: "i"), Copy(path: "new.epub", isFound: false),
        Copy(path: "b/a.epub", number: 3, isFound: false),
        Copy(path: "b/a.epub", number: 3, tags: ["t", "t"], isFound: false),
    ])
    func `a book that was copied and left later is found under the copy`(_ copy: Copy) async throws {
        let fixture = try await Fixture()
        let file = try Fixture.file("a/a.epub", 1, tag: copy.tags[0], identity: copy.identity)
        let copied = try Fixture.file(copy.path, copy.number, tag: copy.tags[1], identity: copy.identity)
        let other = try Fixture.file("other.epub", 2)
        try await fixture.look([file, other])
        try await fixture.read()
        try await fixture.look([file, copied, other])
        try await fixture.read()
        let (old, new) = (try await number(fixture, "a/a.epub"), try await number(fixture, copy.path))
        #expect(old != new)
        // As long as both are there, each is itself.
        #expect(try await fixture.database.book(old)?.id == old)
        #expect(try await fixture.database.predecessors(of: [old, new]).isEmpty)
        #expect(try await fixture.look([copied, other]).removed.map(\.id) == [old])
        #expect(try await fixture.database.book(old)?.id == (copy.isFound ? new : nil))
        #expect(try await fixture.database.predecessors(of: [old, new]) == (copy.isFound ? [old: new] : [:]))
    }

    @Test func `the copy that came last takes over, and the next one after it`() async throws {
        let fixture = try await Fixture()
        for paths in [["1/a.epub"], ["1/a.epub", "2/a.epub"], ["1/a.epub", "2/a.epub", "3/a.epub"]] {
            try await look(fixture, paths)
        }
        let (one, two, three) = (
            try await number(fixture, "1/a.epub"), try await number(fixture, "2/a.epub"),
            try await number(fixture, "3/a.epub")
        )
        try await look(fixture, ["2/a.epub", "3/a.epub"])
        #expect(try await fixture.database.predecessors(of: [one, two, three]) == [one: three])
        try await look(fixture, ["2/a.epub"])
        #expect(try await fixture.database.predecessors(of: [one, two, three]) == [one: two, three: two])
        let found = try await fixture.database.books(numbered: [one, two, three, 999])
        #expect(found.mapValues(\.id) == [one: two, two: two, three: two])
    }

    @Test func `a book that is back is itself again, and takes over from its copy in turn`() async throws {
        let fixture = try await Fixture()
        try await look(fixture, ["1/a.epub"])
        try await look(fixture, ["1/a.epub", "2/a.epub"])
        let (old, new) = (try await number(fixture, "1/a.epub"), try await number(fixture, "2/a.epub"))
        try await look(fixture, ["2/a.epub"])
        try await look(fixture, ["1/a.epub", "2/a.epub"])
        #expect(try await fixture.ids(["1/a.epub", "2/a.epub"]) == [old, new])
        #expect(try await fixture.database.predecessors(of: [old, new]).isEmpty)
        try await look(fixture, ["1/a.epub"])
        #expect(try await fixture.database.predecessors(of: [old, new]) == [new: old])
    }

    @Test func `a book that is back alone takes over from its copy, which left after it`() async throws {
        let fixture = try await Fixture()
        try await look(fixture, ["1/a.epub"])
        try await look(fixture, ["1/a.epub", "2/a.epub"])
        let (old, new) = (try await number(fixture, "1/a.epub"), try await number(fixture, "2/a.epub"))
        try await look(fixture, ["2/a.epub"])
        try await look(fixture, [])
        #expect(try await fixture.database.book(old) == nil)
        try await look(fixture, ["1/a.epub"])
        #expect(try await fixture.id("1/a.epub") == old)
        #expect(try await fixture.database.predecessors(of: [old, new]) == [new: old])
        try await look(fixture, ["1/a.epub", "2/a.epub"])
        #expect(try await fixture.ids(["1/a.epub", "2/a.epub"]) == [old, new])
        #expect(try await fixture.database.predecessors(of: [old, new]).isEmpty)
    }

    @Test func `a successor that left and is back keeps what it took over`() async throws {
        let fixture = try await Fixture()
        try await look(fixture, ["1/a.epub"])
        try await look(fixture, ["1/a.epub", "2/a.epub"])
        let (old, new) = (try await number(fixture, "1/a.epub"), try await number(fixture, "2/a.epub"))
        try await look(fixture, ["2/a.epub"])
        try await look(fixture, [])
        try await look(fixture, ["2/a.epub"])
        #expect(try await fixture.id("2/a.epub") == new)
        #expect(try await fixture.database.predecessors(of: [new]) == [old: new])
    }

    @Test func `another copy doesn't get the number of a book that has a successor`() async throws {
        let fixture = try await Fixture()
        try await look(fixture, ["1/a.epub"])
        try await look(fixture, ["1/a.epub", "2/a.epub"])
        let (old, new) = (try await number(fixture, "1/a.epub"), try await number(fixture, "2/a.epub"))
        try await look(fixture, ["2/a.epub"])
        try await look(fixture, ["2/a.epub", "3/a.epub"])
        #expect(try await number(fixture, "3/a.epub") > new)
        #expect(try await fixture.database.book(old)?.id == new)
    }

    @Test(arguments: [false, true])
    func `books of a source under another address are the same ones, read before or not`(isRead: Bool) async throws {
        let fixture = try await Fixture()
        let paths = ["1/a.epub", "2/a.epub", "b.epub"]
        let files = try paths.map { try Fixture.file($0, $0 == "b.epub" ? 2 : 1) }
        try await fixture.look(files)
        try await fixture.read()
        let before = try await fixture.ids(paths)
        let database = fixture.database
        let source = try await database.sourceID(location: "memory://other/", name: "Other")
        try await database.beginListing(of: source)
        try await database.list(files, of: source)
        _ = try await database.compare(source: source)
        func read() async throws {
            let pending = try await database.pending(source: source, limit: 10)
            _ = try await database.store(
                pending.map {
                    ReadFile(file: $0.id, version: $0.version, outcome: .book(Fixture.record($0.path.name)))
                })
        }
        if isRead { try await read() }
        try await database.removeSources(besides: [source])
        if !isRead { try await read() }
        var (found, after): ([Int64?], [Int64?]) = ([], [])
        for (path, number) in zip(paths, before) {
            after.append(try await database.book(source: source, path: ProviderPath(path))?.id)
            found.append(try await database.book(try #require(number))?.id)
        }
        #expect(!after.contains(nil))
        #expect(isRead ? found == after : Set(after) == Set(before) && found == before)
    }
}
