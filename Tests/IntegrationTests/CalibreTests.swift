import Carrel
import Foundation
import ProviderDoubles
import ReaderLibrary
import ReaderLink
import SampleBooks
import Testing

/// calibre itself as the driver of our application's side: by a device plug-in whose messages its own libraries make
/// and read.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CalibreTests {
    private static let program = ["/usr/bin/calibre-debug", "/usr/local/bin/calibre-debug"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    private static let isRequired = ProcessInfo.processInfo.environment["CARREL_FULL"] == "1"

    @Test(
        .enabled(if: CalibreTests.program != nil || CalibreTests.isRequired, "calibre is not installed; run make full"))
    func `calibre uploads, updates, collects, fetches and deletes books`() async throws {
        let program = try #require(
            Self.program, "calibre has to be installed for this run: bash Tests/Servers/install.sh full")
        try await withFolder { folder in
            let books = try makeBooks(in: folder)
            let cover = folder.appending(path: "cover.jpg")
            try SampleBook.coverPicture().write(to: cover)
            let lines = try await served(in: folder) { staging in
                try await drive(program, staging, steps: try Self.steps(books, cover: cover, in: folder), folder)
            }
            try expectUploads(lines[0])
            try expectChanges(lines[1], lines[2])
            #expect(lines[3].status.code == 0)
            #expect(lines[4].status.code == 0 && lines[4].books.map(\.uuid) == [Self.second])
            try await expectStored(in: folder)
            // What calibre fetched is a book as the library holds it.
            let fetched = try await run("/usr/bin/ebook-meta", [folder.appending(path: "fetched.epub").path], folder)
            #expect(fetched.contains("Zwei & Zwanzig"))
        }
    }

    private static let first = "11111111-1111-4111-8111-111111111111"
    private static let second = "22222222-2222-4222-8222-222222222222"

    private func makeBooks(in folder: URL) throws -> [URL] {
        try SampleBook.Edition.allCases.prefix(2).enumerated().map { number, edition in
            let file = folder.appending(path: "book-\(number).epub")
            try SampleBook.small(edition).write(to: file)
            return file
        }
    }

    private static func steps(_ books: [URL], cover: URL, in folder: URL) throws -> Data {
        let metadata: [[String: Any]] = [
            [
                "uuid": first, "title": "Eins <1>", "authors": ["Ann \"A\" Author", "Ben O'Hara"], "series": "Zahlen",
                "series_index": 2,
                "tags": ["Numbers"], "device_collections": ["Fish & Chips", "New ones"],
            ],
            [
                "uuid": second, "title": "Zwei & Zwanzig", "authors": ["Cay Author"], "publisher": "House",
                "comments": "<p>Two &amp; more</p>",
            ],
        ]
        let steps: [[String: Any]] = [
            ["do": "upload", "files": books.map(\.path), "metadata": metadata],
            [
                "do": "update", "books": [first],
                "changes": [
                    "title": "One", "tags": ["Counting", "Numbers"], "publisher": "Press", "cover": cover.path,
                    "device_collections": ["Kept"],
                ],
            ],
            ["do": "collections", "books": [second], "collections": ["Über", "Kept"]],
            ["do": "get", "books": [second], "to": folder.appending(path: "fetched.epub").path],
            ["do": "delete", "books": [first]],
        ]
        return try JSONSerialization.data(withJSONObject: steps)
    }
}

// MARK: What is expected

extension CalibreTests {
    private func expectUploads(_ line: Line) throws {
        #expect(line.status.code == 0, "\(line.status.messages)")
        let one = try #require(line.books.first { $0.uuid == Self.first })
        #expect(one.title == "Eins <1>" && one.authors == ["Ann \"A\" Author", "Ben O'Hara"])
        #expect(one.series == "Zahlen" && one.seriesIndex == 2)
        #expect(one.collections == ["Fish & Chips", "New ones"])
        let two = try #require(line.books.first { $0.uuid == Self.second })
        #expect(two.title == "Zwei & Zwanzig" && two.publisher == "House")
        #expect(two.comments?.contains("Two &amp; more") == true)
    }

