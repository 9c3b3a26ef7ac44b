import Foundation
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

struct EPUBParserTests {
    @Test func `a small book gives a manifest of the EPUB profile`() async throws {
        let manifest = try await EPUBFixture().manifest()
        #expect(manifest.metadata.conformsTo == ["https://readium.org/webpub-manifest/profiles/epub"])
        #expect(manifest.readingOrder == [Link(href: "OEBPS/c1.xhtml", type: "application/xhtml+xml")])
        #expect(manifest.resources.isEmpty && manifest.tableOfContents.isEmpty && manifest.subcollections.isEmpty)
    }

    @Test func `what the spine names twice is read twice, and each other address is one resource`() async throws {
        var book = EPUBFixture()
        book.items = """
            <item id="c1" href="c1.xhtml" media-type="application/xhtml+xml"/>
            <item id="c2" href="c2.xhtml" media-type="application/xhtml+xml"/>
            <item id="c1" href="other.xhtml" media-type="application/xhtml+xml"/>
            <item id="again" href="c1.xhtml" media-type="application/xhtml+xml"/>
            <item id="css" href="../style.css" media-type=" text/css "/>
            <item id="x" href="" media-type="text/css"/><item id="y" media-type="text/css"/>
            """
        book.spine =
            #"<itemref idref="c1"/><itemref idref="c2" linear="no"/><itemref idref=" c1 "/><itemref idref="none"/><itemref/>"#
        let manifest = try await book.manifest()
        #expect(manifest.readingOrder.map(\.href) == ["OEBPS/c1.xhtml", "OEBPS/c1.xhtml"])
        #expect(manifest.resources.map(\.href) == ["OEBPS/c2.xhtml", "OEBPS/other.xhtml", "style.css"])
        #expect(manifest.resources.last?.type == "text/css")
    }

    @Test func `each place has its own properties, also of one item or of two items for one file`() async throws {
        var book = EPUBFixture()
        book.items += #"<item id="again" href="c1.xhtml" media-type="application/xhtml+xml"/>"#
        book.spine = """
            <itemref idref="c1" properties="page-spread-left"/><itemref idref="c1" properties="page-spread-right"/>
            <itemref idref="again"/><itemref idref="c1" linear="no"/>
            """
        let manifest = try await book.manifest()
        #expect(manifest.readingOrder.map(\.href) == Array(repeating: "OEBPS/c1.xhtml", count: 3))
        #expect(manifest.readingOrder.map(\.properties.page) == [.left, .right, nil] && manifest.resources.isEmpty)
        #expect(try Manifest(json: manifest.json).readingOrder.count == 3)
    }

    @Test func `a book of nothing but side texts is read all the same`() async throws {
        let manifest = try await EPUBFixture(spine: #"<itemref idref="c1" linear="no"/>"#).manifest()
        #expect(manifest.readingOrder.count == 1)
    }

    @Test(arguments: [
        ("a b.xhtml", "OEBPS/a%20b.xhtml"), ("a%20b.xhtml", "OEBPS/a%20b.xhtml"), ("é.xhtml", "OEBPS/%C3%A9.xhtml"),
        ("100%.xhtml", "OEBPS/100%25.xhtml"), ("/root.xhtml", "root.xhtml"), ("./x/../y.xhtml", "OEBPS/y.xhtml"),
        ("../up.xhtml", "up.xhtml"), ("text\\c.xhtml", "OEBPS/text/c.xhtml"), (" c.xhtml\n", "OEBPS/c.xhtml"),
        ("c.xhtml#part", "OEBPS/c.xhtml"), ("%2e%2e/c.xhtml", "c.xhtml"), ("a%3Ab.xhtml", "OEBPS/a%3Ab.xhtml"),
        ("https://example.com/a b.mp3", "https://example.com/a%20b.mp3"),
        ("HTTP://example.com/", "HTTP://example.com/"),
    ])
    func `addresses are encoded and counted from the root`(written: String, expected: String) async throws {
        var book = EPUBFixture()
        book.items += #"<item id="x" href="\#(written)" media-type="a/b"/>"#
        #expect(try await book.manifest().resources.map(\.href) == [expected])
    }

    @Test(arguments: [
        "../../etc/passwd", "%2e%2e/%2e%2e/x", "..%2f..%2fx", "a%00b", "..\\..\\x", "//host/x", "file:///etc/passwd",
        "C:\\x", "data:,x",
        "javascript:x", "..", ".", "/", "folder/", "../\u{301}/../../x", "a%5C..%5C..%5Cx",
    ])
    func `an item that would leave the container is left out`(href: String) async throws {
        var book = EPUBFixture()
        book.items += #"<item id="x" href="\#(href)" media-type="a/b"/>"#
        #expect(try await book.manifest().resources.isEmpty)
    }

    @Test func `the package may lie anywhere, under a name that is encoded or not`() async throws {
        for name in ["My Book/päck age.opf", "My%20Book/p%C3%A4ck%20age.opf"] {
            let container = EPUBFixture.container.replacing("OEBPS/content.opf", with: name)
            let files = [ContainerDocument.href: container, "My%20Book/p%C3%A4ck%20age.opf": EPUBFixture().package]
            let manifest = try await EPUBParser().parse(fetcher: DictionaryFetcher(files))
            #expect(manifest.readingOrder.map(\.href) == ["My%20Book/c1.xhtml"])
        }
    }

    @Test func `of several packages the first counts, whatever stands before it`() async throws {
        let other = #"<rootfiles><rootfile full-path="book.pdf" media-type="application/pdf"/>"#
        let container = EPUBFixture.container.replacing("<rootfiles>", with: other)
        #expect(try await EPUBFixture(files: [ContainerDocument.href: container]).manifest().readingOrder.count == 1)
    }

    @Test func `a book without a container, or with a broken one, is found by its package`() async throws {
        var files = EPUBFixture().allFiles
        files[ContainerDocument.href] = nil
        #expect(try await EPUBParser().parse(fetcher: DictionaryFetcher(files)).readingOrder.count == 1)
        files[ContainerDocument.href] = "<container>"
        #expect(try await EPUBParser().parse(fetcher: DictionaryFetcher(files)).readingOrder.count == 1)
    }

    @Test func `types are guessed where the manifest has none`() async throws {
        var book = EPUBFixture()
        book.items +=
            #"<item id="a" href="a.XHTML"/><item id="b" href="b.png" media-type=" "/><item id="c" href="c.unknown"/>"#
        #expect(
            try await book.manifest().resources.map(\.type) == [
                "application/xhtml+xml", "image/png", "application/octet-stream",
            ])
    }

