import FileProviderCore
import Foundation
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

/// How the cover of an EPUB is found where no property and no exact `meta` names it.
@Suite struct EPUBCoverTests {
    private static let image = #"<item id="x" href="im/picture.gif" media-type="image/gif"/>"#
    private static let page = #"<item id="p" href="text/front.xhtml" media-type="application/xhtml+xml"/>"#

    /// A book with a picture, a page that shows it, and a chapter.
    private static func book(
        _ body: String = #"<img src="../im/picture.gif"/>"#, items: String = image + page, metadata: String = "",
        spine: String = "",
        after: String = ""
    ) -> EPUBFixture {
        var book = EPUBFixture(version: "2.0")
        book.items += items
        book.metadata += metadata
        if !spine.isEmpty { book.spine = spine }
        book.after = after
        book.files["OEBPS/c1.xhtml"] = html("<p>\(String(repeating: "Once upon a time. ", count: 100))</p>")
        book.files["OEBPS/text/front.xhtml"] = html(body)
        book.files["OEBPS/im/picture.gif"] = "GIF89a"
        return book
    }

    private static func html(_ body: String) -> String {
        #"<html xmlns="http://www.w3.org/1999/xhtml"><body>\#(body)</body></html>"#
    }

    private static func guide(_ href: String, type: String = "cover") -> String {
        #"<guide><reference type="\#(type)" href="\#(href)"/></guide>"#
    }

    private func read(_ fetcher: DictionaryFetcher, warnings: WarningLog = WarningLog()) async throws -> EPUBBook {
        try await EPUBReader(fetcher, warnings: warnings, choice: { $0.first }).book()
    }

    private func cover(_ book: EPUBFixture) async throws -> String? {
        let read = try await read(DictionaryFetcher(book.allFiles))
        let links = (read.manifest.readingOrder + read.manifest.resources).filter { $0.rels.contains("cover") }
        #expect(links.count <= 1)
        let found = try await read.coverSearch?()
        #expect(links.isEmpty || found == nil)
        return links.first?.href ?? found?.href
    }