    private func expectChanges(_ update: Line, _ rebuild: Line) throws {
        #expect(update.status.code == 0, "\(update.status.messages)")
        let one = try #require(update.books.first { $0.uuid == Self.first })
        #expect(
            one.title == "One" && one.tags == ["Counting", "Numbers"] && one.publisher == "Press"
                && one.collections == ["Kept"])
        #expect(one.coverHash?.count == 32)
        #expect(rebuild.status.code == 0, "\(rebuild.status.messages)")
        #expect(rebuild.books.first { $0.uuid == Self.second }?.collections == ["Kept", "Über"])
    }

    /// The file that is left is a book that calibre's own tool reads.
    private func expectStored(in folder: URL) async throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "library/Books").path)
        #expect(files.count == 1)
        let name = try #require(files.first)
        let text = try await run("/usr/bin/ebook-meta", [folder.appending(path: "library/Books/\(name)").path], folder)
        #expect(text.contains("Zwei & Zwanzig") && text.contains("Cay Author"), "\(text)")
        // Neither documents nor messages are left.
        let staging = folder.appending(path: "staging")
        #expect(try FileManager.default.contentsOfDirectory(atPath: staging.appending(path: "documents").path) == [])
        #expect(
            Set(try FileManager.default.contentsOfDirectory(atPath: staging.path)) == ["documents", "library.sqlite"])
    }
}

// MARK: How it is run

extension CalibreTests {
    private struct Line: Decodable {
        struct Status: Decodable {
            var code: Int
            var messages: [String]
        }
        struct Book: Decodable {
            var title: String
            var authors: [String]
            var uuid: String
            var series: String?
            var seriesIndex: Double?
            var publisher: String?
            var tags: [String]
            var comments: String?
            var collections: [String]
            var coverHash: String?
        }
        var `do`: String
        var status: Status
        var books: [Book]
    }

    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try await body(folder.url)
    }

    /// Runs our application over a folder of this machine for the length of `body`.
    private func served(in folder: URL, _ body: (URL) async throws -> [Line]) async throws -> [Line] {
        let staging = folder.appending(path: "staging")
        let library = try await SQLiteBookLibrary.open(folder: folder.appending(path: "library"))
        let connection = try CalibreConnection(
            staging: StagingFolder(provider: try LocalFileProvider(root: folder), path: try ProviderPath("staging")),
            library: library,
            options: ApplicationOptions(application: "org.example.reader"))
        try await connection.enter()
        let lines: [Line]
        do { lines = try await body(staging) } catch {
            try await connection.leave()
            throw error
        }
        try await connection.leave()
        return lines
    }

    private func drive(_ program: String, _ staging: URL, steps: Data, _ folder: URL) async throws -> [Line] {
        let file = folder.appending(path: "steps.json")
        try steps.write(to: file)
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Calibre/reader_device.py")
        let output = try await run(program, ["-e", script.path, "--", staging.path, file.path], folder)
        return try output.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }

    /// The standard output of a program that has to succeed, without a screen and with settings of its own.
    private func run(_ program: String, _ arguments: [String], _ folder: URL) async throws -> String {
        let output = folder.appending(path: "output-\(UInt64.random(in: 0 ... .max))")
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = [
            "PATH": "/usr/bin:/bin", "HOME": folder.path, "QT_QPA_PLATFORM": "offscreen", "LC_ALL": "C.UTF-8",
            "CALIBRE_CONFIG_DIRECTORY": folder.appending(path: "calibre").path,
        ]
        let handle = try FileHandle(forWritingTo: output)
        process.standardOutput = handle
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try CommandRunner.begin(process) } catch { continuation.resume(throwing: error) }
        }
        try handle.close()
        let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
        try #require(process.terminationStatus == 0, "\(program) ended with \(process.terminationStatus): \(text)")
        return text
    }
}
