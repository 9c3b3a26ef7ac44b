import FileProviderCore
import Foundation
import MemoryFileProvider
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

/// Small books that are made to stop a program, to fill its memory, or to be read past their locks.
@Suite(.timeLimit(.minutes(1))) struct HostileBookTests {
    private static let page = #"<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>"#

    @Test func `a comic may not count its pages beyond all numbers`() async throws {
        let info =
            #"<ComicInfo><Pages><Page Image="9223372036854775807"/><Page Image="0" Type="FrontCover"/></Pages></ComicInfo>"#
        let book = try await Shelf().open("a.cbz", [("1.png", "x"), ("ComicInfo.xml", info)])
        #expect(book.coverLink?.href == "1.png")
    }

    @Test func `a table of contents is found once, however deep it lies`() async throws {
        let nested =
            String(repeating: "<div>", count: 200)
            + #"<nav role="doc-toc"><ol><li><a href="b.html">B</a></li></ol></nav>"#
        let page =
            #"<html xmlns="http://www.w3.org/1999/xhtml"><body>\#(nested)\#(String(repeating: "</div>", count: 200))</body></html>"#
        let book = try await Shelf().open("a.lpf", [("index.html", page), ("b.html", Self.page)])
        #expect(book.tableOfContents.map(\.href) == ["b.html"])
    }

    @Test func `a list with many types is read once`() async throws {
        let types = (0..<30_000).map { "a\($0)" }.joined(separator: " ")
        let items = String(repeating: #"<li><a href="c1.xhtml">1</a></li>"#, count: 1_000)
        let navigation = """
            <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>
            <nav epub:type="toc \(types)"><ol>\(items)</ol></nav></body></html>
            """
        var book = EPUBFixture(
            items:
                #"<item id="c1" href="c1.xhtml" media-type="application/xhtml+xml"/><item id="n" href="n.xhtml" properties="nav" media-type="application/xhtml+xml"/>"#
        )
        book.files["OEBPS/n.xhtml"] = navigation
        book.files["OEBPS/c1.xhtml"] = Self.page
        #expect(try await book.manifest().tableOfContents.count == 1_000)
    }

    @Test func `a folder with an endless name is not repeated in each link`() async throws {
        let folder = String(repeating: "a", count: 60_000)
        let path = HREFBase.folder(of: "\(folder)/nav.xhtml")
        #expect(path.resolve("x.xhtml") == nil)
        #expect(HREFBase.folder(of: "a/nav.xhtml").resolve("x.xhtml") == "a/x.xhtml")
    }

    @Test func `what a manifest without a title says is encrypted is locked`() async throws {
        let encrypted = #""properties": {"encrypted": {"algorithm": "http://www.w3.org/2001/04/xmlenc#aes256-cbc"}}"#
        let manifest = """
            {"metadata": {}, "readingOrder": [{"href": "./a.html", "type": "text/html", \(encrypted)},
             {"href": "b.html", "type": "text/html", "alternate": [{"href": "c.html", "type": "text/html", \(encrypted)}]}]}
            """
        let book = try await Shelf().open(
            "a.webpub",
            [
                ("manifest.json", manifest), ("license.lcpl", "{}"), ("a.html", "x"), ("b.html", "plain"),
                ("c.html", "x"),
            ])
        #expect(book.protection?.scheme == .lcp)
        for href in ["a.html", "c.html"] {
            #expect(await failure(book.get(href)) == .forbidden, "\(href)")
        }
        #expect(try await book.get("b.html").readAsString() == "plain")
    }

    @Test func `a folder of pictures is one whatever it is called`() async throws {
        let shelf = Shelf()
        try await shelf.spread("Vol.1.pdf", [("1.png", "x"), ("2.png", "x")])
        #expect(try await shelf.open("Vol.1.pdf").readingOrder.map(\.href) == ["1.png", "2.png"])
    }

    @Test func `a manifest with a comment is read with a warning`() async throws {
        let manifest =
            #"{/* draft */ "metadata": {"title": "T"}, "readingOrder": [{"href": "a.html", "type": "text/html"},]}"#
        let book = try await Shelf().open("a.webpub", [("manifest.json", manifest), ("a.html", "x")])
        #expect(book.metadata.title.string == "T" && book.warnings.contains { $0.tag == "malformed-manifest" })
    }

    @Test func `a colon in a name is no address of its own`() async throws {
        #expect(
            !Link(href: "My Book: 1.html").isRemote && !Link(href: "é:1.html").isRemote
                && Link(href: "https://a/b").isRemote)
        #expect(Locator.Locations(fragments: ["t=" + String(repeating: "9", count: 400)]).time == nil)
    }

    @Test func `what went wrong in a resource is of the same kind when it ends the opening`() {
        #expect(OpeningFailure(CancellationError()) == .cancelled)
        #expect(OpeningFailure(URLError(.userAuthenticationRequired)) == .incorrectCredentials)
        #expect(OpeningFailure(CocoaError(.featureUnsupported)) == .unsupportedFormat)
    }

    @Test func `a closed file is unavailable`() async throws {
        let shelf = Shelf()
        try await shelf.provider.writeContents(path: ProviderPath("a.png"), contents: Data("picture".utf8))
        let book = try await shelf.open("a.png")
        let picture = book.get(try #require(book.readingOrder.first))
        #expect(try await picture.readAsString() == "picture")
        await book.close()
        #expect(await failure(picture) == .unavailable)
    }
}
