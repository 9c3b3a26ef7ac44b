import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// Files that are not what their names say.
@Suite struct MisnamedBookTests {
    private func open(_ data: Data, as name: String, types: [String] = []) async throws -> Publication {
        let shelf = try await MemoryShelf([name: data])
        var options = OpeningOptions()
        options.mediaTypes = types
        return try await Publication.open(path: ProviderPath(name), of: shelf.provider, options: options)
    }

    private static func comic() throws -> Data { try Shelf.zip([("2.png", "two"), ("1.png", "one")]) }

    private static func package() throws -> Data {
        let manifest = manifestJSON(["readingOrder": [["href": "a.html", "type": "text/html"]]])
        return try Shelf.zip([("manifest.json", manifest), ("a.html", "text")])
    }

    private static func pdf() -> Data {
        var builder = PDFBuilder()
        builder.add("<< /Type /Catalog /Pages 2 0 R >>")
        builder.add("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
        builder.add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] >>")
        return builder.build()
    }

    private static func misnamed() throws -> [(String, Data, MediaType, String, String)] {
        let (epub, comic) = (try SampleBook.small(), try comic())
        return [
            ("book.epub", pdf(), .pdf, "PDF", "EPUB"), ("book.epub", comic, .cbz, "Comic Book Archive", "EPUB"),
            ("book.epub", try package(), .readiumWebPub, "Readium Web Publication", "EPUB"),
            ("book.html", epub, .epub, "EPUB", "text/html"),
            ("book.zab", epub, .epub, "EPUB", "Zipped Audio Book"),
            ("book.cbz", pdf(), .pdf, "PDF", "Comic Book Archive"),
            ("book.webpub", epub, .epub, "EPUB", "Readium Web Publication"),
            ("book.css", epub, .epub, "EPUB", "text/css"),
        ]
    }

    @Test(arguments: try misnamed())
    func `a book with a wrong name is opened as what it is, with a warning`(
        _ name: String, _ data: Data, _ type: MediaType, _ found: String, _ claimed: String
    ) async throws {
        let book = try await open(data, as: name)
        #expect(book.mediaType == type)
        #expect(try await book.get(#require(book.readingOrder.first)).read().count > 0)
        let sentence =
            "“\(name)” is \(found) and not \(claimed), as its name or a type given with it says; it was opened as what it is."
        #expect(book.warnings.first == ContentWarning("wrong-name", severity: .moderate, message: sentence))
        #expect(book.warnings.count == 1)
        await book.close()
        await #expect(throws: URLError.self) { _ = try await book.get(#require(book.readingOrder.first)).read() }
    }

    #if Formats
        @Test func `an EPUB that is called a PDF file opens, too`() async throws {
            let book = try await open(try SampleBook.small(), as: "book.pdf")
            #expect(book.mediaType == .epub && book.warnings.map(\.tag) == ["wrong-name"])
        }
    #endif

    #if Formats
        @Test func `a comic in a RAR archive that is called an EPUB opens, too`() async throws {
            let book = try await open(
                RARBuilder.version5([RARBuilder.File("1.png", Data("one".utf8))]), as: "book.epub")
            #expect(book.readingOrder.map(\.href) == ["1.png"] && book.warnings.map(\.tag) == ["wrong-name"])
        }
    #endif

    @Test func `a type given with a file is ignored in the same way`() async throws {
        let book = try await open(try Self.comic(), as: "download", types: ["application/epub+zip"])
        #expect(book.mediaType == .cbz && book.warnings.map(\.tag) == ["wrong-name"])
    }

    /// The first failure says more than that the content is of no known kind either.
    @Test(arguments: [
        ("a.epub", Data("just text".utf8), "ZIP"), ("a.epub", Data(), "is empty"), ("a.cbz", Data([0, 1, 2]), "ZIP"),
    ])
    func `what is no book by its content either fails as what it is called`(
        _ name: String, _ data: Data, _ word: String
    ) async throws {
        let error = await #expect(throws: CocoaError.self) { _ = try await open(data, as: name) }
        #expect(
            error?.code == .fileReadCorruptFile && error?.sentence.contains(word) == true, "\(error?.sentence ?? "")")
    }

    @Test(arguments: [
        ("login.epub", "<!DOCTYPE html><html><body>Log in</body></html>", "a web page (HTML) and not EPUB"),
        ("login.epub", "<html><head><title>Log in", "a web page (HTML) and not EPUB"),
        ("error.epub", #"{"error":"x"}"#, "JSON and not EPUB"), ("error.cbz", "{}", "JSON and not Comic Book Archive"),
        ("error.epub", "<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", "XML and not EPUB"),
        ("error.webpub", "<!doctype html><p>Gone", "a web page (HTML) and not Readium Web Publication"),
    ])
    func `what a server answers instead of a book is named`(_ name: String, _ text: String, _ words: String)
        async throws
    {
        let error = await #expect(throws: CocoaError.self) { _ = try await open(Data(text.utf8), as: name) }
        let sentence = "“\(name)” is \(words); a server may have answered with it instead of the file."
        #expect(error?.code == .fileReadCorruptFile && error?.sentence == sentence, "\(error?.sentence ?? "")")
    }

    @Test func `a damaged book is not taken for another`() async throws {
        let damaged = try Shelf.zip([("mimetype", "application/epub+zip"), ("1.png", "one")])
        let error = await #expect(throws: CocoaError.self) { _ = try await open(damaged, as: "book.epub") }
        #expect(error?.sentence.contains("no package document") == true)
    }

    // MARK: What it costs

    private func requests(_ data: Data, named name: String) async throws -> (
        count: Int, bytes: Int64, book: Publication?
    ) {
        let reader = try CountingReader(data, name: name)
        let book = try? await Publication.open(path: reader.path, of: ReadOnlyProvider(reader))
        return (reader.requests.count, reader.bytes, book)
    }

    private func large(_ entries: [(String, String)]) throws -> Data {
        var numbers = SeededNumbers(seed: 9)
        let noise = numbers.bytes(400_000)
        return try ZIPBuilder.data { zip in
            try zip.store("noise.png", Data(noise))
            for (name, text) in entries { try zip.deflate(name, text) }
        }
    }

    @Test func `a right name costs nothing, and a wrong one what looking inside does`() async throws {
        let book = try large([
            ("mimetype", "application/epub+zip"), ("META-INF/container.xml", EPUBFixture.container),
            ("OEBPS/content.opf", OddBook().packageText), ("OEBPS/c1.xhtml", OddBook.chapter),
            ("OEBPS/nav.xhtml", OddBook.navigation),
        ])
        let right = try await requests(book, named: "book.epub")
        #expect(
            right.count == 1 && right.bytes == 65_536
                && right.book?.warnings.contains { $0.tag == "wrong-name" } == false)
        let comic = try await requests(large([("1.png", "one")]), named: "book.epub")
        #expect(comic.count == 1 && comic.bytes == 65_536 && comic.book?.mediaType == .cbz)
        let nothing = try await requests(Data(repeating: 1, count: 400_000), named: "book.epub")
        // What finding no archive costs already: 128 KiB from the end, in two steps, and the start.
        #expect(nothing.count == 3 && nothing.bytes == (128 + 16) << 10 && nothing.book == nil, "\(nothing)")
    }

    @Test func `a connection that is lost on the way is what is told`() async throws {
        let reader = try CountingReader(Data(repeating: 1, count: 400_000), fault: .lost(from: 1))
        await #expect(throws: URLError.self) {
            _ = try await Publication.open(path: reader.path, of: ReadOnlyProvider(reader))
        }
        #expect(reader.isClosed)
    }
}
