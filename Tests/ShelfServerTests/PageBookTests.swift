import FileProviderCore
import Foundation
import MediaTypes
import MemoryFileProvider
import Publication
import SampleBooks
import Shelf
import Testing
import WebServer

@testable import ShelfServer

@Suite struct `The page of a book` {
    @Test func `offers to read and to download it`() async throws {
        let shelf = try await FeedShelf.large()
        let book = try await shelf.book(titled: "Book 1")
        let page = try await shelf.page("/book/\(book.id)")
        #expect(page.heading == "Book 1")
        #expect(page.html.contains("<title>Book 1 · Books</title>"))
        let reading = try #require(page.link("Read"))
        #expect(reading.hasPrefix("/read/\(book.id)-"))
        #expect(await shelf.answer(reading).status == 200)
        let file = try #require(page.link("Download EPUB"))
        #expect(file.hasPrefix("/book/\(book.id)/file/") && file.hasSuffix("%20-%20Book%201.epub"))
        #expect(await shelf.answer(file, method: "HEAD").status == 200)
        #expect(page.html.contains("alt=\"Cover of “Book 1”\""))
        let cover = try #require(page.html.firstMatch(of: /src="([^"]*size=800[^"]*)"/)?.1)
        #expect(await shelf.answer(String(cover).replacing("&amp;", with: "&")).status == 200)
    }

    @Test func `leads to other books of its author, series and subjects`() async throws {
        let shelf = try await FeedShelf.large()
        let book = try await shelf.book(titled: "Book 14")
        let page = try await shelf.page("/book/\(book.id)")
        #expect(page.html.contains("Sevens</a>, 2"))
        #expect(page.section("others").titles == ["Book 7", "Book 21", "Book 28", "Book 35", "Book 42", "Book 49"])
        let author = try #require(page.link("Eva"))
        #expect(try await shelf.page(author).titles.count == 11)
        let series = try #require(page.link("Sevens"))
        #expect(try await shelf.page(series).titles.count == 7)
        let subject = try #require(page.link("Light"))
        #expect(try await shelf.page(subject).heading == "Light")
        let format = try #require(page.html.firstMatch(of: /href="(\/books\?type=[^"]*)"/)?.1)
        #expect(try await shelf.page(String(format)).html.contains("55 books"))
    }

    @Test func `leads to more of the author if it is in no series`() async throws {
        let shelf = try await FeedShelf.large()
        let book = try await shelf.book(titled: "Book 1")
        let others = try await shelf.page("/book/\(book.id)").section("others")
        #expect(others.html.contains("More by Bo Écrivain"))
        #expect(others.titles.count == 8 && !others.titles.contains("Book 1"))
        #expect(try await shelf.page(try #require(others.link("Show all 11"))).titles.count == 11)
    }

    @Test func `shows a made cover if the book has none`() async throws {
        let shelf = try await FeedShelf.large()
        let book = try await shelf.book(titled: "Book 2")
        let page = try await shelf.page("/book/\(book.id)")
        #expect(page.html.contains("<span class=\"made-title\">Book 2</span>"))
        #expect(!page.html.contains("size=800"))
    }
}

@Suite struct `What is hostile in a book` {
    private static let title = "</title><script>alert(1)</script>&\"'"
    private static let author = "<img src=x onerror=alert(2)>"

    private func shelf() async throws -> FeedShelf {
        try await FeedShelf { provider in
            for number in 1...2 {
                var book = SampleEPUB(
                    title: Self.title, authors: [("&lt;img src=x onerror=alert(2)>", "")], uuid: UUID().uuidString,
                    series: (name: "&lt;b onclick=alert(3)>", index: String(number)))
                book.subjects = ["&lt;script>alert(4)&lt;/script>", "&#34;>&lt;svg onload=alert(5)>"]
                book.description = "<p onclick=\"alert(6)\">About</p><script>alert(7)</script><iframe src=//x>"
                let name = "\(number) \"'><script>alert(8)</script>.epub".replacing("/", with: "_")
                _ = try await provider.writeContents(path: ProviderPath(name), contents: book.data())
            }
        }
    }

