import FileProviderCore
import Foundation
import GRDB
import LocalFileProvider
import ReaderLibrary
import ReaderLink
import SampleBooks
import Testing

@Suite(.timeLimit(.minutes(1))) struct AddingTests {
    private let fixture = LibraryFixture()

    @Test(arguments: [true, false]) func `a book that is replaced keeps that it was read, if the options say so`(
        keeps: Bool
    ) async throws {
        let library = try await fixture.open { options in
            options.mapsFlags = true
            options.keepsReadingState = keeps
        }
        try await fixture.add(to: library) { $0.collections = ["READ"] }
        #expect(try await library.books().map(\.isRead) == [true])
        #expect(try await fixture.add(to: library, overwrite: true) == .applied())
        #expect(try await library.books().map(\.isRead) == [keeps])
    }

    @Test func `what the book says of itself is in the library`() async throws {
        let library = try await fixture.open()
        let sample = SampleEPUB(
            authors: [("Ada Reader", "Reader, Ada"), ("Ben Desk", "Desk, Ben")], series: ("Rooms", "2.5"))
        let result = try await fixture.add(sample, to: library) { upload in
            upload.coverHash = "token"
            upload.collections = ["Shelf", "", "Shelf", "Desk"]
        }
        #expect(result == .applied())
        let book = try #require(try await library.books().first)
        #expect(book.filename == "Ada Reader - The Desk.epub")
        #expect((book.title, book.titleSort) == ("The Desk", "The Desk"))
        #expect(book.authors == ["Ada Reader", "Ben Desk"])
        #expect(book.authorSort == "Reader, Ada & Desk, Ben")
        #expect(book.uuid == sample.uuid)
        #expect(book.series == "Rooms" && book.seriesIndex == 2.5)
        #expect((book.publisher, book.pubDate) == ("Carrel Press", "2020-05-17"))
        #expect(book.description == "<p>About a desk.</p>")
        #expect(book.subjects == ["Furniture", "Light"])
        #expect(book.collections == ["Shelf", "Desk"])
        #expect(book.coverHash == "token")
        #expect(book.added == Date(timeIntervalSince1970: fixture.time.wallClock))
        #expect(try await library.cover(of: book) == SampleEPUB.png)
        let reader = try await library.open(book)
        #expect(try await reader.read(.whole).data == sample.data())
        await reader.close()
        #expect(try fixture.names(in: "Incoming").isEmpty)
    }

    @Test(arguments: SampleBook.Edition.allCases)
    func `the sample book is taken`(edition: SampleBook.Edition) async throws {
        let library = try await fixture.open()
        let document = try await fixture.stage(try SampleBook.small(edition), as: "lamp.epub")
        #expect(
            try await library.add(
                UploadedBook(filename: "lamp.epub"), from: document, overwrite: false, step: fixture.step())
                == .applied()
        )
        let book = try #require(try await library.books().first)
        #expect((book.title, book.authors) == (SampleBook.title, [SampleBook.author]))
        #expect(BookUUID.canonical(book.uuid) == BookUUID.canonical(SampleBook.identifier))
        // A drawing is no cover that a list can show.
        #expect((try await library.cover(of: book) != nil) == (edition == .epub2))
    }

    @Test func `a cover is the one that the book shows, however it names it`() async throws {
        let library = try await fixture.open()
        var sample = SampleEPUB(cover: SampleEPUB.jpeg)
        sample.hasCoverInGuide = true
        #expect(try await fixture.add(sample, to: library) == .applied())
        let book = try #require(try await library.books().first)
        #expect(try await library.cover(of: book) == SampleEPUB.jpeg)
    }

    @Test func `a book locked by DRM is taken with a warning`() async throws {
        let library = try await fixture.open()
        let locked = try #require(try SamplePublication.all().first { $0.isLocked && $0.fileName.hasSuffix(".epub") })
        let document = try await fixture.stage(locked.files[0].content, as: "shut.epub")
        let result = try await library.add(
            UploadedBook(filename: "shut.epub"), from: document, overwrite: false, step: fixture.step())
        #expect(result.isApplied && !result.warnings.isEmpty)
        #expect(try await library.books().map(\.title) == [locked.title])
    }

    /// What is sent, and a word of the sentence that refuses it.
    private static let refused: [(String, @Sendable () throws -> Data, String)] = [
        ("text", { Data("This is no book.".utf8) }, "EPUB"),
        ("empty", { Data() }, "empty"),
        ("cut in the middle", { try SampleEPUB().data().prefix(900) }, "book.epub"),
        ("a comic", { try ZIPBuilder.data { try $0.store("1.png", SampleEPUB.png) } }, "EPUB"),
        (
            "a bomb",
            {
                try SampleEPUB(missing: ["b.xhtml"], bomb: true).data()
            }, "too large"
        ),
    ]

    @Test(arguments: AddingTests.refused.map(\.0))
    func `what is no sound EPUB is refused with a sentence`(name: String) async throws {
        let library = try await fixture.open()
        let (_, data, word) = try #require(Self.refused.first { $0.0 == name })
        let document = try await fixture.stage(try data(), as: "book.epub")
        let result = try await library.add(
            UploadedBook(filename: "book.epub"), from: document, overwrite: true, step: fixture.step())
        #expect(!result.isApplied)
        let sentence = try #require(result.warnings.first)
        #expect(sentence.contains(word) && !sentence.contains("Incoming"), "\(sentence)")
        #expect(try await library.books().isEmpty)
        for location in ["Books", "Covers", "Incoming"] { #expect(try fixture.names(in: location).isEmpty) }
    }

    @Test(arguments: [-1, 1])
    func `a document of another size than it had is refused`(difference: Int64) async throws {
        let library = try await fixture.open()
        let document = try await fixture.stage(try SampleEPUB().data(), as: "book.epub")
        let other = StagedDocument(provider: document.provider, path: document.path, size: document.size + difference)
        let result = try await library.add(
            UploadedBook(filename: "book.epub"), from: other, overwrite: false, step: fixture.step())
        #expect(!result.isApplied && result.warnings[0].contains("changed"), "\(result.warnings)")
        #expect(try fixture.names(in: "Incoming").isEmpty)
    }

    @Test func `a document that is missing or too large is refused`() async throws {
        let library = try await fixture.open { $0.maxBookSize = 100 }
        let missing = StagedDocument(provider: fixture.staging, path: try ProviderPath("none.epub"), size: 50)
        let result = try await library.add(
            UploadedBook(filename: "none.epub"), from: missing, overwrite: false, step: fixture.step())
        #expect(result.warnings.first?.contains("not in the document staging folder") == true)
        #expect(try await fixture.add(to: library).warnings.first?.contains("larger than 100 bytes") == true)
    }

    @Test func `a step that was done is not done again`() async throws {
        let library = try await fixture.open()
        let step = fixture.step()
        let document = try await fixture.stage(try SampleEPUB().data(), as: "book.epub")
        let first = try await library.add(
            UploadedBook(filename: "book.epub"), from: document, overwrite: true, step: step)
        try await fixture.staging.removeItem(path: document.path)
        #expect(
            try await library.add(UploadedBook(filename: "book.epub"), from: document, overwrite: true, step: step)
                == first)
        #expect(try fixture.names(in: "Books").count == 1)
    }

    @Test(arguments: [
        ("../../etc/passwd", "Ada Reader - _.._etc_passwd.epub"), (".hidden", "Ada Reader - hidden.epub"),
        ("a/b\\c:d", "Ada Reader - a_b_c_d.epub"), ("Ends. ", "Ada Reader - Ends.epub"),
        ("Turned \u{202E}around", "Ada Reader - Turned _around.epub"),
    ])
    func `a title becomes a harmless file name`(title: String, name: String) async throws {
        let library = try await fixture.open()
        #expect(try await fixture.add(SampleEPUB(title: title), to: library).isApplied)
        #expect(try fixture.names(in: "Books") == [name])
    }

    @Test func `a free name is found by an index`() async throws {
        try await fixture.open().close()
        let queue = try DatabaseQueue(path: fixture.folder.appendingPathComponent("library.sqlite").path)
        let plan = try await queue.read { db in
            let sql = "EXPLAIN QUERY PLAN SELECT 1 FROM books WHERE filename = ? COLLATE NOCASE LIMIT 1"
            return try Row.fetchAll(db, sql: sql, arguments: ["Ada Reader - The Desk.epub"]).map {
                $0["detail"] as String
            }
        }
        #expect(plan.count == 1 && plan[0].contains("books_by_filename"), "\(plan)")
    }

    @Test func `a long title makes a name that every storage can hold`() async throws {
        let library = try await fixture.open()
        let title = String(repeating: "ü", count: 500)
        for uuid in [UUID(), UUID()] {
            try await fixture.add(SampleEPUB(title: title, uuid: uuid.uuidString), to: library)
        }
        let names = try fixture.names(in: "Books")
        #expect(names.count == 2)
        #expect(names.allSatisfy { $0.utf8.count <= 200 && $0.hasSuffix(".epub") })
        #expect(Set(try await library.books().map(\.title)) == [title])
    }
}
