import Foundation
import OPDS
import Publication
import Testing

@Suite struct `A publication in a catalogue` {
    private func properties(_ publication: JSONValue, _ index: Int) throws -> Link.Properties {
        try FeedPublication(json: publication).links[index].properties
    }

    @Test func `is written as it was read`() throws {
        for json in [SampleFeeds.book, SampleFeeds.loan, SampleFeeds.comic] {
            let publication = try FeedPublication(json: json)
            #expect(publication.json == json)
            #expect(try FeedPublication(json: publication.json) == publication)
        }
    }

    @Test func `has links to acquire it and a sample of it`() throws {
        let publication = try FeedPublication(json: SampleFeeds.book)
        #expect(publication.acquisitions.map(\.acquisitionRelation) == [.buy, .sample])
        #expect(publication.acquisitions.map(\.href) == Array(publication.links.map(\.href).dropFirst()))
    }

    @Test(
        arguments: [
            ("http://opds-spec.org/acquisition", .acquisition), ("preview", .sample),
            ("http://opds-spec.org/acquisition/open-access", .openAccess),
            ("http://opds-spec.org/acquisition/borrow", .borrow),
            ("http://opds-spec.org/acquisition/rent", .acquisition),
            ("http://opds-spec.org/acquisitions", nil), ("http://opds-spec.org/image", nil), ("self", nil), ("", nil),
        ] as [(String, AcquisitionRelation?)])
    func `can be acquired by relations below one`(relation: String, expected: AcquisitionRelation?) {
        #expect(Link(href: "a", rels: ["alternate", relation]).acquisitionRelation == expected)
        #expect(AcquisitionRelation.isAcquisition(relation) == (expected != nil))
    }

    @Test func `has the largest image as its cover and the smallest as its thumbnail`() throws {
        let publication = try FeedPublication(json: SampleFeeds.book)
        #expect(publication.cover?.href == "https://example.org/1.jpg")
        #expect(publication.thumbnail?.href == "https://example.org/1s.jpg")
    }

    @Test func `has the images that are marked as cover and thumbnail, in any order and without sizes`() {
        let images = [
            Link(href: "t", rels: [CatalogRelation.thumbnail]), Link(href: "c", rels: [CatalogRelation.image]),
        ]
        let publication = FeedPublication(metadata: Metadata(title: "x"), images: images)
        #expect(publication.cover?.href == "c")
        #expect(publication.thumbnail?.href == "t")
        let small = FeedPublication(metadata: Metadata(title: "x"), images: [images[0]])
        #expect(small.cover?.href == "t")
        #expect(FeedPublication(metadata: Metadata(title: "x")).cover == nil)
        #expect(FeedPublication(metadata: Metadata(title: "x")).thumbnail == nil)
    }

    @Test func `bears images of absurd sizes`() throws {
        let image: JSONValue = ["href": "a", "width": .integer(.max), "height": .integer(.max)]
        let publication = try FeedPublication(json: ["metadata": ["title": "x"], "images": [image, ["href": "b"]]])
        #expect(publication.cover?.href == "a")
    }

    @Test func `has a price and types behind others`() throws {
        let properties = try properties(SampleFeeds.book, 1)
        #expect(properties.price == Price(currency: "EUR", value: try #require(Decimal(string: "9.99"))))
        let types = properties.indirectAcquisitions
        #expect(types.map(\.type) == ["application/vnd.readium.lcp.license.v1.0+json"])
        #expect(types.flatMap(\.finalTypes) == ["application/epub+zip", "application/pdf"])
    }

    @Test func `has an availability, holds, copies and a login`() throws {
        let properties = try properties(SampleFeeds.loan, 0)
        #expect(
            properties.availability
                == Availability(
                    .unavailable, since: Date(timeIntervalSince1970: 1_767_225_600),
                    until: Date(timeIntervalSince1970: 1_769_904_000)))
        #expect(properties.holds == Holds(total: 3, position: 0))
        #expect(properties.copies == Copies(total: 2, available: 0))
        #expect(properties.authenticate?.mediaType == AuthenticationDocument.mediaType)
    }

    @Test func `may have pages one by one`() throws {
        let publication = try FeedPublication(json: SampleFeeds.comic)
        let link = try #require(publication.links.firstWithRel(CatalogRelation.pageStream))
        let pages = PageStreaming(count: 32, lastRead: 4, lastReadDate: Date(timeIntervalSince1970: 1_769_848_200))
        #expect(link.properties.pageStreaming == pages)
        #expect(link.templateParameters == ["pageNumber", "maxWidth"])
        #expect(publication.otherCollections.keys.sorted() == ["readingOrder"])
    }

    @Test func `has properties that are written as they were read`() throws {
        for json in [SampleFeeds.book, SampleFeeds.loan, SampleFeeds.comic] {
            for link in try FeedPublication(json: json).links {
                var copy = Link.Properties()
                copy.price = link.properties.price
                copy.indirectAcquisitions = link.properties.indirectAcquisitions
                copy.availability = link.properties.availability
                copy.holds = link.properties.holds
                copy.copies = link.properties.copies
                copy.authenticate = link.properties.authenticate
                copy.pageStreaming = link.properties.pageStreaming
                #expect(copy == link.properties)
            }
        }
    }

    @Test func `has no property whose value is of the wrong kind`() {
        let values: [JSONValue] = [
            nil, 7, -1, "text", true, [], [:], [["child": []]], ["value": -1, "currency": "EUR"],
        ]
        for value in values {
            let properties: Link.Properties = [
                "price": value, "indirectAcquisition": value, "availability": value, "holds": value, "copies": value,
                "authenticate": value, "pageStreaming": value,
            ]
            #expect(properties.price == nil)
            #expect(properties.indirectAcquisitions == [])
            #expect(properties.availability == nil)
            #expect(properties.holds == nil)
            #expect(properties.copies == nil)
            #expect(properties.authenticate == nil)
            #expect(properties.pageStreaming == nil)
        }
        #expect((["numberOfItems": -1] as Link.Properties).numberOfItems == nil)
        #expect((["availability": ["state": "lost"]] as Link.Properties).availability == nil)
    }

    @Test(
        arguments: [
            (9.99, "9.99"), (0, "0"), (1234567.1, "1234567.1"), ("12.50", "12.5"), (" 7 ", "7"), (0.001, "0.001"),
            (19.990000000000002, "19.990000000000002"),
        ] as [(JSONValue, String)])
    func `has the price that was written, without digits of binary numbers`(value: JSONValue, expected: String) throws {
        let properties: Link.Properties = ["price": ["currency": "EUR", "value": value]]
        let price = try #require(properties.price)
        #expect(price.value == Decimal(string: expected))
        var copy = Link.Properties()
        copy.price = price
        #expect(copy.price == price)
    }

    @Test(arguments: ["0x1A", "nan", "inf", "9,99", "-1", "1e3", "1.2.3", "", String(repeating: "9", count: 1_000)])
    func `has no price that is not a number of at most 24 characters`(text: String) {
        let properties: Link.Properties = ["price": ["currency": "EUR", "value": .string(text)]]
        #expect(properties.price == nil)
    }

    @Test(arguments: [["links": []], ["metadata": "x"], 7, nil, [[:]]] as [JSONValue])
    func `is refused with a sentence if it has neither metadata nor links`(json: JSONValue) {
        let error = SampleFeeds.refusal { _ = try FeedPublication(json: json) }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(error?.localizedDescription.hasSuffix("it has no metadata and no link.") == true)
    }
}
