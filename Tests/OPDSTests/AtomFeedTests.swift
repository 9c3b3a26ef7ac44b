import Foundation
import Publication
import Testing

@testable import OPDS

private let url = URL(string: "https://user:secret@books.example.org/opds/new?page=2")

private func read(_ text: String) throws -> Feed {
    try AtomReader.feed(Data(text.utf8), url: url, limits: CatalogLimits())
}

@Suite struct `An Atom feed` {
    @Test func `of calibre has navigation, publications and what stands in its content`() throws {
        let feed = try read(AtomSamples.calibre)
        #expect(feed.metadata.title == "calibre Library :: Newest")
        #expect(feed.metadata.identifier == "calibre:newest")
        #expect(feed.metadata.modified == Date(timeIntervalSince1970: 1_769_848_200))
        #expect(feed.link(withRel: "next")?.href == "https://books.example.org/opds/navcatalog/4f?offset=30")
        let authors = try #require(feed.navigation.first)
        #expect(feed.navigation.count == 1 && authors.title == "By Author" && authors.rels.isEmpty)
        #expect(authors.href == "https://books.example.org/opds/navcatalog/4e617574686f7273")
        #expect(authors.otherProperties["description"] == "Authors")
        let book = try #require(feed.publications.first)
        #expect(book.metadata.authors.map(\.name) == ["Herman Melville"])
        #expect(book.metadata.languages == ["eng"])
        #expect(book.metadata.belongsToSeries == [ParentCollection(name: "South Seas", position: 1.5)])
        #expect(book.metadata.subjects.map(\.name) == ["Sea", "Islands"])
        #expect(book.metadata.description?.hasSuffix("<p class=\"d\">A <b>peep</b> &amp; more</p>") == true)
        #expect(book.metadata.published == Date(timeIntervalSince1970: -3_908_217_600))
        #expect(book.acquisitions.map(\.size) == [105_223])
        #expect(book.images.map(\.rels) == [[CatalogRelation.image], [CatalogRelation.thumbnail]])
    }

