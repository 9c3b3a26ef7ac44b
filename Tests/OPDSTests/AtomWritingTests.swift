import Foundation
import MediaTypes
import Publication
import Testing

@testable import OPDS

private let updated = Date(timeIntervalSince1970: 1_769_848_200)
private let url = URL(string: "https://books.example.org/opds/new?page=2")

private func again(_ feed: Feed) throws -> Feed {
    try AtomReader.feed(feed.atom(updated: updated), url: url, limits: CatalogLimits())
}

/// A feed with everything that OPDS 1.2 can say, as it is read from Atom.
private func fullFeed() -> Feed {
    var feed = Feed(
        title: "New <b> & \"good\"",
        links: [
            Link(href: "https://books.example.org/new", type: AtomWriter.acquisitionType, rels: ["self"]),
            Link(href: "https://books.example.org/new?page=3", type: AtomWriter.acquisitionType, rels: ["next"]),
        ])
    feed.metadata.identifier = "urn:x:new"
    feed.metadata.subtitle = "This week"
    feed.metadata.modified = updated
    (feed.metadata.numberOfItems, feed.metadata.itemsPerPage, feed.metadata.currentPage) = (120, 50, 2)
    feed.facets = [
        Facet(title: "Language", links: [facet("French", items: 10), facet("English", items: 110, isActive: true)])
    ]
    feed.navigation = [navigation("Popular", rel: CatalogRelation.sortPopular)]
    var group = FeedGroup(
        title: "Sea", links: [Link(href: "https://books.example.org/sea", type: AtomWriter.feedType, rels: ["self"])],
        navigation: [navigation("Harbours", rel: "subsection")], publications: [comic()])
    group.metadata.numberOfItems = 7
    feed.groups = [group]
    feed.publications = [book(), FeedPublication(metadata: makeMetadata(title: "", id: "urn:x:bare"))]
    return feed
}

private func facet(_ title: String, items: Int, isActive: Bool = false) -> Link {
    var link = Link(
        href: "https://books.example.org/new?l=\(title)", type: AtomWriter.acquisitionType, title: title,
        rels: isActive ? ["self"] : [])
    link.properties.numberOfItems = items
    return link
}

private func navigation(_ title: String, rel: String) -> Link {
    let picture = Link(
        href: "https://books.example.org/t.png", type: "image/png", rels: [CatalogRelation.thumbnail])
    var link = Link(
        href: "https://books.example.org/\(title)", type: AtomWriter.feedType, title: title, rels: [rel],
        alternates: [picture])
    link.properties.numberOfItems = 3
    link.otherProperties = [
        "identifier": "urn:x:n", "modified": "2026-01-31T08:30:00.125Z", "description": "All <i>of</i> them",
    ]
    return link
}

private func makeMetadata(title: String, id: String) -> Metadata {
    var metadata = Metadata(title: LocalizedString(title))
    metadata.identifier = id
    metadata.modified = updated
    return metadata
}

private func book() -> FeedPublication {
    var metadata = makeMetadata(title: "Omoo\u{FFFD} ]]>", id: "urn:isbn:9780000000001")
    metadata.alternateIdentifiers = [AlternateIdentifier("urn:x:other")]
    metadata.subtitle = "A Narrative"
    metadata.type = "http://schema.org/EBook"
    metadata.authors = [Contributor(name: "Herman Melville", sortAs: "Melville, Herman", identifier: "https://a.org/1")]
    for role in ContributorRole.allCases where role != .author {
        metadata[role] = [Contributor(name: LocalizedString("The \(role.rawValue)"))]
    }
    metadata[.contributor] = [Contributor(name: "A. Binder", roles: ["bjd"])]
    metadata.languages = ["en", "fr"]
    metadata.published = Date(timeIntervalSince1970: -3_881_520_000)
    metadata.numberOfPages = 320
    metadata.subjects = [
        Subject(name: "Adventure", code: "FIC002000", scheme: "https://example.org/bisac"), Subject(name: "Sea"),
    ]
    metadata.belongsToSeries = [ParentCollection(name: "South Seas", position: 1.5)]
    metadata.description = "<p>\"A\" &amp; b</p>"
    metadata.otherMetadata["rights"] = "Public domain"
    return FeedPublication(
        metadata: metadata, links: [loan(), sale()],
        images: [
            Link(href: "https://books.example.org/c.png", type: "image/png", rels: [CatalogRelation.image]),
            Link(href: "https://books.example.org/t.png", type: "image/png", rels: [CatalogRelation.thumbnail]),
        ])
}

