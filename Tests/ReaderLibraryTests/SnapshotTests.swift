import Foundation
import GRDB
import ReaderLibrary
import ReaderLink
import SampleBooks
import Testing

@Suite(.timeLimit(.minutes(1))) struct SnapshotTests {
    private let fixture = LibraryFixture()

    /// The snapshot of a library with one book, in a file that the fixture's folder holds.
    private func snapshot() async throws -> URL {
        let library = try await fixture.open()
        try await fixture.add(SampleEPUB(series: ("Rooms", "3")), to: library) { $0.collections = ["Shelf", "Desk"] }
        return try await library.snapshot()
    }

    private static func change(_ file: URL, _ statements: String...) throws {
        let queue = try DatabaseQueue(path: file.path)
        try queue.writeWithoutTransaction { db in
            // So that what no honest library writes can be written.
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            try db.execute(sql: "PRAGMA writable_schema = ON")
            for statement in statements { try db.execute(sql: statement) }
        }
        try queue.close()
    }

    @Test func `the driver reads what the library lists`() async throws {
        let library = try await fixture.open()
        try await fixture.add(SampleEPUB(series: ("Rooms", "3")), to: library) { $0.collections = ["Shelf", "Desk"] }
        try await fixture.add(SampleEPUB(title: "Second", authors: [], uuid: nil, cover: nil), to: library)
        let file = try await library.snapshot()
        #expect(try await SQLiteSnapshotReader().books(in: file) == library.books())
        #expect(!FileManager.default.fileExists(atPath: file.path + "-journal"))
        try FileManager.default.removeItem(at: file)
    }

    @Test func `the snapshot has neither the journal nor books without a file`() async throws {
        let library = try await fixture.open()
        try await fixture.add(to: library)
        try await fixture.add(SampleEPUB(title: "Gone", uuid: nil), to: library)
        try FileManager.default.removeItem(at: fixture.folder.appendingPathComponent("Books/Ada Reader - Gone.epub"))
        let file = try await library.snapshot()
        #expect(try await SQLiteSnapshotReader().books(in: file).map(\.title) == ["The Desk"])
        let queue = try DatabaseQueue(path: file.path)
        let tables = try await queue.read { db in
            try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
        }
        #expect(Set(tables) == ["books", "authors", "subjects", "collections", "book_collections"])
        #expect(try await queue.read { db in try Int.fetchOne(db, sql: "PRAGMA user_version") } == 1)
        #expect(
            try await queue.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM authors WHERE book = 2") } == 0
        )
    }

    @Test func `a snapshot is one state, and the library goes on`() async throws {
        let library = try await fixture.open()
        try await fixture.add(to: library)
        let first = try await library.snapshot()
        _ = try await library.delete(
            BookReference(title: "The Desk", uuid: try #require(SampleEPUB().uuid)), step: fixture.step())
        let second = try await library.snapshot()
        #expect(try await SQLiteSnapshotReader().books(in: first).count == 1)
        #expect(try await SQLiteSnapshotReader().books(in: second).isEmpty)
    }

    /// What a hostile application may do to a snapshot.
    private static let attacks: [(name: String, make: @Sendable (URL) throws -> Void)] = [
        ("text", { try Data("This is no database at all.".utf8).write(to: $0) }),
        ("nothing", { try Data().write(to: $0) }),
        ("half of it", { try Data(contentsOf: $0).prefix(6_000).write(to: $0) }),
        (
            "a page of noise",
            { file in
                var data = try Data(contentsOf: file)
                data.replaceSubrange(4_096..<8_192, with: Data(repeating: 0xA5, count: 4_096))
                try data.write(to: file)
            }
        ),
        ("another program's", { try change($0, "PRAGMA application_id = 1") }),
        ("an older version", { try change($0, "PRAGMA user_version = 0") }),
        ("a view", { try change($0, "CREATE VIEW v AS SELECT 1") }),
        (
            "a view for a table",
            { try change($0, "DROP TABLE authors", "CREATE VIEW authors AS SELECT 1 AS book, 2 AS place, 'x' AS name") }
        ),
        ("a trigger", { try change($0, "CREATE TRIGGER t AFTER INSERT ON books BEGIN SELECT 1; END") }),
        ("a table too many", { try change($0, "CREATE TABLE more (a)") }),
        ("a table too few", { try change($0, "DROP TABLE subjects") }),
        ("an index on a term", { try change($0, "CREATE INDEX i ON books (abs(id))") }),
        ("other columns", { try change($0, "ALTER TABLE books ADD COLUMN more TEXT") }),
        (
            "a lying schema",
            { try change($0, "UPDATE sqlite_master SET sql = replace(sql, 'title_sort TEXT', 'title_sort ANY')") }
        ),
        ("a log beside it", { try change($0, "PRAGMA journal_mode = WAL") }),
        ("a path", { try change($0, "UPDATE books SET filename = '../../.bashrc'") }),
        ("an empty path", { try change($0, "UPDATE books SET filename = ''") }),
        ("a negative size", { try change($0, "UPDATE books SET size = -1") }),
        ("a number without end", { try change($0, "UPDATE books SET series_index = 9e999") }),
        ("a long title", { try change($0, "UPDATE books SET title = printf('%.70000c', 'x')") }),
        ("a long description", { try change($0, "UPDATE books SET description = printf('%.2000000c', 'x')") }),
        ("a long list", { try change($0, "UPDATE authors SET place = 100000") }),
    ]

    @Test(arguments: attacks.map(\.name))
    func `a damaged or hostile snapshot is refused with a sentence`(name: String) async throws {
        let file = try await snapshot()
        try #require(Self.attacks.first { $0.name == name }).make(file)
        await #expect {
            try await SQLiteSnapshotReader().books(in: file)
        } throws: { error in
            let error = error as? CocoaError
            return error?.code == .fileReadCorruptFile
                && error?.localizedDescription.contains(file.lastPathComponent) == true
        }
    }

    private static let small = {
        var reader = SQLiteSnapshotReader()
        reader.maxFileSize = 1_000
        return reader
    }()

    @Test func `a newer snapshot, too many books and a large file are told apart from damage`() async throws {
        let file = try await snapshot()
        var reader = SQLiteSnapshotReader()
        reader.maxBooks = 0
        await #expect { try await reader.books(in: file) } throws: {
            ($0 as? CocoaError)?.code == .fileReadTooLarge
        }
        await #expect { try await Self.small.books(in: file) } throws: {
            ($0 as? CocoaError)?.code == .fileReadTooLarge
        }
        try Self.change(file, "PRAGMA user_version = 2")
        await #expect { try await SQLiteSnapshotReader().books(in: file) } throws: {
            ($0 as? CocoaError)?.code == .fileReadUnknown
        }
        try FileManager.default.removeItem(at: file)
        await #expect { try await SQLiteSnapshotReader().books(in: file) } throws: {
            ($0 as? CocoaError)?.code == .fileReadNoSuchFile
        }
    }

    @Test func `ten thousand books are read at once`() async throws {
        let file = try await snapshot()
        let numbers = "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)"
        try Self.change(
            file,
            """
            \(numbers) INSERT INTO books SELECT i, 'Book ' || i || '.epub', 'u' || i, 'u' || i, 'Book ' || i, 'Book ' || i, 'Reader, Ada', \
            'Rooms', i, 'Press', '2020', '<p>' || i || '</p>', 'h', 4.5, 100, 1.5, 2.5, 0, 5, 1, 0, 0 FROM n
            """, "\(numbers) INSERT INTO authors SELECT i, 0, 'Ada Reader' FROM n",
            "\(numbers) INSERT INTO subjects SELECT i, 0, 'Light' FROM n",
            "\(numbers) INSERT INTO book_collections SELECT i, 0, 1 FROM n")
        let books = try await SQLiteSnapshotReader().books(in: file)
        #expect(books.count == 10_000)
        #expect(
            books[9_999].authors == ["Ada Reader"] && books[9_999].subjects == ["Light"]
                && books[9_999].collections == ["Shelf"])
    }
}
