import FileProviderCore
import Foundation
import MemoryFileProvider
import OPDS
import Publication
import SampleBooks
import Shelf
import Testing
import WebServer

@testable import ShelfServer

@Suite struct `A book in a catalogue` {
    @Test(arguments: FeedVersion.allCases)
    func `can be acquired, seen and read about`(version: FeedVersion) async throws {
        let shelf = try await FeedShelf.large()
        let book = try await shelf.book(titled: "Book 1")
        guard case .publication(let entry) = try await shelf.document(version.root + "book/\(book.id)") else {
            Issue.record("it is no entry")
            return
        }
        let file = try #require(entry.acquisitions.first)
        #expect(file.acquisitionRelation == .acquisition)
        #expect(file.href == FeedShelf.origin + "/" + BookAddress.file(of: book))
        #expect(file.type == "application/epub+zip")
        #expect(file.size == book.fileSize)
        #expect(entry.cover?.href.contains("size=800") == true)
        #expect(entry.thumbnail?.href.contains("size=240") == true)
        #expect(entry.metadata.title.string == "Book 1")
        #expect(entry.metadata.authors.map(\.name.string) == ["Bo Écrivain"])
        let pages = entry.links.filter { $0.type == "text/html" }
        #expect(pages.map(\.href) == [FeedShelf.origin + "/book/\(book.id)"])
    }

    @Test func `without a cover shows none`() async throws {
        let shelf = try await FeedShelf.large()
        let entries = try await shelf.feed("/opds/2.0/books?query=book+2").publications
        let entry = try #require(entries.first { $0.metadata.title.string == "Book 2" })
        #expect(entry.images.isEmpty)
    }

    @Test func `keeps its name when its file moves, in both versions`() async throws {
        let shelf = try await FeedShelf.large()
        let before = try await shelf.book(titled: "Book 3").feedIdentifier
        let form = /urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        #expect(before.wholeMatch(of: form) != nil)
        try await shelf.provider.createFolder(path: ProviderPath("moved"))
        try await shelf.provider.moveItem(path: ProviderPath("3.epub"), to: ProviderPath("moved/3.epub"))
        try await shelf.shelf.scan()
        let book = try await shelf.book(titled: "Book 3")
        #expect(book.path.string == "/moved/3.epub")
        #expect(book.feedIdentifier == before)
        let text = String(decoding: try await shelf.answer("/opds/1.2/book/\(book.id)").feedBytes(), as: UTF8.self)
        #expect(text.contains(before))
        let all = try await shelf.shelf.books(ShelfQuery(limit: 500)).books
        #expect(Set(all.map(\.feedIdentifier)).count == all.count)
    }