    @Test func `of a comic server has pages one by one`() throws {
        let feed = try read(AtomSamples.comics)
        #expect(feed.metadata.numberOfItems == 45 && feed.metadata.itemsPerPage == 20)
        #expect(feed.metadata.currentPage == 2)
        let comic = try #require(feed.publications.first)
        #expect(comic.metadata.identifier == "12" && comic.metadata.numberOfPages == 24)
        #expect(comic.metadata.description == "File Type: CBZ - 1.3 MB")
        let stream = try #require(comic.links.first { $0.rels == [CatalogRelation.pageStream] })
        #expect(
            stream.href == "https://books.example.org/api/opds/key/image?page={pageNumber}&width={maxWidth}"
                && stream.templated)
        #expect(
            stream.properties.pageStreaming
                == PageStreaming(count: 24, lastRead: 5, lastReadDate: Date(timeIntervalSince1970: 1_769_767_200)))
    }

    @Test func `of a library has groups, facets, and links to related feeds`() throws {
        let feed = try read(AtomSamples.library)
        #expect(feed.publications.isEmpty && feed.navigation.isEmpty)
        #expect(feed.links.map(\.href).first == "https://library.example.org/ny/groups/")
        #expect(feed.facets.map(\.metadata.title) == ["Language", "Availability"])
        #expect(feed.facets.map(\.links.count) == [2, 1])
        #expect(feed.facets[0].activeLink?.title == "English")
        #expect(feed.facets[0].links[0].properties.numberOfItems == 120)
        let group = try #require(feed.groups.first)
        #expect(feed.groups.count == 1 && group.metadata.title == "Sea Stories" && group.metadata.numberOfItems == 31)
        #expect(group.links == [Link(href: "https://library.example.org/ny/lanes/sea", rels: ["self"])])
        #expect(group.publications.map(\.metadata.title) == ["Omoo", "Mardi"])
        #expect(feed.link(withRel: CatalogRelation.authenticationDocument) != nil)
    }

    @Test func `of search results has lines as titles, pictures and a template`() throws {
        let feed = try read(AtomSamples.results)
        #expect(feed.metadata.title == "Books: whale & sea")
        #expect(feed.metadata.subtitle == "Free books")
        #expect(feed.metadata.currentPage == 2)
        #expect(feed.link(withRel: "icon")?.href == "https://books.example.org/favicon.ico")
        let search = try #require(feed.link(withRel: "search"))
        #expect(search.templated && search.href == "https://books.example.org/search.opds/?query={searchTerms}")
        let book = try #require(feed.navigation.first)
        #expect(feed.publications.isEmpty && book.rels == ["subsection"])
        #expect(book.alternates.map(\.href) == ["data:image/png;base64,iVBORw0KGgo="])
    }

    @Test func `may lack declarations of namespaces`() throws {
        let text = AtomSamples.library.replacing(#/ xmlns(:[a-z]+)?="[^"]*"/#, with: "")
        let book = try #require(try read(text).allPublications.first)
        #expect(book.metadata.title == "Omoo" && book.metadata.languages == ["en"])
        #expect(book.acquisitions.first?.properties.copies == Copies(total: 4, available: 0))
    }

    @Test func `that is not well-formed is read as far as it goes`() throws {
        let text = AtomSamples.calibre.replacing("&amp; more", with: "& more")
        let end = try #require(text.range(of: "<link type=\"application/epub+zip\""))
        #expect(try read(String(text[..<end.lowerBound])).publications.map(\.metadata.title) == ["Typee"])
        let odd = Data(AtomSamples.results.replacing("Moby-Dick", with: "Moby\u{1}-Dick").utf8)
        #expect(
            try AtomReader.feed(odd, url: nil, limits: CatalogLimits()).navigation.map(\.title) == ["Moby-Dick"])
        let start = "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>a"
        let bytes = Data(start.utf8) + Data([0xFF]) + Data("</title></entry></feed>".utf8)
        #expect(
            try AtomReader.feed(bytes, url: nil, limits: CatalogLimits()).publications.map(\.metadata.title)
                == ["a\u{FFFD}"])
    }

    @Test func `without an address keeps addresses as they are`() throws {
        let feed = try AtomReader.feed(Data(AtomSamples.calibre.utf8), url: nil, limits: CatalogLimits())
        #expect(feed.navigation.first?.href == "/opds/navcatalog/4e617574686f7273")
    }

    @Test(arguments: ["<html><body>Log in</body></html>", "<entry xmlns='http://www.w3.org/2005/Atom'/>", "", "{"])
    func `is refused with a sentence if it is none`(text: String) {
        let error = #expect(throws: CocoaError.self) { try read(text) }
        #expect(error?.code == .fileReadCorruptFile)
        #expect((error?.userInfo[NSLocalizedDescriptionKey] as? String)?.hasSuffix(".") == true)
    }
}

@Suite struct `An Atom entry` {
    private func book(_ content: String, url: URL? = url) throws -> FeedPublication {
        try AtomReader.publication(
            Data("<entry xmlns='http://www.w3.org/2005/Atom'>\(content)</entry>".utf8), url: url,
            limits: CatalogLimits())
    }