private func loan() -> Link {
    var link = Link(
        href: "https://books.example.org/1/borrow", type: "application/atom+xml;type=entry;profile=opds-catalog",
        rels: [AcquisitionRelation.borrow.rawValue])
    link.properties.indirectAcquisitions = [
        IndirectAcquisition(
            type: "application/vnd.adobe.adept+xml", children: [IndirectAcquisition(type: "application/epub+zip")])
    ]
    link.properties.availability = Availability(.reserved, since: updated, until: updated)
    link.properties.holds = Holds(total: 12, position: 3)
    link.properties.copies = Copies(total: 4, available: 0)
    return link
}

private func sale() -> Link {
    var link = Link(
        href: "https://books.example.org/1/buy?a=1&b=2", type: "application/epub+zip", title: "Buy",
        rels: [AcquisitionRelation.buy.rawValue])
    link.size = 105_223
    link.languages = ["en"]
    link.properties.price = Price(currency: "EUR", value: Decimal(string: "9.9") ?? 0)
    return link
}

private func comic() -> FeedPublication {
    var stream = Link(
        href: "https://books.example.org/2/pages/{pageNumber}?w={maxWidth}", type: "image/jpeg",
        rels: [CatalogRelation.pageStream])
    stream.templated = true
    stream.properties.pageStreaming = PageStreaming(count: 24, lastRead: 5, lastReadDate: updated)
    return FeedPublication(metadata: makeMetadata(title: "Robots", id: "urn:x:2"), links: [stream])
}

@Suite struct `A feed written as Atom` {
    @Test func `is read as the same feed`() throws {
        #expect(try again(fullFeed()) == fullFeed())
    }

    @Test func `has no more properties than its links had`() throws {
        let read = try again(fullFeed())
        let links = try #require(read.publications.first?.links)
        #expect(links.map(\.properties.values.count) == [4, 1])
    }

    @Test(arguments: [AtomSamples.calibre, AtomSamples.comics, AtomSamples.library, AtomSamples.results])
    func `of a catalogue is read as what the catalogue sent`(text: String) throws {
        var feed = try AtomReader.feed(Data(text.utf8), url: url, limits: CatalogLimits())
        let second = try again(feed)
        #expect(second.allPublications.map(\.images) == feed.allPublications.map(\.images))
        #expect(second.allPublications.map(\.metadata.title) == feed.allPublications.map(\.metadata.title))
        #expect(second.allNavigation.map(\.href) == feed.allNavigation.map(\.href))
        #expect(second.groups.map(\.links.count) == feed.groups.map(\.links.count))
        // What OPDS 1.2 demands was added, and stays.
        feed = try again(second)
        #expect(feed == second)
    }

    @Test func `names its kind`() throws {
        var feed = Feed(title: "x", links: [Link(href: "https://books.example.org/", rels: ["self"])])
        #expect(feed.atomMediaType == .opds1Navigation)
        #expect(try again(feed).links.map(\.type) == [AtomWriter.navigationType])
        feed.publications = [comic()]
        #expect(feed.atomMediaType == .opds1Acquisition)
        #expect(try again(feed).links.map(\.type) == [AtomWriter.acquisitionType])
    }