    @Test(arguments: ["cover", "Cover", "other.ms-coverimage-standard"])
    func `the guide leads to an image or to a page with it`(type: String) async throws {
        for href in ["im/picture.gif", "text/front.xhtml", "text/front.xhtml#top"] {
            #expect(
                try await cover(Self.book(after: Self.guide(href, type: type))) == "OEBPS/im/picture.gif", "\(href)")
        }
        #expect(try await cover(Self.book(after: Self.guide("im/picture.gif", type: "back-cover"))) == nil)
    }

    @Test(arguments: [
        #"<img src="../im/picture.gif"/>"#,
        #"<div><IMG src="../im/picture.gif"></div><p>A logo: <img src="other.gif"/></p>"#,
        #"<svg xmlns="http://www.w3.org/2000/svg" xmlns:l="http://www.w3.org/1999/xlink"><image l:href="../im/picture.gif"/></svg>"#,
        #"<svg xmlns="http://www.w3.org/2000/svg"><image href="../im/picture.gif"/></svg>"#,
        #"<img srcset="../im/picture.gif 2x, other.gif"/>"#, #"<img srcset=" ../im/picture.gif"/>"#,
        #"<object data="../im/picture.gif" type="image/gif"></object>"#,
        #"<img src="missing.gif"/><img src="../im/picture.gif"/>"#,
    ])
    func `a page shows its picture in many ways`(body: String) async throws {
        #expect(try await cover(Self.book(body, after: Self.guide("text/front.xhtml"))) == "OEBPS/im/picture.gif")
    }

    @Test func `the landmarks of EPUB 3 lead to the cover`() async throws {
        var book = Self.book()
        book.version = "3.0"
        book.items += #"<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>"#
        book.files["OEBPS/nav.xhtml"] = """
            <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>
            <nav epub:type="toc"><ol><li><a href="c1.xhtml">One</a></li></ol></nav>
            <nav epub:type="landmarks"><ol><li><a epub:type="cover" href="text/front.xhtml">Cover</a></li></ol></nav></body></html>
            """
        #expect(try await cover(book) == "OEBPS/im/picture.gif")
    }

    @Test(arguments: [
        #"<meta name="cover" content="picture.gif"/>"#, #"<meta name="cover" content="../im/picture.gif"/>"#,
        #"<meta name="cover" content="PICTURE.GIF"/>"#, #"<meta name="cover" content="p"/>"#,
        #"<meta name="Cover" content="x"/>"#,
        #"<meta name="cover" content="X"/>"#,
    ])
    func `a meta names the image or its page in whatever way`(metadata: String) async throws {
        #expect(try await cover(Self.book(metadata: metadata)) == "OEBPS/im/picture.gif")
    }

    @Test(arguments: [
        #"<item id="cover" href="im/picture.gif" media-type="image/gif"/>"#,
        #"<item id="Cover-Image" href="im/picture.gif" media-type="image/gif"/>"#,
        #"<item id="cover.gif" href="im/picture.gif" media-type="image/gif"/>"#,
        #"<item id="i" href="im/cover.gif" media-type="image/gif"/>"#,
        #"<item id="i" href="im/9780_cover_large.gif" media-type="image/gif"/>"#,
        #"<item id="cover" href="text/front.xhtml" media-type="application/xhtml+xml"/>"# + image,
    ])
    func `an item is called cover`(items: String) async throws {
        var book = Self.book(items: items, metadata: #"<meta name="cover" content="nothing"/>"#)
        for name in ["cover.gif", "9780_cover_large.gif"] { book.files["OEBPS/im/\(name)"] = "GIF89a" }
        #expect(try await cover(book)?.hasSuffix(".gif") == true)
    }

    @Test func `the only image of the first page is the cover`() async throws {
        let spine = #"<itemref idref="p"/><itemref idref="c1"/>"#
        #expect(try await cover(Self.book(spine: spine)) == "OEBPS/im/picture.gif")
        let two = #"<img src="../im/picture.gif"/><img src="other.gif"/>"#
        #expect(try await cover(Self.book(two, spine: spine)) == nil)
        let chapter = #"<img src="../im/picture.gif"/>"# + String(repeating: "Once upon a time. ", count: 100)
        #expect(try await cover(Self.book(chapter, spine: spine)) == nil)
        #expect(try await cover(Self.book()) == nil)
    }

    @Test func `the more trustworthy statement counts`() async throws {
        // Each names a picture of its own; the first of those that are left is taken.
        let names = ["property", "meta", "guide", "file"]
        let items = names.map { name in
            let property = name == "property" ? #" properties="cover-image""# : ""
            return #"<item id="\#(name)" href="\#(name).gif" media-type="image/gif"\#(property)/>"#
        }
        for (index, name) in names.enumerated() {
            let meta = index <= 1 ? #"<meta name="cover" content="meta"/>"# : ""
            var book = Self.book(
                items: (index == 0 ? items : Array(items.dropFirst())).joined(),
                metadata: meta + #"<meta name="cover" content="file.gif"/>"#,
                after: index <= 2 ? Self.guide("guide.gif") : "")
            for name in names { book.files["OEBPS/\(name).gif"] = "GIF89a" }
            #expect(try await cover(book) == "OEBPS/\(name).gif")
        }
    }

    @Test func `what is no image is passed over`() async throws {
        let spine = #"<itemref idref="p"/><itemref idref="c1"/>"#
        let metadata = #"<meta name="cover" content="fake.jpg"/>"#
        let fake = #"<item id="cover" href="fake.jpg" media-type="image/jpeg"/>"#
        for content in ["", "<html><body>Not found</body></html>", "Once upon a time"] {
            var book = Self.book(
                items: Self.image + Self.page + fake, metadata: metadata, spine: spine, after: Self.guide("fake.jpg"))
            book.files["OEBPS/fake.jpg"] = content
            #expect(try await cover(book) == "OEBPS/im/picture.gif", "\(content)")
        }
    }

    @Test func `a page with the property of a cover leads to its image`() async throws {
        let page =
            #"<item id="p" href="text/front.xhtml" media-type="application/xhtml+xml" properties="cover-image"/>"#
        #expect(try await cover(Self.book(items: Self.image + page)) == "OEBPS/im/picture.gif")
    }

    @Test func `an image that the manifest does not list is found, too`() async throws {
        let book = Self.book(items: Self.page, after: Self.guide("text/front.xhtml"))
        let link = try #require(try await read(DictionaryFetcher(book.allFiles)).coverSearch?())
        #expect(link.href == "OEBPS/im/picture.gif" && link.type == "image/gif" && link.rels == ["cover"])
    }

    @Test func `a book that declares no cover is searched when somebody asks, once`() async throws {
        let fetcher = DictionaryFetcher(Self.book(after: Self.guide("text/front.xhtml")).allFiles)
        let read = try await read(fetcher)
        #expect(!fetcher.requests.contains { $0.contains("picture") || $0.contains("front") })
        let book = Publication(manifest: read.manifest, fetcher: fetcher, cover: read.coverSearch)
        #expect(book.coverLink == nil)
        #expect(try await book.findCover()?.href == "OEBPS/im/picture.gif")
        let requests = fetcher.requests.count
        #expect(try await book.findCover()?.href == "OEBPS/im/picture.gif" && fetcher.requests.count == requests)
    }

    @Test func `a drawing is a cover`() async throws {
        var book = Self.book(
            items: #"<item id="d" href="d.svg" media-type="image/svg+xml"/>"#, after: Self.guide("d.svg"))
        book.files["OEBPS/d.svg"] = #"<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>"#
        #expect(try await cover(book) == "OEBPS/d.svg")
    }

    @Test func `images on the web and in the page itself are not taken`() async throws {
        for address in ["https://example.org/c.gif", "data:image/gif;base64,R0lGODlh", "../../../c.gif", ""] {
            #expect(
                try await cover(Self.book(#"<img src="\#(address)"/>"#, after: Self.guide("text/front.xhtml"))) == nil)
        }
    }

    @Test func `a book that names its cover costs no look at pages or pictures`() async throws {
        let metadata = #"<meta name="cover" content="x"/>"#
        let files = Self.book(
            metadata: metadata, spine: #"<itemref idref="p"/>"#, after: Self.guide("text/front.xhtml")
        ).allFiles
        let fetcher = DictionaryFetcher(files)
        let manifest = try await EPUBParser().parse(fetcher: fetcher)
        #expect(manifest.link(withRel: "cover")?.href == "OEBPS/im/picture.gif")
        #expect(
            !fetcher.requests.contains("OEBPS/im/picture.gif") && !fetcher.requests.contains("OEBPS/text/front.xhtml"))
    }

    @Test func `a search for a cover ends, and is no fault of the book`() async throws {
        // A page that is too long, pages without end, and one that leads to itself.
        var book = Self.book(String(repeating: "<p/>", count: 100_000), after: Self.guide("text/front.xhtml"))
        for index in 0..<50 {
            book.items += #"<item id="cover\#(index)" href="cover\#(index).xhtml" media-type="application/xhtml+xml"/>"#
            book.files["OEBPS/cover\(index).xhtml"] = Self.html(#"<img src="cover\#(index).xhtml"/>"#)
        }
        let fetcher = DictionaryFetcher(book.allFiles)
        let warnings = WarningLog()
        let read = try await read(fetcher, warnings: warnings)
        #expect(try await read.coverSearch?() == nil)
        #expect(fetcher.requests.count { $0.contains("cover") } <= 12)
        #expect(!warnings.all.contains { $0.message.contains("cover") || $0.message.contains("front") })
    }
}
