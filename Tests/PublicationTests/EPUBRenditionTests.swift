import Foundation
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

@Suite struct EPUBRenditionTests {
    private let book: OddBook = {
        var book = OddBook()
        var pages = OddBook()
        pages.metadata = pages.metadata.replacing("Moby-Dick", with: "Moby-Dick in Bildern").replacing(
            ">en<", with: ">de<")
        book.files["pages/pages.opf"] = Data(pages.packageText.utf8)
        for name in ["c1.xhtml", "c2.xhtml", "nav.xhtml"] {
            book.files["pages/" + name] = Data(OddBook.navigation.utf8)
        }
        book.files["pages/style.css"] = Data("p{}".utf8)
        book.container = Data(
            """
            <container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:r="http://www.idpf.org/2013/rendition"><rootfiles>
            <rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/>
            <rootfile full-path="pages/pages.opf" media-type="application/oebps-package+xml" r:layout="pre-paginated" r:language="de"
            r:media="(min-width: 800px)" r:accessMode="visual textual" r:label="Seiten"/></rootfiles></container>
            """.utf8)
        return book
    }()

    @Test func `of several renditions the first is read, and the others are linked with what is said of them`()
        async throws
    {
        let opened = try await book.open()
        #expect(opened.metadata.title == "Moby-Dick" && opened.warnings.isEmpty)
        let other = try #require(opened.links.first)
        #expect(
            other.href == "pages/pages.opf" && other.rels == ["alternate"]
                && other.type == "application/oebps-package+xml")
        #expect(other.title == "Seiten" && other.languages == ["de"] && other.properties.layout == .fixed)
        #expect(
            other.properties["media"] == "(min-width: 800px)"
                && other.properties["accessMode"] == ["visual", "textual"])
        #expect(opened.links.count == 1)
    }

    @Test func `an app may choose another one`() async throws {
        var options = OpeningOptions()
        options.standardParsers = [EPUBParser { renditions in renditions.first { $0.language == "de" } }]
        let opened = try await book.open(options: options)
        #expect(opened.metadata.title == "Moby-Dick in Bildern" && opened.readingOrder.first?.href == "pages/c1.xhtml")
        #expect(opened.links.map(\.href) == ["OEBPS/content.opf"])
        options.standardParsers = [EPUBParser { _ in nil }]
        #expect(try await book.open(options: options).metadata.title == "Moby-Dick")
    }

    @Test func `a rendition that is not there is passed over`() async throws {
        var book = book
        book.files["pages/pages.opf"] = Data?.none
        let opened = try await book.open()
        #expect(opened.links.isEmpty && opened.warnings.map(\.tag) == ["missing-rendition"])
    }
}
