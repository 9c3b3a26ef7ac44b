import FileProviderCore
import Foundation
import GRDB
import ReaderLibrary
import ReaderLink
import Synchronization
import SampleBooks
import Testing

@Suite(.timeLimit(.minutes(1))) struct RecoveryTests {
    private let fixture = LibraryFixture()

    /// Has books taken, and lets the library go as a process that ends does.
    private func fill(_ samples: [SampleEPUB] = [SampleEPUB()]) async throws {
        let library = try await fixture.open()
        for sample in samples { try await fixture.add(sample, to: library) }
        try await library.close()
    }

    private func books() async throws -> [LibraryBook] {
        let library = try await fixture.open()
        let books = try await library.books()
        try await library.close()
        return books
    }

    @Test func `a library that is opened again has the same books`() async throws {
        try await fill()
        let first = try await books()
        #expect(first.count == 1)
        #expect(try await books() == first)
    }

    @Test func `a book whose file is gone is not listed and comes back when it is sent again`() async throws {
        try await fill()
        try FileManager.default.removeItem(
            at: fixture.folder.appendingPathComponent("Books/Ada Reader - The Desk.epub"))
        let library = try await fixture.open()
        #expect(try await library.books().isEmpty)
        #expect(fixture.reports.withLock { $0.contains { $0.contains("missing") } })
        #expect(try await fixture.add(to: library) == .applied())
        #expect(try await library.books().count == 1)
    }

    @Test func `steps are remembered until the command ends`() async throws {
        let command = CommandIdentity(kind: .deleteBooks, digest: "d1", timestamp: "12.5")
        let library = try await fixture.open()
        #expect(try await library.begin(command).isEmpty)
        try await library.note(.rejected("not found in staging"), step: CommandStep(command, number: 0))
        _ = try await library.delete(BookReference(title: "None"), step: CommandStep(command, number: 1))
        try await library.close()
        try await again(command)
    }

    private func again(_ command: CommandIdentity) async throws {
        let library = try await fixture.open()
        #expect(try await library.unfinished() == [command])
        let results = try await library.begin(command)
        #expect(results[0] == .rejected("not found in staging") && results[1]?.isApplied == true && results.count == 2)
        try await library.note(.applied(), step: CommandStep(command, number: 0))
        #expect(try await library.begin(command)[0] == .rejected("not found in staging"))
        try await library.end(command)
        #expect(try await library.unfinished().isEmpty)
        #expect(try await library.begin(command).isEmpty)
    }

    @Test func `a second process is refused with a sentence`() async throws {
        let library = try await fixture.open()
        await #expect { try await fixture.open() } throws: { $0.sentence.contains("another process") }
        _ = try await library.books()
    }

    /// What is wrong with a database, and a word of the sentence that says it.
    private static let broken: [(name: String, word: String, make: @Sendable (URL) throws -> Void)] = [
        ("text", "damaged", { try Data(repeating: 65, count: 5_000).write(to: $0) }),
        ("newer", "newer", { try change($0, "PRAGMA user_version = 99") }),
        ("foreign", "another program", { try change($0, "PRAGMA application_id = 7") }),
        ("a table too many", "damaged", { try change($0, "CREATE TABLE more (a)") }),
        (
            "a trigger", "damaged",
            { try change($0, "CREATE TRIGGER t AFTER DELETE ON books BEGIN DELETE FROM authors; END") }
        ),
    ]

    private static func change(_ file: URL, _ sql: String) throws {
        let queue = try DatabaseQueue(path: file.path)
        try queue.writeWithoutTransaction { db in try db.execute(sql: sql) }
        try queue.close()
    }

    @Test(arguments: broken.map(\.name))
    func `a database that is not the library's own is refused and left alone`(name: String) async throws {
        try await fill()
        let file = fixture.folder.appendingPathComponent("library.sqlite")
        let (_, word, make) = try #require(Self.broken.first { $0.name == name })
        for ending in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: file.path + ending) {
            try FileManager.default.removeItem(atPath: file.path + ending)
        }
        try make(file)
        await #expect { try await fixture.open() } throws: { $0.sentence.contains(word) }
        #expect(try fixture.names(in: "Books").count == 1)
    }

    @Test func `a folder with files of somebody else is refused and left alone`() async throws {
        try FileManager.default.createDirectory(
            at: fixture.folder.appendingPathComponent("Books"), withIntermediateDirectories: true)
        try fixture.leave(Data("mine".utf8), at: "Books/mine.epub")
        for _ in 0..<2 { await #expect { try await fixture.open() } throws: { $0.sentence.contains("no library") } }
        #expect(try fixture.names(in: "Books") == ["mine.epub"])
    }

    @Test func `a database that was never written is made anew`() async throws {
        try FileManager.default.createDirectory(at: fixture.folder, withIntermediateDirectories: true)
        try fixture.leave(Data(), at: "library.sqlite")
        #expect(try await books().isEmpty)
    }
}
