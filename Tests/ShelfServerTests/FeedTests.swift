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

@Suite struct `The catalogue of a shelf` {
    @Test(arguments: FeedVersion.allCases)
    func `has a root that leads to every list`(version: FeedVersion) async throws {
        let shelf = try await FeedShelf.large()
        let answer = await shelf.answer(version.root)
        #expect(answer.header("Content-Type") == version.type(.navigation))
        let root = try await shelf.feed(version.root)
        let lists = ["authors", "series", "subjects", "languages"].map { FeedShelf.origin + version.root + $0 }
        #expect(Set(root.allNavigation.map(\.href)).isSuperset(of: lists))
        // No book is in a collection.
        #expect(!root.allNavigation.contains { $0.href.hasSuffix("/collections") })
        let authors = try #require(root.allNavigation.first { $0.href.hasSuffix("/authors") })
        #expect(authors.properties.numberOfItems == 5)
        #expect(root.link(withRel: "self")?.href == FeedShelf.origin + version.root)
        #expect(root.link(withRel: "search") != nil)
    }

    @Test(arguments: FeedVersion.allCases)
    func `lists authors with their names and numbers of books`(version: FeedVersion) async throws {
        let shelf = try await FeedShelf.large()
        let authors = try await shelf.feed(version.root + "authors").allNavigation
        #expect(authors.compactMap(\.title) == ["Ada Reader", "Bo Écrivain", "Cy & Co", "Di <Writer>", "Eva"])
        #expect(authors.compactMap(\.properties.numberOfItems) == [11, 11, 11, 11, 11])
        let books = try await shelf.feed(try #require(authors.last).href)
        #expect(books.publications.count == 11)
        #expect(books.metadata.title.string == "Eva")
        #expect(books.publications.allSatisfy { $0.metadata.authors.map(\.name.string) == ["Eva"] })
    }

    @Test(arguments: FeedVersion.allCases)
    func `leads to collections and their books`(version: FeedVersion) async throws {
        let shelf = try await FeedShelf.collections()
        let root = try await shelf.feed(version.root)
        let list = try #require(root.allNavigation.first { $0.href.hasSuffix("/collections") })
        #expect(list.properties.numberOfItems == 2)
        let collections = try await shelf.feed(list.href).allNavigation
        #expect(collections.compactMap(\.title) == ["Best of", "Holidays"])
        #expect(collections.compactMap(\.properties.numberOfItems) == [2, 1])
        let books = try await shelf.feed(try #require(collections.first).href)
        #expect(books.metadata.title.string == "Best of")
        #expect(books.publications.map(\.metadata.title.string) == ["Desk", "Lamp"])
    }

    @Test(arguments: FeedVersion.allCases)
    func `divides books into pages`(version: FeedVersion) async throws {
        let shelf = try await FeedShelf.large()
        let first = try await shelf.feed(version.root + "books")
        #expect(first.metadata.numberOfItems == 56)
        #expect(first.publications.count == 50)
        #expect(first.link(withRel: "previous") == nil)
        let next = try #require(first.link(withRel: "next"))
        #expect(next.href == first.link(withRel: "last")?.href)
        let second = try await shelf.feed(next.href)
        #expect(second.publications.count == 6)
        #expect(second.link(withRel: "next") == nil)
        #expect(second.link(withRel: "previous")?.href == first.link(withRel: "first")?.href)
        let titles = (first.publications + second.publications).map(\.metadata.title.string)
        #expect(Set(titles).count == 56)
        // Numbers count by their values.
        #expect(titles.firstIndex(of: "Book 9") == 8)
    }

    @Test(arguments: FeedVersion.allCases)
    func `has the newest books first`(version: FeedVersion) async throws {
        let shelf = try await FeedShelf.large()
        let late = try SampleEPUB(title: "Late", uuid: "22222222-2222-4333-8444-555555555555").data()
        _ = try await shelf.provider.writeContents(path: ProviderPath("late.epub"), contents: late)
        try await shelf.shelf.scan()
        #expect(try await shelf.feed(version.root + "new").publications.first?.metadata.title.string == "Late")
    }

    @Test(arguments: FeedVersion.allCases)
    func `answers what isn't there with 404 and what can't be with 400`(version: FeedVersion) async throws {
        let shelf = try await FeedShelf.large()
        let missing = [
            "nothing", "book", "book/0", "book/01", "book/1/2", "book/x", "books?page=3", "authors?page=2", "formats",
        ]
        for path in missing {
            #expect(await shelf.answer(version.root + path).status == 404, "\(path)")
        }
        for path in ["books?page=0", "books?page=-1", "books?page=x", "books?sort=colour", "new?page=1000001"] {
            #expect(await shelf.answer(version.root + path).status == 400, "\(path)")
        }
        #expect(await shelf.answer("/opds/3.0/").status == 404)
        let post = await shelf.answer(version.root, method: "POST")
        #expect(post.status == 405)
        #expect(post.header("Allow") == "GET, HEAD")
    }

    @Test(arguments: FeedVersion.allCases)
    func `is sent once to a reader that keeps it`(version: FeedVersion) async throws {
        let shelf = try await FeedShelf.large()
        for path in ["", "books", "authors", "search.xml"] {
            let tag = try #require(await shelf.answer(version.root + path).header("ETag"))
            #expect(await shelf.answer(version.root + path, [("If-None-Match", tag)]).status == 304, "\(path)")
        }
    }

    @Test func `leads readers to the version that they ask for`() async throws {
        let shelf = try await FeedShelf { _ in }
        #expect(await shelf.answer("/opds/").header("Location") == FeedShelf.origin + "/opds/1.2/")
        let answer = await shelf.answer("/opds/", [("Accept", "application/opds+json, application/atom+xml;q=0.5")])
        #expect(answer.status == 307)
        #expect(answer.header("Location") == FeedShelf.origin + "/opds/2.0/")
        #expect(answer.header("Vary") == "Accept")
    }

    @Test(arguments: FeedVersion.allCases)
    func `of an empty shelf can be read`(version: FeedVersion) async throws {
        let shelf = try await FeedShelf { _ in }
        for path in ["", "books", "new", "reading"] {
            #expect(try await shelf.feed(version.root + path).publications.isEmpty, "\(path)")
        }
    }
}

@Suite struct `The facets of a catalogue` {
    private func facet(_ title: String, in feed: Feed) throws -> Facet {
        try #require(feed.facets.first { $0.metadata.title.string == title })
    }

    @Test(arguments: FeedVersion.allCases)
    func `count the books behind them`(version: FeedVersion) async throws {
        let shelf = try await FeedShelf.large()
        let books = try await shelf.feed(version.root + "books")
        let formats = try facet("Format", in: books)
        #expect(Set(formats.links.compactMap(\.title)) == ["EPUB", "CBZ"])
        for link in formats.links {
            let count = try await shelf.feed(link.href).metadata.numberOfItems
            #expect(count == link.properties.numberOfItems)
        }
        #expect(try facet("Author", in: books).links.map(\.properties.numberOfItems) == [11, 11, 11, 11, 11])
        // One language divides nothing.
        #expect(!books.facets.contains { $0.metadata.title.string == "Language" })
    }

    @Test(arguments: FeedVersion.allCases)
    func `mark what is chosen, and give it up`(version: FeedVersion) async throws {
        let shelf = try await FeedShelf.large()
        let books = try await shelf.feed(version.root + "books")
        #expect(try facet("Order", in: books).links.filter { $0.rels.contains("self") }.map(\.title) == ["Title"])
        let comics = try #require(try facet("Format", in: books).links.first { $0.title == "CBZ" })
        let chosen = try await shelf.feed(comics.href)
        #expect(chosen.publications.map(\.metadata.title.string) == [FeedShelf.comicTitle])
        let formats = try facet("Format", in: chosen)
        #expect(formats.links.filter { $0.rels.contains("self") }.map(\.title) == ["CBZ"])
        #expect(formats.links.contains { $0.title == "EPUB" })
        let any = try #require(formats.links.first { $0.title == "Any format" })
        #expect(try await shelf.feed(any.href).metadata.numberOfItems == 56)
    }

    @Test(arguments: FeedVersion.allCases)
    func `lead to the books of a collection`(version: FeedVersion) async throws {
        let shelf = try await FeedShelf.collections()
        let collections = try facet("Collection", in: try await shelf.feed(version.root + "books"))
        let holidays = try #require(collections.links.first { $0.title == "Holidays" })
        #expect(try await shelf.feed(holidays.href).publications.map(\.metadata.title.string) == ["Harbour"])
    }

    @Test(arguments: FeedVersion.allCases)
    func `narrow a search`(version: FeedVersion) async throws {
        let shelf = try await FeedShelf.large()
        let found = try await shelf.feed(version.root + "books?query=rooms")
        #expect(found.metadata.numberOfItems == 28)
        let authors = try facet("Author", in: found)
        let ada = try #require(authors.links.first { $0.title == "Ada Reader" })
        let narrowed = try await shelf.feed(ada.href)
        #expect(narrowed.metadata.numberOfItems == ada.properties.numberOfItems)
        #expect(narrowed.metadata.title.string == "“rooms”, Ada Reader")
        #expect(try facet("Order", in: narrowed).links.first { $0.rels.contains("self") }?.title == "Best match")
    }
}

@Suite struct `Searching a catalogue` {
    @Test func `works by a template in OPDS 2.0`() async throws {
        let shelf = try await FeedShelf.large()
        let search = try #require(try await shelf.feed("/opds/2.0/").link(withRel: "search"))
        #expect(search.templated)
        #expect(search.href == FeedShelf.origin + "/opds/2.0/books{?query}")
        let found = try await shelf.feed("/opds/2.0/books?query=%C3%A9crivain+5")
        #expect(found.publications.allSatisfy { $0.metadata.authors.first?.name.string == "Bo Écrivain" })
        #expect(!found.publications.isEmpty)
        #expect(try await shelf.feed("/opds/2.0/books?query=nothing").publications.isEmpty)
    }

    @Test func `works by an OpenSearch description in OPDS 1.2`() async throws {
        let shelf = try await FeedShelf.large()
        let search = try #require(try await shelf.feed("/opds/1.2/").link(withRel: "search"))
        #expect(search.type == "application/opensearchdescription+xml")
        let text = String(decoding: try await shelf.answer(search.href).feedBytes(), as: UTF8.self)
        #expect(text.contains("/opds/1.2/books?query={searchTerms}"))
        // A reader that doesn't know the optional parameter leaves it as it is.
        let found = try await shelf.feed("/opds/1.2/books?query=light&page={startPage?}")
        #expect(found.metadata.numberOfItems == 27)
    }
}
