import Foundation
import OPDS
import Publication
import Testing

/// Documents that are written here against the public schemas of OPDS 2.
@Suite(.enabled(if: SchemaFolder.isThere, "the corpus is not here"))
struct OPDSSchemaTests {
    private func violations(_ json: JSONValue, _ name: String) throws -> [String] {
        try JSONSchemas(folder: SchemaFolder.url)
            .violations(of: json, by: "https://drafts.opds.io/schema/\(name).schema.json")
    }

    @Test func `feeds are valid as they are written`() throws {
        #expect(try violations(Feed(json: SampleFeeds.full).json, "feed") == [])
    }

    @Test func `a feed made by a program is valid`() throws {
        var feed = Feed(title: "A", links: [Link(href: "https://example.org/", rels: ["self"])])
        feed.metadata.modified = Date(timeIntervalSince1970: 0.25)
        feed.metadata.numberOfItems = 0
        feed.navigation = [Link(href: "/b", title: "B")]
        feed.navigation[0].properties.numberOfItems = 3
        var book = FeedPublication(metadata: Metadata(title: "C"))
        book.links = [Link(href: "c", rels: [AcquisitionRelation.borrow.rawValue])]
        book.links[0].properties.price = Price(currency: "EUR", value: 0)
        book.links[0].properties.availability = Availability(.ready, since: Date(timeIntervalSince1970: 1))
        book.links[0].properties.holds = Holds(position: 1)
        book.links[0].properties.copies = Copies(total: -1)
        book.links[0].properties.indirectAcquisitions = [
            IndirectAcquisition(type: "a/b", children: [IndirectAcquisition(type: "c/d")])
        ]
        feed.publications = [book]
        feed.groups = [FeedGroup(title: "D", publications: [book])]
        feed.facets = [Facet(title: "E", links: [Link(href: "e", title: "F")])]
        #expect(try violations(feed.json, "feed") == [])
    }

    @Test(arguments: [SampleFeeds.book, SampleFeeds.loan, SampleFeeds.comic])
    func `publications are valid as they are written`(json: JSONValue) throws {
        #expect(try violations(FeedPublication(json: json).json, "publication") == [])
    }

    @Test func `authentication documents are valid as they are written`() throws {
        #expect(try violations(AuthenticationDocument(json: SampleFeeds.authentication).json, "authentication") == [])
    }

    @Test func `only an empty feed and what a caller leaves out are not valid`() throws {
        let found = try violations(Feed(title: "Nothing found").json, "feed")
        #expect(found.count == 3, "\(found)")
        #expect(found.count { $0.hasPrefix("/links") } == 2, "\(found)")
        #expect(found.count { $0.hasPrefix("/publications") } == 1, "\(found)")
    }
}

private enum SchemaFolder {
    static let url = Corpus.root.appending(path: "schema", directoryHint: .isDirectory)

    static var isThere: Bool {
        FileManager.default.fileExists(atPath: url.appending(path: "opds/feed.schema.json").path(percentEncoded: false))
    }
}