    @Test func `has identifiers that stay the same and times where they are missing`() throws {
        let feed = Feed(title: "x")
        let (read, same, other) = (try again(feed), try again(feed), try again(Feed(title: "y")))
        #expect(read.metadata.identifier?.hasPrefix("urn:uuid:") == true)
        #expect(read.metadata.identifier == same.metadata.identifier)
        #expect(read.metadata.identifier != other.metadata.identifier)
        #expect(read.metadata.modified == updated)
        #expect(read.metadata.otherMetadata.isEmpty)
    }

    @Test func `leaves out characters that XML forbids`() throws {
        let link = Link(href: "\u{8}https://x.org/\t", rels: ["a\r\n"])
        let read = try again(Feed(title: "a\u{0}b\u{1F}c\u{FFFE}d\u{FFFF}e", links: [link]))
        #expect(read.metadata.title == "abcde")
        #expect(read.links.map(\.rels) == [["a"]] && read.links.map(\.href) == ["https://x.org/"])
    }

    @Test func `has links of OPDS 2 under the relations of OPDS 1`() throws {
        var feed = Feed(title: "x")
        feed.navigation = [Link(href: "https://x.org/a", type: "application/opds+json", title: "A")]
        feed.publications = [
            FeedPublication(
                metadata: Metadata(title: "x"),
                links: [Link(href: "https://x.org/s", rels: ["preview", "alternate"])],
                images: [Link(href: "https://x.org/1"), Link(href: "https://x.org/2")])
        ]
        let read = try again(feed)
        #expect(read.navigation.map(\.rels) == [["subsection"]])
        let book = try #require(read.publications.first)
        #expect(book.links.map(\.rels) == [[AcquisitionRelation.sample.rawValue]])
        #expect(book.images.map(\.rels) == [[CatalogRelation.image], [CatalogRelation.thumbnail]])
    }

    @Test(.enabled(if: AtomSchema.isAvailable, "xmllint is not installed; run Tests/Servers/install.sh"))
    func `is valid by RFC 4287`() throws {
        var feeds = [fullFeed(), Feed(title: ""), try Feed(json: SampleFeeds.full)]
        for text in [AtomSamples.calibre, AtomSamples.comics, AtomSamples.library, AtomSamples.results] {
            feeds.append(try AtomReader.feed(Data(text.utf8), url: url, limits: CatalogLimits()))
        }
        for feed in feeds {
            let faults = try AtomSchema.faults(in: feed.atom(updated: updated))
            #expect(faults.isEmpty, "\(faults)")
        }
        // The judge is awake.
        let text = String(decoding: fullFeed().atom(updated: updated), as: UTF8.self)
        for (part, other) in [("<id>urn:x:new</id>", ""), ("T08:30:00Z</updated>", "</updated>"), (" href=", " src=")] {
            let broken = text.replacing(part, with: other)
            #expect(broken != text)
            #expect(try AtomSchema.faults(in: Data(broken.utf8)) != "")
        }
    }
}

@Suite struct `A publication written as an Atom entry` {
    private func again(_ publication: FeedPublication) throws -> FeedPublication {
        try AtomReader.publication(publication.atomEntry(updated: updated), url: url, limits: CatalogLimits())
    }

    @Test func `is read as the same publication`() throws {
        #expect(try again(book()) == book())
        #expect(try again(comic()) == comic())
    }

    @Test func `keeps an identifier that is no URI beside one that is`() throws {
        let read = try again(FeedPublication(metadata: makeMetadata(title: "x", id: "978 0")))
        #expect(read.metadata.identifier?.hasPrefix("urn:uuid:") == true)
        #expect(read.metadata.alternateIdentifiers == [AlternateIdentifier("978 0")])
    }

    @Test(.enabled(if: AtomSchema.isAvailable, "xmllint is not installed; run Tests/Servers/install.sh"))
    func `is valid by RFC 4287`() throws {
        for publication in [book(), comic(), FeedPublication(metadata: Metadata(title: ""))] {
            let faults = try AtomSchema.faults(in: publication.atomEntry(updated: updated))
            #expect(faults.isEmpty, "\(faults)")
        }
    }
}
