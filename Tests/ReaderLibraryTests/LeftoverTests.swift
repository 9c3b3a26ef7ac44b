import FileProviderCore
import Foundation
import GRDB
import ReaderLibrary
import ReaderLink
import SampleBooks
import Synchronization
import Testing

/// What an end at the wrong moment leaves is removed, and nothing else is.
@Suite(.timeLimit(.minutes(1))) struct LeftoverTests {
    private let fixture = LibraryFixture()
    private static let other = "99999999-2222-4333-8444-555555555555"
    private var database: URL { fixture.folder.appendingPathComponent("library.sqlite") }

    /// Has books taken, and lets the library go as a process that ends does.
    private func fill(_ samples: SampleEPUB...) async throws {
        let library = try await fixture.open()
        for sample in samples { try await fixture.add(sample, to: library) }
        try await library.close()
    }

    /// Opens the library, which sweeps it, and closes it.
    private func reopen() async throws -> [LibraryBook] {
        let library = try await fixture.open()
        let books = try await library.books()
        try await library.close()
        return books
    }

    /// Writes what a process that was killed may have noted.
    private func note(_ location: String, _ name: String) throws {
        let queue = try DatabaseQueue(path: database.path)
        try queue.write { db in
            try db.execute(sql: "INSERT INTO litter (place, name) VALUES (?, ?)", arguments: [location, name])
        }
        try queue.close()
    }

    /// What is noted while the library is closed.
    private func notes() throws -> [String] {
        let queue = try DatabaseQueue(path: database.path)
        let notes = try queue.read { db in try String.fetchAll(db, sql: "SELECT place || '/' || name FROM litter") }
        try queue.close()
        return notes
    }

    private func reports(_ word: String) -> Int { fixture.reports.withLock { $0.filter { $0.contains(word) }.count } }

    @Test(
        arguments: [
            "Books/Ada Reader - The Desk (2).epub", "Covers/new.png", "Incoming/half.epub", "Incoming/.abc.carrel-part",
        ],
        [true, false])
    func `what was on its way when the process was killed is gone`(path: String, hasCome: Bool) async throws {
        try await fill(SampleEPUB())
        if hasCome { try fixture.leave(Data("half".utf8), at: path) }
        let (location, name) = try #require(
            path.firstIndex(of: "/").map { (String(path[..<$0]), String(path[path.index(after: $0)...])) })
        if location != "Incoming" { try note(location, name) }
        #expect(try await reopen().map(\.title) == ["The Desk"])
        #expect(try fixture.names(in: "Books") == ["Ada Reader - The Desk.epub"])
        #expect(try fixture.names(in: "Covers").count == 1)
        #expect(try fixture.names(in: "Incoming").isEmpty)
        #expect(try notes().isEmpty)
    }

    @Test func `a file that a book has stays, whatever is noted`() async throws {
        try await fill(SampleEPUB())
        let cover = try #require(try fixture.names(in: "Covers").first)
        try note("Books", "Ada Reader - The Desk.epub")
        try note("Covers", cover)
        #expect(try await reopen().count == 1)
        #expect(try fixture.names(in: "Books").count == 1)
        #expect(try fixture.names(in: "Covers") == [cover])
    }

    @Test(arguments: ["../library.sqlite", "..", "a/b", ""])
    func `a note that leads elsewhere removes nothing`(name: String) async throws {
        try await fill(SampleEPUB())
        try note("Books", name)
        #expect(try await reopen().count == 1)
        #expect(try await reopen().count == 1)
    }

    @Test(arguments: ["Books/stray.epub", "Books/.abc.carrel-part", "Covers/stray.jpg"])
    func `a file that the library does not know is reported once and left alone`(path: String) async throws {
        let library = try await fixture.open()
        try await fixture.add(to: library)
        try fixture.leave(Data("mine".utf8), at: path)
        for _ in 0..<3 { try await library.sweep() }
        try await library.end(fixture.step().command)
        #expect(FileManager.default.fileExists(atPath: fixture.folder.appendingPathComponent(path).path))
        #expect(reports((path as NSString).lastPathComponent) == 1)
        #expect(try await library.books().count == 1)
    }

    @Test func `what cannot be removed is reported once and does not stop the library`() async throws {
        try await fill(SampleEPUB())
        let folder = fixture.folder.appendingPathComponent("Books/full")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try fixture.leave(Data("mine".utf8), at: "Books/full/mine")
        try note("Books", "full")
        let library = try await fixture.open()
        try await library.sweep()
        #expect(reports("full") == 1)
        #expect(try await library.books().count == 1)
        try await library.close()
        #expect(try notes() == ["Books/full"])
    }

    @Test func `steps leave neither files nor notes`() async throws {
        let library = try await fixture.open()
        try await fixture.add(to: library)
        try await fixture.add(SampleEPUB(cover: SampleEPUB.jpeg), to: library, overwrite: true)
        var change = UpdatedBook(
            BookReference(uuid: try #require(SampleEPUB().uuid)), hasTitle: false, hasAuthor: false)
        change.cover = EncodedCover(picture: SampleEPUB.png)
        #expect(try await library.update(change, step: fixture.step()).isApplied)
        change.reference = BookReference(uuid: Self.other)
        #expect(try await !library.update(change, step: fixture.step()).isApplied)
        #expect(try fixture.names(in: "Books").count == 1)
        #expect(try fixture.names(in: "Covers").count == 1)
        try await fixture.add(SampleEPUB(cover: nil), to: library, overwrite: true)
        #expect(try fixture.names(in: "Covers").isEmpty)
        _ = try await library.delete(BookReference(uuid: try #require(SampleEPUB().uuid)), step: fixture.step())
        #expect(try fixture.names(in: "Books").isEmpty)
        try await library.close()
        #expect(try notes().isEmpty)
        #expect(fixture.reports.withLock { $0 }.isEmpty)
    }

    @Test func `an older database leaves the files of newer books alone`() async throws {
        try await fill(SampleEPUB())
        let copy = fixture.folder.appendingPathComponent("copy.sqlite")
        try FileManager.default.copyItem(at: database, to: copy)
        let second = SampleEPUB(title: "Second", uuid: Self.other)
        try await fill(second)
        try FileManager.default.removeItem(at: database)
        try FileManager.default.moveItem(at: copy, to: database)

        let library = try await fixture.open()
        #expect(try await library.books().map(\.title) == ["The Desk"])
        #expect(try fixture.names(in: "Books") == ["Ada Reader - Second.epub", "Ada Reader - The Desk.epub"])
        #expect(try fixture.names(in: "Covers").count == 2)
        try await library.sweep()
        #expect(reports("Second") == 1)
        // The book comes again, beside what is there.
        #expect(try await fixture.add(second, to: library) == .applied())
        try await library.close()
        #expect(try await reopen().map(\.filename) == ["Ada Reader - The Desk.epub", "Ada Reader - Second (2).epub"])
        #expect(try fixture.names(in: "Books").count == 3)
    }
}
