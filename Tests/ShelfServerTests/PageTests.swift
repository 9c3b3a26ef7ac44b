import FileProviderCore
import Foundation
import MemoryFileProvider
import Publication
import SampleBooks
import Shelf
import Testing
import WebServer

@testable import ShelfServer

@Suite struct `The pages of a shelf` {
    private static let lists = ["authors", "series", "subjects", "languages", "collections"]

    @Test func `begin with what is new and lead to everything`() async throws {
        let shelf = try await FeedShelf.large()
        let page = try await shelf.page("/")
        #expect(page.section("newest").titles.count == 12)
        #expect(page.section("all").titles.prefix(3) == ["Book 1", "Book 2", "Book 3"])
        #expect(page.section("all").titles.count == 24)
        #expect(page.section("all").link("Show all 56") == "/books")
        #expect(page.section("newest").link("All by date") == "/books?sort=added")
        #expect(page.section("reading").html.isEmpty)
        for list in Self.lists { #expect(page.links.contains("/" + list), "\(list)") }
    }

    @Test func `show what is being read, the last book first`() async throws {
        let shelf = try await FeedShelf.large()
        // The third is finished.
        let places: [(String, Double, TimeInterval)] = [
            ("Book 3", 0.426, 1_000), ("Book 5", 0, 3_000), ("Book 9", 1, 2_000),
        ]
        for (title, progression, time) in places {
            let place = KeptPlace(
                locator: Data("{}".utf8), totalProgression: progression, modified: Date(timeIntervalSince1970: time))
            try await shelf.people.keep(place, of: .everyone, in: try await shelf.book(titled: title).id)
        }
        let reading = try await shelf.page("/").section("reading")
        #expect(reading.titles == ["Book 5", "Book 3"])
        #expect(reading.html.contains("value=\"43\""))
        let address = try #require(reading.link("Book 3"))
        #expect(address.hasPrefix("/read/"))
        #expect(await shelf.answer(address).status == 200)
        let book = try await shelf.book(titled: "Book 3")
        #expect(try await shelf.page("/book/\(book.id)").link("Continue") == address)
    }

    @Test func `divide books into numbered pages`() async throws {
        let shelf = try await FeedShelf.large()
        let first = try await shelf.page("/books")
        #expect(first.heading == "All books")
        #expect(first.html.contains("56 books"))
        #expect(first.link("Previous") == nil)
        let second = try await shelf.page(try #require(first.link("Next")))
        #expect(second.link("Next") == nil)
        #expect(second.link("Previous") == "/books")
        #expect(first.titles.count == 48)
        #expect(Set(first.titles + second.titles).count == 56)
        #expect(second.html.contains("<a href=\"/books?page=2\" aria-current=\"page\">"))
    }

    @Test(arguments: ["query", "q"])
    func `find books by the beginnings of words`(parameter: String) async throws {
        let shelf = try await FeedShelf.large()
        let found = try await shelf.page("/books?\(parameter)=SHIFT+nigh")
        #expect(found.titles == [FeedShelf.comicTitle])
        #expect(found.heading == "“SHIFT nigh”")
        #expect(found.html.contains("value=\"SHIFT nigh\""))
        #expect(found.link("Remove") == "/books")
        let nothing = try await shelf.page("/books?\(parameter)=zebra")
        #expect(nothing.titles.isEmpty && nothing.html.contains("0 books"))
        #expect(nothing.link("Show all books") == "/books")
    }

    @Test func `list names with their numbers of books`() async throws {
        let shelf = try await FeedShelf.large()
        let authors = try await shelf.page("/authors")
        #expect(authors.html.contains("<a href=\"/authors\" aria-current=\"page\">"))
        for name in ["Ada Reader", "Bo Écrivain", "Cy &amp; Co", "Di &lt;Writer&gt;", "Eva"] {
            let books = try await shelf.page(try #require(authors.link(name)))
            #expect(books.heading == name)
            #expect(books.titles.count == 11 && books.html.contains("11 books"))
            #expect(books.link("Remove") == "/books")
        }
        let series = try await shelf.page("/series")
        #expect(try await shelf.page(try #require(series.link("Sevens"))).titles.first == "Book 7")
        #expect(try await shelf.page("/languages").link("English") != nil)
        #expect(try await shelf.page("/subjects").link("Furniture") != nil)
        #expect(try await shelf.page("/collections").html.contains("No book on this shelf names any."))
    }

    @Test func `lead to collections and their books`() async throws {
        let shelf = try await FeedShelf.collections()
        let lamp = try await shelf.book(titled: "Lamp")
        for address in ["/collections", "/books", "/book/\(lamp.id)"] {
            let link = try #require(try await shelf.page(address).link("Best of"), "\(address)")
            let books = try await shelf.page(link)
            #expect(books.heading == "Best of" && books.titles == ["Desk", "Lamp"], "\(address)")
            #expect(books.link("Remove") == "/books")
        }
    }

    @Test func `filter books by several properties at once`() async throws {
        let shelf = try await FeedShelf.large()
        let all = try await shelf.page("/books")
        for title in ["Author", "Subject", "Format"] { #expect(all.html.contains("<summary>\(title)</summary>")) }
        // All books have the same language, and none is in a collection.
        #expect(!all.html.contains("<summary>Collection</summary>"))
        let light = try await shelf.page(try #require(all.link("Light")))
        #expect(light.html.contains("27 books"))
        let both = try await shelf.page(try #require(light.link("Eva")))
        #expect(both.heading == "Eva, Light")
        // The even ones of every fifth from 4.
        #expect(both.titles == ["Book 4", "Book 14", "Book 24", "Book 34", "Book 44", "Book 54"])
        #expect(!both.html.contains("<summary>Author</summary>"))
        #expect(both.links.contains(try #require(all.link("Light"))))
        // Among few formats people can switch.
        let comics = try await shelf.page(try #require(all.link("CBZ")))
        #expect(comics.titles == [FeedShelf.comicTitle])
        #expect(try #require(comics.link("EPUB")).hasPrefix("/books?type="))
    }

    @Test func `order books, and keep what is chosen`() async throws {
        let shelf = try await FeedShelf.large()
        let light = try await shelf.page(try #require(try await shelf.page("/books").link("Light")))
        let address = try #require(light.link("Newest first"))
        let newest = try await shelf.page(address)
        #expect(newest.heading == "Light")
        #expect(newest.html.contains("Newest first</summary>"))
        #expect(Set(newest.titles) == Set(light.titles))
    }

    @Test func `say so where nothing is`() async throws {
        let shelf = try await FeedShelf.large()
        for path in ["nothing", "book", "book/0", "book/01", "book/x", "books?page=3", "authors?page=2", "formats"] {
            let page = try await shelf.page("/" + path, status: 404)
            #expect(page.heading == "There is nothing here")
            #expect(page.answer.header("Cache-Control") == "no-store")
        }
        for path in ["books?page=0", "books?page=x", "books?sort=colour", "series?page=-1"] {
            #expect(try await shelf.page("/" + path, status: 400).heading == "This address is not understood")
        }
        #expect(await shelf.answer("/books", method: "PUT").status == 405)
        #expect(await shelf.answer("/assets/nothing.css").status == 404)
        #expect(await shelf.answer("/assets").status == 404)
    }

    @Test func `of an empty shelf say how books get there`() async throws {
        let shelf = try await FeedShelf { _ in }
        #expect(try await shelf.page("/").heading == "There are no books here yet")
        #expect(try await shelf.page("/books").html.contains("0 books"))
        #expect(try await shelf.page("/authors").html.contains("No book on this shelf names any."))
    }

    @Test func `are not sent again to a browser that has them`() async throws {
        let shelf = try await FeedShelf.large()
        for path in ["/", "/books", "/assets/shelf.css"] {
            let tag = try #require(await shelf.answer(path).header("ETag"))
            #expect(await shelf.answer(path, [("If-None-Match", tag)]).status == 304, "\(path)")
        }
        let head = await shelf.answer("/books", method: "HEAD")
        #expect(head.status == 200)
        #expect(try await head.feedBytes().isEmpty)
    }

    @Test func `suggest books for what someone types`() async throws {
        let shelf = try await FeedShelf.large()
        let some = try await shelf.page("/suggestions?query=boo")
        #expect(some.links.count == 8)
        #expect(some.links.allSatisfy { $0.hasPrefix("/book/") })
        #expect(!some.html.contains("<html"))
        #expect(try await shelf.page("/suggestions").links.isEmpty)
        #expect(try await shelf.page("/suggestions?query=zebra").links.isEmpty)
    }

    @Test func `have a style for each colour of made covers, and each file they name`() async throws {
        let shelf = try await FeedShelf { _ in }
        let style = String(decoding: try await shelf.answer("/assets/shelf.css").feedBytes(), as: UTF8.self)
        for tint in 0..<CoverMarkup.tints { #expect(style.contains(".tint-\(tint) {")) }
        #expect(!style.contains(".tint-\(CoverMarkup.tints) "))
        let html = try await shelf.page("/").html
        let assets = html.matches(of: /"(\/assets\/[^"]+)"/).map { String($0.1) }
        #expect(assets.count == 3)
        for asset in assets { #expect(await shelf.answer(asset).status == 200, "\(asset)") }
    }
}