    @Test(arguments: FeedVersion.allCases)
    func `is text, whatever its names are`(version: FeedVersion) async throws {
        let title = "</title><script>alert(1)</script>&\"'"
        let shelf = try await FeedShelf { provider in
            var book = SampleEPUB(title: title, authors: [("&lt;img src=x onerror=y>", "")])
            book.description = "<p onclick=\"z()\">About</p>"
            _ = try await provider.writeContents(path: ProviderPath("a <b> & \"c\" é.epub"), contents: book.data())
        }
        let feed = try await shelf.feed(version.root + "books")
        let entry = try #require(feed.publications.first)
        #expect(entry.metadata.title.string == title)
        #expect(entry.metadata.authors.first?.name.string == "<img src=x onerror=y>")
        let text = String(decoding: try await shelf.answer(version.root + "books").feedBytes(), as: UTF8.self)
        if version == .atom { #expect(!text.contains("<script") && !text.contains("<img")) }
        let file = try #require(entry.acquisitions.first).href
        #expect(file.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>\"&".utf8.contains($0) })
        #expect(await shelf.answer(file, method: "HEAD").status == 200)
    }

    @Test(arguments: FeedVersion.allCases)
    func `of pictures is streamed page by page, from where the person is`(version: FeedVersion) async throws {
        let shelf = try await FeedShelf { try await FeedShelf.addComic(to: $0) }
        let comic = try await shelf.book(titled: FeedShelf.comicTitle)
        func stream() async throws -> Link {
            let entry = try #require(try await shelf.feed(version.root + "books").publications.first)
            return try #require(entry.links.firstWithRel(CatalogRelation.pageStream))
        }
        let fresh = try await stream()
        #expect(fresh.href == FeedShelf.origin + "/book/\(comic.id)/pages/{pageNumber}?width={maxWidth}")
        #expect(fresh.type == "image/jpeg")
        #expect(fresh.properties.pageStreaming == PageStreaming(count: 3))
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        let locator = Data("{\"href\":\"2.png\",\"type\":\"image/png\",\"locations\":{\"position\":2}}".utf8)
        try await shelf.people.keep(
            KeptPlace(locator: locator, totalProgression: 1 / 3, modified: time), of: .everyone, in: comic.id)
        #expect(try await stream().properties.pageStreaming?.lastRead == 2)
        #expect(try await stream().properties.pageStreaming?.lastReadDate != nil)
        let reading = try await shelf.feed(version.root + "reading")
        #expect(reading.publications.map(\.metadata.title.string) == [FeedShelf.comicTitle])
        let root = try await shelf.feed(version.root)
        #expect(root.navigation.contains { $0.href.hasSuffix("/reading") })
    }

    @Test func `leads to the other books of its author and its series`() async throws {
        let shelf = try await FeedShelf.large()
        let feed = try await shelf.feed("/opds/2.0/books?query=sevens")
        let entry = try #require(feed.publications.first)
        let author = try #require(entry.metadata.authors.first?.links.first)
        #expect(try await shelf.feed(author.href).metadata.numberOfItems == 11)
        let series = try #require(entry.metadata.belongsToSeries.first?.links.first)
        #expect(try await shelf.feed(series.href).metadata.numberOfItems == 7)
        let subject = try #require(entry.metadata.subjects.first?.links.first)
        #expect(try await shelf.feed(subject.href).metadata.numberOfItems ?? 0 > 20)
    }

    @Test func `leads to the other books of its collection`() async throws {
        let shelf = try await FeedShelf.collections()
        let entry = try #require(try await shelf.feed("/opds/2.0/books?query=lamp").publications.first)
        let collection = try #require(entry.metadata.belongsToCollections.first?.links.first)
        let books = try await shelf.feed(collection.href)
        #expect(books.publications.map(\.metadata.title.string) == ["Desk", "Lamp"])
    }
}

@Suite struct `What a feed says of a book` {
    private func place(_ locator: String, _ progression: Double?) -> KeptPlace {
        KeptPlace(locator: Data(locator.utf8), totalProgression: progression, modified: Date(timeIntervalSince1970: 0))
    }

    @Test func `is the page of the position, or else of the progression`() {
        #expect(place("{\"locations\":{\"position\":4}}", 0).page(of: 10) == 4)
        #expect(place("{\"locations\":{\"position\":11}}", 0.5).page(of: 10) == 6)
        #expect(place("no JSON", 0.5).page(of: 10) == 6)
        #expect(place("{}", nil).page(of: 10) == nil)
        #expect(place("{}", 1).page(of: 10) == 10)
        #expect(place("{}", 7).page(of: 10) == nil)
    }

    @Test(arguments: [1, 3, 7, 22, 49, 1_000])
    func `is the page that a place came from`(count: Int) {
        for page in 1...count {
            #expect(place("{}", Double(page - 1) / Double(count)).page(of: count) == page)
        }
    }

    @Test func `is an identifier only if it is a URI`() {
        for text in ["urn:isbn:9780000000000", "https://example.org/a?b#c", "a:b"] { #expect(FeedBook.isURI(text)) }
        for text in ["", "9780000000000", ":a", "a:", "1a:b", "urn:a b", "urn:é", "urn:<a>"] {
            #expect(!FeedBook.isURI(text), "\(text)")
        }
    }

    @Test func `is a language only if it has the form of a tag`() {
        for text in ["en", "pt-BR", "zh-Hant-TW", "de-1996"] { #expect(FeedBook.isLanguage(text)) }
        for text in ["", "e", "en_US", "en-", "English language", "-en", "1n"] {
            #expect(!FeedBook.isLanguage(text), "\(text)")
        }
    }
}

@Suite struct `The parameters of a feed's address` {
    private func parameters(_ query: String) -> RequestParameters {
        RequestParameters(ServerRequest(target: "/opds/2.0/books" + query))
    }

    @Test func `are decoded once`() {
        #expect(parameters("?query=a+b%2Bc%26d&query=other")["query"] == "a b+c&d")
        #expect(parameters("?query=%2525")["query"] == "%25")
        #expect(parameters("?query=a=b?c")["query"] == "a=b?c")
        #expect(parameters("?query=")["query"] == nil)
        #expect(parameters("?query")["query"] == nil)
        #expect(parameters("")["query"] == nil)
    }

    @Test func `are those that make the same selection again`() throws {
        var selection = BookSelection()
        selection.text = "a & b = c? + é%"
        for division in ShelfDivision.allCases { selection.keys[division] = "key/\(division) #1" }
        selection.sort = .series
        selection.page = 7
        #expect(BookSelection(parameters(RequestParameters.query(selection.items))) == selection)
    }
}