    @Test func `stays text on every page`() async throws {
        let shelf = try await shelf()
        let book = try await shelf.book(titled: Self.title)
        let addresses = [
            "/", "/books", "/books?query=alert", "/authors", "/series", "/subjects", "/book/\(book.id)",
            "/suggestions?query=alert", "/books?query=%22%3E%3Cscript%3Ealert(9)%3C/script%3E",
            "/books?author=%22%3E%3Cscript%3Ealert(9)%3C/script%3E", "/%3Cscript%3Ealert(9)",
        ]
        for address in addresses {
            let answer = await shelf.answer(address)
            let html = String(decoding: try await answer.feedBytes(), as: UTF8.self)
            let isPage = html.contains("<html")
            // The page's own script, and no other element with one.
            #expect(html.split(separator: "<script").count == (isPage ? 2 : 1), "\(address)")
            #expect(html.matches(of: /<(?:iframe|svg on|b |img src="?x|style|object|embed)/).isEmpty, "\(address)")
            #expect(html.matches(of: /<[^>]*\son[a-z]+\s*=/).isEmpty, "\(address)")
            #expect(html.matches(of: /<[^>]*\sstyle\s*=/).isEmpty, "\(address)")
            #expect(!html.contains("javascript:"), "\(address)")
        }
        let page = try await shelf.page("/book/\(book.id)")
        #expect(page.html.contains("&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#39;</h1>"))
        #expect(page.html.contains("<p dir=\"auto\">About</p>"))
        let author = try #require(page.link("onerror"))
        #expect(try await shelf.page(author).titles.count == 2)
    }

    @Test func `could do nothing if it weren’t`() async throws {
        let shelf = try await shelf()
        for address in ["/", "/books", "/authors", "/nothing"] {
            let policy = try #require(await shelf.answer(address).header("Content-Security-Policy"))
            let parts = Set(policy.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) })
            let origin = FeedShelf.origin
            #expect(
                parts == [
                    "default-src 'none'", "script-src \(origin)/assets/", "style-src \(origin)/assets/",
                    "img-src \(origin)/", "connect-src \(origin)/suggestions", "base-uri 'none'",
                    "form-action \(origin)/", "frame-ancestors 'none'",
                ])
            #expect(await shelf.answer(address).header("X-Content-Type-Options") == "nosniff")
            #expect(await shelf.answer(address).header("Referrer-Policy") == "no-referrer")
        }
    }
}

@Suite struct `What a page shows of a book` {
    private func book(_ type: MediaType = .epub, _ change: (inout Metadata) -> Void) throws -> ShownBook {
        var metadata = Metadata(title: "The Desk")
        change(&metadata)
        let date = Date(timeIntervalSince1970: 0)
        return ShownBook(
            ShelfBook(
                id: 1, source: 1, path: try ProviderPath("shelf/desk.epub"), metadata: metadata, mediaType: type,
                added: date, changed: date))
    }

    @Test func `is the file’s name if there is no title`() throws {
        #expect(try book { $0.title = " \n" }.title == "desk.epub")
        #expect(try book { _ in }.title == "The Desk")
    }

    @Test func `are the first authors, or those who drew it`() throws {
        let names = ["A", "B", "C", "D"].map { Contributor(name: LocalizedString($0)) }
        #expect(try book { $0.authors = Array(names.prefix(3)) }.byline == "A, B, C")
        #expect(try book { $0.authors = names }.byline == "A, B, C and others")
        #expect(try book { $0[.artist] = Array(names.prefix(1)) }.byline == "A")
        #expect(try book { _ in }.byline.isEmpty)
    }

    @Test func `is its format by its usual name`() throws {
        #expect(try book { _ in }.format == "EPUB")
        #expect(try book(.cbz) { _ in }.format == "CBZ")
        #expect(try book(.readiumAudiobook) { _ in }.isAudio)
        #expect(try !book { $0.duration = 60 }.isAudio)
    }

    @Test func `is a picture over a made cover as long as nobody knows whether there is one`() throws {
        var shown = try book { $0.authors = [Contributor(name: "Ada <Reader>")] }
        let unknown = CoverMarkup.make(shown, .list, base: "/").text
        #expect(unknown.contains("class=\"made tint-") && unknown.contains("<img src=\"/book/1/cover?size=240\""))
        #expect(unknown.contains("<span class=\"made-by\">Ada &lt;Reader&gt;</span>"))
        var known = shown.book
        known.coverState = .known
        known.coverTag = "a&b"
        let cover = CoverMarkup.make(ShownBook(known), .list, base: "/shelf/").text
        #expect(!cover.contains("made"))
        #expect(cover.contains("src=\"/shelf/book/1/cover?size=240&amp;v=a%26b\""))
        known.coverState = .none
        known.coverTag = nil
        shown = ShownBook(known)
        #expect(!CoverMarkup.make(shown, .page, base: "/").text.contains("<img"))
    }

    @Test func `has a colour that stays with the title`() {
        #expect(CoverMarkup.tint(of: "The Desk") == CoverMarkup.tint(of: "The Desk"))
        let tints = (0..<200).map { CoverMarkup.tint(of: "Book \($0)") }
        #expect(tints.allSatisfy { (0..<CoverMarkup.tints).contains($0) })
        #expect(Set(tints).count == CoverMarkup.tints)
    }
}