    @Test func `the cover of EPUB 3 is a property, that of EPUB 2 a meta`() async throws {
        var book = EPUBFixture()
        book.items += #"<item id="i" href="i.jpg" media-type="image/jpeg" properties="svg cover-image"/>"#
        #expect(try await book.manifest().resources.firstWithRel("cover")?.href == "OEBPS/i.jpg")

        book.version = "2.0"
        book.items = book.items.replacing("cover-image", with: "")
        book.files["OEBPS/i.jpg"] = "GIF89a"
        book.metadata = #"<meta content="i" name="cover"/>"#
        #expect(try await book.manifest().resources.firstWithRel("cover")?.href == "OEBPS/i.jpg")
        book.metadata = #"<meta name="cover" content="c1"/>"#
        #expect(try await book.manifest().readingOrder.firstWithRel("cover") == nil)
    }

    @Test func `properties of items and places become those of links`() async throws {
        var book = EPUBFixture()
        book.items = """
            <item id="c1" href="c1.xhtml" media-type="application/xhtml+xml" properties="scripted mathml" media-overlay="o" fallback="f"/>
            <item id="f" href="f.pdf" media-type="application/pdf" fallback="c1"/>
            <item id="o" href="o.smil" media-type="application/smil+xml"/>
            """
        let properties =
            "page-spread-right rendition:layout-pre-paginated rendition:spread-portrait rendition:orientation-landscape"
        book.spine = #"<itemref idref="c1" properties="\#(properties)"/>"#
        book.metadata = ##"<meta property="media:duration" refines="#o">0:01:30.5</meta>"##
        let manifest = try await book.manifest()
        let link = try #require(manifest.readingOrder.first)
        #expect(link.properties.page == .right && link.properties.layout == .fixed)
        #expect(link.properties["spread"] == "both" && link.properties["orientation"] == "landscape")
        #expect(link.properties.contains == ["js", "mathml"])
        let guided = "~readium/guided-navigation/OEBPS/o.smil.json"
        #expect(link.alternates.map(\.href) == ["OEBPS/f.pdf", "OEBPS/o.smil", guided])
        #expect(link.alternates.last?.mediaType == .guidedNavigation && link.alternates.last?.duration == 90.5)
        #expect(manifest.resources.firstWithHREF("OEBPS/o.smil")?.duration == 90.5)
    }

    @Test func `encrypted and obfuscated resources say so`() async throws {
        var book = EPUBFixture()
        book.items += #"<item id="f" href="a font.otf" media-type="font/otf"/>"#
        book.files[EncryptionDocument.href] = """
            <encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">
            <e:EncryptedData><e:EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/>
            <e:CipherData><e:CipherReference URI="OEBPS/a%20font.otf"/></e:CipherData></e:EncryptedData>
            <EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#">
            <EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/><KeyInfo>
            <RetrievalMethod URI="license.lcpl#/x" Type="http://readium.org/2014/01/lcp#EncryptedContentKey"/></KeyInfo>
            <CipherData><CipherReference URI="OEBPS/c1.xhtml"/></CipherData><EncryptionProperties><EncryptionProperty>
            <c:Compression xmlns:c="http://www.idpf.org/2016/encryption#compression" Method="8" OriginalLength="13291"/>
            </EncryptionProperty></EncryptionProperties></EncryptedData></encryption>
            """
        let manifest = try await book.manifest()
        #expect(
            manifest.resources.first?.properties.encryption
                == Encryption(algorithm: "http://www.idpf.org/2008/embedding"))
        #expect(
            manifest.readingOrder.first?.properties.encryption
                == Encryption(
                    algorithm: "http://www.w3.org/2001/04/xmlenc#aes256-cbc", compression: "deflate",
                    originalLength: 13291,
                    scheme: "http://readium.org/2014/01/lcp"))
    }
}
