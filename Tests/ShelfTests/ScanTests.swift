import FileProviderCore
import Foundation
import LocalFileProvider
import MediaTypes
import MemoryFileProvider
import ProviderDoubles
import Publication
import SampleBooks
import Shelf
import Testing

@Suite struct ScanTests {
    private let bench: ShelfBench

    init() throws { bench = try ShelfBench() }

    @Test func `books are described and other files refused, and hardly anything of them is read`() async throws {
        let extra = Data((0..<(2 << 20)).map { _ in UInt8.random(in: .min ... .max) })
        try await bench.put("books/a/Emma.epub", ShelfBench.epub("Emma", files: [("extra.bin", extra)]))
        let comic = try ZIPBuilder.data { zip in
            for name in ["1.png", "2.png"] { try zip.store(name, SampleBook.coverPicture()) }
        }
        try await bench.put("books/comic.cbz", comic)
        try await bench.put("books/broken.epub", Data("This is no archive.".utf8))
        try await bench.put("books/picture.png", SampleBook.coverPicture())
        try await bench.put("books/notes.opf", Data("<package/>".utf8))
        try await bench.put("books/.hidden.epub", ShelfBench.epub("Hidden"))
        try await bench.put("books/.trash/Emma.epub", ShelfBench.epub("Gone"))
        try await bench.with { shelf in
            let report = try await shelf.scan()
            #expect(report.isComplete && report.listed == 5 && report.added == 2 && report.refused == 3)
            let emma = try #require(try await shelf.book(at: "books/a/Emma.epub"))
            #expect(emma.metadata.title.string == "Emma" && emma.metadata.languages == ["en"])
            #expect(emma.metadata.authors.map(\.name.string) == ["Jane Austen"])
            #expect(emma.mediaType == .epub && emma.positionCount == 1)
            let comic = try #require(try await shelf.book(at: "books/comic.cbz"))
            #expect(comic.metadata.title.string == "comic" && comic.mediaType == .cbz && comic.positionCount == 2)
            let refused = try await shelf.refused()
            #expect(refused.map(\.path.name) == ["broken.epub", "notes.opf", "picture.png"])
            #expect(refused.last?.sentence.contains("image/png") == true)
            #expect(try await shelf.counts().books == 2)
        }
        let state = bench.storage.state.value
        #expect(state.bytes < 256 << 10, "\(state.bytes) bytes were read")
        #expect(Set(state.opened.map(\.name)) == ["Emma.epub", "comic.cbz", "broken.epub"])
        #expect(state.open == 0)
        #expect(bench.lines.contains("added /books/a/Emma.epub: Emma"))
    }

    @Test func `a first look takes three requests a book, and the next one only listings`() async throws {
        let bench = try ShelfBench(cost: .request)
        for number in 0..<20 {
            try await bench.put("books/\(number % 4)/\(number).epub", ShelfBench.epub("Book \(number)"))
        }
        try await bench.with { shelf in
            #expect(try await shelf.scan().added == 20)
            let first = bench.storage.state.value
            #expect(first.reads <= 60 && first.bytes <= 20 * 120 << 10, "\(first.reads) reads")
            #expect(first.listings == 5 && first.attributes == 0)
            #expect(first.mostOpen <= 8)

            let report = try await shelf.scan()
            #expect(report.isComplete && report.listed == 20 && report.read == 0)
            let second = bench.storage.state.value
            #expect(second.reads == first.reads && second.opened.count == 20)
            #expect(second.listings == 10 && second.attributes == 0)
            #expect(second.capabilities == first.capabilities)

            try await bench.put("books/1/5.epub", ShelfBench.epub("Changed"))
            #expect(try await shelf.scan().changed == 1)
            #expect(bench.storage.state.value.opened.count == 21)
        }
    }

    @Test func `what moved stays itself and is not opened again, and what is gone leaves`() async throws {
        try await bench.put("books/a.epub", ShelfBench.epub("Emma"))
        try await bench.put("books/b.epub", ShelfBench.epub("B"))
        try await bench.put("books/c.epub", ShelfBench.epub("C"))
        try await bench.put("books/broken.epub", Data("This is no archive.".utf8))
        let id = try await bench.with { shelf in
            try await shelf.scan()
            return try #require(try await shelf.book(at: "books/a.epub")).id
        }
        try await bench.remove("books/b.epub")
        try await bench.move("books/a.epub", to: "books/new/z.epub")
        try await bench.with { shelf in
            let report = try await shelf.scan()
            #expect(report.moved == 1 && report.removed == 1 && report.read == 0)
            #expect(try await shelf.book(at: "books/new/z.epub")?.id == id)
            #expect(try await shelf.paths == ["/books/c.epub", "/books/new/z.epub"])
            #expect(try await shelf.refused().count == 1)
        }
        #expect(bench.storage.state.value.opened.count == 4)
        #expect(bench.lines.suffix(2) == ["moved /books/a.epub -> /books/new/z.epub", "removed /books/b.epub"])
    }

