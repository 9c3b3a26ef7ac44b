import FileProviderCore
import Foundation
import GRDB
import ReaderLibrary
import ReaderLink
import Testing

@Suite(.timeLimit(.minutes(1))) struct FolderCacheTests {
    private let cache = SQLiteFolderCache()
    private let file = FileManager.default.temporaryDirectory.appendingPathComponent(
        "carrel-cache-\(UUID().uuidString).sqlite")

    private static func entry(_ path: String) -> FolderCacheEntry {
        var entry = FolderCacheEntry(
            path: path, size: 12, format: "application/epub+zip", title: "Robert'); DROP TABLE files;--",
            added: Date(timeIntervalSince1970: 5.25))
        entry.modified = Date(timeIntervalSince1970: 1_700_000_000.125)
        (entry.entryTag, entry.digest, entry.uuid, entry.problem) = ("\"tag\"", "ab", "u", "It is locked.")
        (entry.authors, entry.authorSort, entry.titleSort) = (["A & B", "C; D", "\"E\""], "a", "t")
        entry.thumbnail = Data([0xFF, 0xD8, 0xFF, 0])
        entry.edited = [.title, .uuid, FolderCacheEntry.Fields(rawValue: 1 << 20)]
        return entry
    }

    /// Files beside the cache, which nobody needs.
    private var leftovers: [String] {
        ["-journal", "-wal", "-shm"].filter { FileManager.default.fileExists(atPath: file.path + $0) }
    }

    @Test func `what is saved is loaded as it was`() async throws {
        defer { remove() }
        let plain = FolderCacheEntry(
            path: "Ordner/Grüße.pdf", size: 0, format: "application/pdf", title: "Grüße",
            added: Date(timeIntervalSince1970: 0))
        var contents = FolderCacheContents(generation: .max, entries: [Self.entry("a/b.epub"), plain])
        try await cache.save(contents, to: file)
        let loaded = try await cache.load(from: file)
        #expect(loaded.generation == .max && Set(loaded.entries) == Set(contents.entries))
        contents = FolderCacheContents(generation: 3, entries: [plain])
        try await cache.save(contents, to: file)
        #expect(try await cache.load(from: file) == contents)
        #expect(leftovers.isEmpty)
    }

    @Test func `loading changes nothing`() async throws {
        defer { remove() }
        try await cache.save(FolderCacheContents(generation: 1, entries: [Self.entry("a")]), to: file)
        let before = try Data(contentsOf: file)
        _ = try await cache.load(from: file)
        #expect(try Data(contentsOf: file) == before)
        #expect(leftovers.isEmpty)
    }

    @Test func `an empty file is made a cache, and a missing one is an error of the disk when it is loaded`()
        async throws
    {
        defer { remove() }
        await #expect { try await cache.load(from: file) } throws: { $0.isNoSuchFile }
        try Data().write(to: file)
        await #expect { try await cache.load(from: file) } throws: { ($0 as? FolderCacheFailure)?.kind == .damaged }
        try await cache.save(FolderCacheContents(), to: file)
        #expect(try await cache.load(from: file) == FolderCacheContents())
    }

    /// What may be in the place of a cache.
    private static let wrong: [(name: String, kind: FolderCacheFailure.Kind, make: @Sendable (URL) throws -> Void)] = [
        ("text", .damaged, { try Data(repeating: 66, count: 9_000).write(to: $0) }),
        ("half of it", .damaged, { try Data(contentsOf: $0).prefix(5_000).write(to: $0) }),
        ("newer", .newer(version: 9), { try change($0, "PRAGMA user_version = 9") }),
        ("another program's", .damaged, { try change($0, "PRAGMA application_id = 9") }),
        (
            "a trigger", .damaged,
            { try change($0, "CREATE TRIGGER t AFTER DELETE ON files BEGIN DELETE FROM cache; END") }
        ),
        ("authors that are no list", .damaged, { try change($0, "UPDATE files SET authors = 'x'") }),
        ("a negative size", .damaged, { try change($0, "UPDATE files SET size = -1") }),
    ]

    private static func change(_ file: URL, _ sql: String) throws {
        let queue = try DatabaseQueue(path: file.path)
        try queue.writeWithoutTransaction { db in try db.execute(sql: sql) }
        try queue.close()
    }

    @Test(arguments: wrong.map(\.name))
    func `a file that is no cache is told apart from a newer one`(name: String) async throws {
        defer { remove() }
        try await cache.save(FolderCacheContents(generation: 1, entries: [Self.entry("a")]), to: file)
        let (_, kind, make) = try #require(Self.wrong.first { $0.name == name })
        try make(file)
        await #expect { try await cache.load(from: file) } throws: { ($0 as? FolderCacheFailure)?.kind == kind }
    }

    @Test func `a file of somebody else is not written over`() async throws {
        defer { remove() }
        let text = Data(repeating: 66, count: 9_000)
        try text.write(to: file)
        await #expect { try await cache.save(FolderCacheContents(), to: file) } throws: {
            ($0 as? FolderCacheFailure)?.kind == .damaged
        }
        #expect(try Data(contentsOf: file) == text)
    }

    @Test func `ten thousand files are written and read`() async throws {
        defer { remove() }
        let entries = (0..<10_000).map { Self.entry(String(format: "%05d.epub", $0)) }
        try await cache.save(FolderCacheContents(generation: 2, entries: entries), to: file)
        #expect(try await cache.load(from: file).entries == entries)
    }

    private func remove() {
        // What is left in a temporary folder harms nobody.
        try? FileManager.default.removeItem(at: file)
    }
}