    @Test func `of a library has people, a series, subjects and identifiers`() throws {
        let metadata = try #require(try read(AtomSamples.library).groups.first?.publications.first).metadata
        #expect(metadata.type == "http://schema.org/EBook" && metadata.subtitle == "A Narrative")
        #expect(metadata.authors.first?.sortAs == "Melville, Herman")
        #expect(metadata.authors.first?.links.map(\.href) == ["https://library.example.org/ny/author/melville"])
        #expect(metadata.narrators.map(\.name) == ["A. Reader"])
        #expect(metadata.contributors.map(\.roles) == [["bjd"]])
        #expect(metadata.publishers.map(\.name) == ["House"] && metadata.imprints.map(\.name) == ["Little House"])
        #expect(metadata.belongsToSeries == [ParentCollection(name: "South Seas", position: 2)])
        #expect(metadata.subjects.map(\.name) == ["Adventure", "Sea"])
        #expect(metadata.subjects.map(\.code) == ["http://example.org/Adventure", nil])
        #expect(metadata.description == "<p>The <i>sequel</i></p>")
        #expect(metadata.published == Date(timeIntervalSince1970: -3_881_520_000))
        #expect(metadata.identifier == "urn:isbn:9780000000001")
        #expect(metadata.alternateIdentifiers == [AlternateIdentifier("https://example.org/omoo")])
    }

    @Test func `of a library says how it can be acquired`() throws {
        let book = try #require(try read(AtomSamples.library).groups.first?.publications.first)
        let (loan, sale) = (book.acquisitions[0].properties, book.acquisitions[1].properties)
        #expect(book.acquisitions.map(\.acquisitionRelation) == [.borrow, .buy])
        #expect(
            loan.indirectAcquisitions == [
                IndirectAcquisition(
                    type: "application/vnd.adobe.adept+xml",
                    children: [IndirectAcquisition(type: "application/epub+zip")]),
                IndirectAcquisition(type: "application/pdf"),
            ])
        #expect(
            loan.availability
                == Availability(
                    .unavailable, since: Date(timeIntervalSince1970: 1_767_225_600),
                    until: Date(timeIntervalSince1970: 1_769_904_000)))
        #expect(loan.holds == Holds(total: 12, position: 3))
        #expect(sale.price?.currency == "EUR" && sale.price?.value == Decimal(string: "9.9"))
    }

    @Test func `by itself has addresses relative to the nearest base`() throws {
        let book = try self.book(
            """
            <link rel="http://opds-spec.org/acquisition" href="a.epub"/>
            <link xml:base="https://files.example.org/x/" rel="http://opds-spec.org/acquisition" href="../b c.epub"/>
            """)
        #expect(
            book.links.map(\.href) == [
                "https://books.example.org/opds/a.epub", "https://files.example.org/b%20c.epub",
            ])
        #expect(book.metadata.title == "")
    }

    @Test(
        arguments: [
            ("<title>a &lt;b&gt;</title>", "a <b>"), ("<title type='html'>a &lt;b&gt;c&lt;/b&gt;</title>", "a c"),
            ("<title type='html'>&lt;script&gt;alert(1)&lt;/script&gt;a&lt;br&gt;b</title>", "a b"),
            ("<title type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>a <i>b</i></div></title>", "a b"),
            ("<title>\n  a\n  b  </title>", "a b"), ("", ""),
        ])
    func `has a title in one line, without markup`(title: String, text: String) throws {
        #expect(try book(title).metadata.title.string == text)
    }

    @Test(
        arguments: [
            ("<content>a &lt;b&gt;</content>", "a <b>"), ("<content type='html'>&lt;p&gt;a</content>", "<p>a"),
            (
                "<content type='xhtml'><div xmlns='urn:x'>a&lt;<br/><i title='&quot;'/></div></content>",
                "a&lt;<br/><i title=\"&quot;\"></i>"
            ),
            ("<content type='image/png'>AAAA</content><summary>s</summary>", "s"),
            ("<content src='x' type='text/html'/>", nil), ("<content> </content>", nil),
        ] as [(String, String?)])
    func `has a description as it was sent`(content: String, text: String?) throws {
        #expect(try book(content).metadata.description == text)
    }

    @Test func `may be the only one of a feed`() throws {
        let publication = try AtomReader.publication(
            Data(AtomSamples.comics.utf8), url: url, limits: CatalogLimits())
        #expect(publication.metadata.title == "Robots 3")
        #expect(throws: CocoaError.self) {
            try AtomReader.publication(Data(AtomSamples.library.utf8), url: url, limits: CatalogLimits())
        }
    }
}