    @Test func `a changed book stays itself`() async throws {
        try await bench.put("books/a.epub", ShelfBench.epub("A"))
        try await bench.with { shelf in
            try await shelf.scan()
            let id = try #require(try await shelf.book(at: "books/a.epub")).id
            try await bench.put("books/a.epub", ShelfBench.epub("Another"))
            try await shelf.scan()
            let book = try #require(try await shelf.book(id))
            #expect(book.metadata.title.string == "Another")
        }
        #expect(bench.lines == ["added /books/a.epub: A", "changed /books/a.epub: Another"])
    }

    @Test func `a book with a password is refused, and not tried again`() async throws {
        var options = ZIPBuilder.Options()
        (options.isEncrypted, options.method) = (true, 0)
        let locked = try ZIPBuilder.data { zip in
            try zip.add("mimetype", Data("application/epub+zip".utf8), options)
            try zip.add("META-INF/container.xml", Data(repeating: 1, count: 100), options)
        }
        try await bench.put("books/locked.epub", locked)
        try await bench.with { shelf in
            #expect(try await shelf.scan().isComplete)
            #expect(try await shelf.refused().first?.sentence.contains("password") == true)
            try await shelf.scan()
        }
        #expect(bench.storage.state.value.opened.count == 1)
    }

    @Test func `hidden books are shown on request, and parts of files never`() async throws {
        try await bench.put("books/.b/b.epub", ShelfBench.epub("B"))
        let part = try TemporaryName.make(beside: ProviderPath("books/a.epub"))
        try await bench.put(part.string, ShelfBench.epub("A"))
        try await bench.with(nil, bench.options { $0.isHiddenIncluded = true }) { shelf in
            try await shelf.scan()
            #expect(try await shelf.paths == ["/books/.b/b.epub"])
        }
    }

    @Test func `the folder may be named by a symbolic link`() async throws {
        let top = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: top.url.appending(path: "real"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: top.url.appending(path: "books").path, withDestinationPath: "real")
        try ShelfBench.epub("A").write(to: top.url.appending(path: "real/a.epub"))
        let source = ShelfSource(provider: try LocalFileProvider(root: top.url), root: try ProviderPath("books"))
        let shelf = try await bench.open([source])
        for _ in 1...2 {
            #expect(try await shelf.scan().isComplete)
            #expect(try await shelf.paths == ["/books/a.epub"])
        }
        try await shelf.close()
    }

    @Test func `books are opened where they are now`() async throws {
        let data = try ShelfBench.epub("A")
        try await bench.put("books/a.epub", data)
        try await bench.with { shelf in
            try await shelf.scan()
            let book = try #require(try await shelf.book(at: "books/a.epub"))
            try await bench.move("books/a.epub", to: "books/b.epub")
            try await shelf.scan()
            let publication = try await shelf.open(book)
            #expect(publication.metadata.title.string == "A")
            await publication.close()
            let file = try await shelf.file(of: book)
            #expect(try await file.read(.whole).data == data)
            await file.close()
            try await bench.remove("books/b.epub")
            try await shelf.scan(confirmingRemovals: true)
            await #expect { try await shelf.open(book) } throws: { $0.isNoSuchFile }
        }
    }

    @Test func `two shelves cannot share a folder, nor a shelf be in its source`() async throws {
        let shelf = try await bench.open()
        await #expect {
            try await bench.open()
        } throws: {
            let cause = ($0 as? CocoaError)?.underlying as? POSIXError
            return cause?.code == .EWOULDBLOCK && $0.sentence.contains("another process")
        }
        try await shelf.close()
        let again = try await bench.open()
        try await again.close()

        let top = bench.folder.deletingLastPathComponent()
        let source = ShelfSource(provider: try LocalFileProvider(root: top))
        await #expect {
            _ = try await bench.open([source])
        } throws: {
            ($0 as? CocoaError)?.code == .fileWriteInvalidFileName && $0.sentence.contains("watch itself")
        }
    }

    @Test func `two sources with one location are refused`() async throws {
        let source = try bench.source
        let other = ShelfSource(provider: source.provider, root: source.root, name: "Other")
        await #expect {
            _ = try await bench.open([source, other])
        } throws: {
            ($0 as? CocoaError)?.code == .fileReadInvalidFileName && $0.sentence.contains("Two sources")
        }
    }

    @Test(arguments: [
        "{\"location\": ", "SQLite format 3\0 and no more", String(repeating: "no database ", count: 100),
    ])
    func `a file that is no catalogue is refused and left`(text: String) async throws {
        try FileManager.default.createDirectory(at: bench.folder, withIntermediateDirectories: true)
        let file = bench.folder.appending(path: "shelf.sqlite")
        try Data(text.utf8).write(to: file)
        await #expect {
            _ = try await bench.open()
        } throws: {
            ($0 as? CocoaError)?.code == .fileReadCorruptFile && $0.sentence.contains("shelf.sqlite")
        }
        #expect(try Data(contentsOf: file) == Data(text.utf8))
    }

    @Test func `a catalogue that cannot be written ends scans and following`() async throws {
        try await bench.put("books/a.epub", ShelfBench.epub("A"))
        let shelf = try await bench.open()
        try await shelf.close()
        await #expect(throws: CocoaError.self) { try await shelf.scan() }
        await #expect(throws: CocoaError.self) { try await shelf.follow() }
        #expect(!bench.lines.contains { $0.hasPrefix("interrupted") })
    }
}
