import Foundation
import OPDS
import Publication
import Testing

@Suite struct `An OPDS 2 feed` {
    private let feed: Feed

    init() throws {
        feed = try Feed(json: SampleFeeds.full)
    }

    @Test func `is written as it was read`() throws {
        #expect(feed.json == SampleFeeds.full)
        #expect(try Feed(json: feed.json) == feed)
    }

    @Test func `has metadata with pages`() {
        #expect(feed.metadata.title.string(for: ["fr"]) == "Nouveautés")
        #expect(feed.metadata.title.string == "New <b>books</b>")
        #expect(feed.metadata.subtitle == "This week")
        #expect(feed.metadata.numberOfItems == 5678)
        #expect(feed.metadata.itemsPerPage == 50)
        #expect(feed.metadata.currentPage == 2)
        #expect(feed.metadata.modified == Date(timeIntervalSince1970: 1_769_848_200.125))
        #expect(feed.metadata.otherMetadata == ["https://example.org/own": ["deep": [1, nil]]])
    }

    @Test func `finds links by relation`() {
        #expect(feed.link(withRel: CatalogRelation.next)?.href == "https://example.org/new?page=3")
        #expect(feed.links(withRel: CatalogRelation.first) == feed.links(withRel: CatalogRelation.previous))
        #expect(feed.link(withRel: CatalogRelation.search)?.templateParameters == ["query", "title", "author"])
        #expect(feed.link(withRel: CatalogRelation.last) == nil)
    }

    @Test(arguments: ["previous", "prev"]) func `finds the page before it under both names`(relation: String) throws {
        let json = #"{"links": [{"href": "/1", "rel": "\#(relation)"}, {"href": "/3"}], "navigation": []}"#
        let atom =
            #"<feed xmlns="http://www.w3.org/2005/Atom"><link href="/1" rel="\#(relation)"/><link href="/3"/></feed>"#
        for text in [json, atom] {
            let feed = try Feed(data: Data(text.utf8), url: nil)
            #expect(feed.links(withRel: CatalogRelation.previous).map(\.href) == ["/1"])
            #expect(feed.link(withRel: CatalogRelation.previous)?.href == "/1")
        }
    }

    @Test func `has facets with counts and the active one`() throws {
        let facet = try #require(feed.facets.first)
        #expect(facet.metadata.title == "Language")
        #expect(facet.links.map(\.properties.numberOfItems) == [10, nil])
        #expect(facet.activeLink?.title == "English")
    }

    @Test func `lists what its groups have, too`() {
        #expect(feed.allPublications.map(\.metadata.title.string) == ["Moby-Dick", "Moby-Dick", "Typee", "Omoo"])
        #expect(feed.allNavigation.map(\.title) == ["Popular", "Popular"])
        #expect(feed.groups.map(\.metadata.numberOfItems) == [20, nil])
    }

    @Test func `without anything in it has an empty list of publications`() throws {
        let empty = Feed(title: "Nothing found")
        #expect(empty.json == ["metadata": ["title": "Nothing found"], "links": [], "publications": []])
        #expect(try Feed(json: empty.json) == empty)
    }

    @Test func `may lack titles, which are then empty`() throws {
        let feed = try Feed(
            json: [
                "metadata": ["title": 7], "groups": [[:]],
                "publications": [["metadata": [:], "links": []], ["links": [["href": "a"]]]],
            ])
        #expect(feed.metadata.title == "")
        #expect(feed.publications.map(\.metadata.title) == ["", ""])
        #expect(feed.groups.map(\.metadata.title) == [""])
    }

    @Test func `takes the first title of several`() throws {
        #expect(try Feed(json: ["metadata": ["title": [1, "A", "B"]]]).metadata.title == "A")
    }

    @Test func `loses nothing else to a malformed part`() throws {
        let feed = try Feed(
            json: [
                "metadata": ["title": "x", "numberOfItems": -1, "itemsPerPage": 0, "currentPage": "2"],
                "links": ["text", ["rel": "no address"], ["href": "a"]],
                "navigation": ["href": "alone"],
                "facets": [7, ["metadata": ["title": "no link"]], ["links": [["href": "f"]]]],
                "publications": [nil, 7, [:], ["links": 5], ["metadata": ["title": "good"]]],
                "groups": ["text", ["publications": [false]]],
            ])
        #expect(feed.metadata == FeedMetadata(title: "x"))
        #expect(feed.links.map(\.href) == ["a"])
        #expect(feed.navigation.map(\.href) == ["alone"])
        #expect(feed.facets.map(\.links.count) == [1])
        #expect(feed.publications.map(\.metadata.title) == ["good"])
        #expect(feed.groups == [FeedGroup(title: "")])
    }

    @Test func `leaves out counts that OPDS does not allow`() {
        var metadata = FeedMetadata(title: "x")
        metadata.numberOfItems = -1
        metadata.itemsPerPage = 0
        metadata.currentPage = -7
        #expect(metadata.json == ["title": "x"])
    }

    @Test(arguments: [7, "text", nil, [], [:], ["title": "x"], [["metadata": ["title": "x"]]]] as [JSONValue])
    func `is refused with a sentence if it has no part of one`(json: JSONValue) {
        let error = SampleFeeds.refusal { _ = try Feed(json: json) }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(error?.localizedDescription == "The JSON document is not an OPDS 2.0 feed: it has no part of one.")
    }

    @Test func `is read or refused whatever one of its values is replaced by, and stays what was read`() throws {
        var refused = 0
        for json in Self.changed(SampleFeeds.full) {
            guard let read = try? Feed(json: json) else {
                refused += 1
                continue
            }
            let again = try Feed(json: read.json)
            #expect(again == read)
        }
        // Only what replaces the whole document.
        #expect(refused == Self.replacements.count)
    }

    private static let replacements: [JSONValue] = [nil, true, -7, 0.5, "", [], [:], [[:]], ["": nil]]

    /// `json` with one value replaced, for each value and each replacement.
    private static func changed(_ json: JSONValue) -> [JSONValue] {
        switch json {
        case .object(let members):
            return replacements
                + members.flatMap { name, value in
                    changed(value).map { .object(members.merging([name: $0]) { _, new in new }) }
                }
        case .array(let elements):
            return replacements
                + elements.indices.flatMap { index in
                    changed(elements[index]).map { element in
                        var elements = elements
                        elements[index] = element
                        return .array(elements)
                    }
                }
        default: return replacements
        }
    }
}
