import FileProviderCore
import Foundation
import Publication
import Synchronization
import Testing

@Suite struct PublicationHelpersTests {
    /// Tells what it was asked for, and answers every link with its address.
    private final class EchoFetcher: Fetcher {
        private let asked = Mutex<[Link]>([])
        var links: [Link] { asked.withLock { $0 } }

        func links() async throws -> [Link] { [] }

        func get(_ link: Link) -> any Resource {
            asked.withLock { $0.append(link) }
            return BytesResource(link, string: link.href)
        }
    }

    private let manifest = Manifest(
        metadata: Metadata(title: "x"),
        links: [
            Link(href: "search{?query,page}", type: "text/html", rels: ["search"]), Link(href: "linked", rels: ["x"]),
        ],
        readingOrder: [
            Link(
                href: "c1", type: "text/html", title: "One", rels: ["x"],
                alternates: [Link(href: "c1.pdf", alternates: [Link(href: "c1.txt")])]),
            Link(
                href: "c2?v=1#start", type: "text/html", alternates: [Link(href: "both")],
                children: [
                    Link(href: "c1.txt", title: "child"), Link(href: "both", title: "child"), Link(href: "deep"),
                ]),
        ],
        resources: [Link(href: "c1.pdf", title: "resource"), Link(href: "a%20b.css", rels: ["x", "cover"])])

    @Test(arguments: [
        ("c1", "c1"), ("/c1", "c1"), ("c1#p2", "c1"), ("c1?q#p2", "c1"), ("c2?v=1#start", "c2?v=1#start"),
        ("deep", "deep"),
        ("linked", "linked"),
        ("a%20b.css#x", "a%20b.css"), ("c2", nil), ("", nil), ("#c1", nil), ("C1", nil), ("a b.css", nil),
    ])
    func `a link is found by its address, the exact one first`(href: String, expected: String?) {
        #expect(manifest.link(withHREF: href)?.href == expected)
        #expect(Publication(manifest: manifest).link(withHREF: href)?.href == expected)
    }

    @Test func `the reading order comes before the resources, alternates before children`() {
        #expect(manifest.link(withHREF: "c1.pdf")?.title == nil)
        for href in ["c1.txt", "both"] {
            let found = manifest.link(withHREF: href)
            #expect(found != nil && found?.title == nil)
        }
    }

    @Test func `links are found by their relation, in the order of the manifest's lists`() {
        let publication = Publication(manifest: manifest)
        #expect(publication.links(withRel: "x").map(\.href) == ["c1", "a%20b.css", "linked"])
        #expect(publication.link(withRel: "x")?.href == "c1")
        #expect(publication.links(withRel: "y").isEmpty && publication.link(withRel: "y") == nil)
        #expect(publication.coverLink?.href == "a%20b.css")
    }

    @Test func `the lists of a publication have names`() throws {
        let publication = Publication(manifest: try Manifest(json: SampleManifests.full))
        #expect(
            publication.pageList.map(\.href) == ["c1.html#p1"] && publication.landmarks.map(\.rels) == [["bodymatter"]])
        #expect(
            publication.listOfAudioClips.map(\.href) == ["a.mp3"]
                && publication.listOfIllustrations.map(\.href) == ["i.png"])
        #expect(
            publication.listOfTables.map(\.href) == ["t.html"] && publication.listOfVideoClips.map(\.href) == ["v.webm"]
        )
        #expect(publication.images.map(\.href) == ["cover.jpg"])
        #expect(Publication(manifest: manifest).images.isEmpty)
    }

    @Test func `a template is filled in before it is fetched`() async throws {
        let fetcher = EchoFetcher()
        let publication = Publication(manifest: manifest, fetcher: fetcher)
        var search = try #require(publication.link(withRel: "search"))
        search.templated = true
        #expect(search.templateParameters == ["query", "page"])
        let resource = publication.get(search, parameters: ["query": "a b&c", "other": "1"])
        #expect(try await resource.readAsString() == "search?query=a%20b%26c")
        #expect(fetcher.links.first?.templated == false && fetcher.links.first?.rels == ["search"])
        #expect(try search.expandTemplate([:]).href == "search")
        #expect(try await publication.get(Link(href: "c1")).readAsString() == "c1")
    }

    @Test(arguments: [
        (Link.template("s{?query"), ["query": "x"]), (Link.template("s{?query}"), [:]),
        (Link.template("s{?query}"), ["other": "x"]),
        (Link(href: "s{?query}"), ["query": "x"]), (Link.template("plain"), ["query": "x"]),
    ])
    func `a template that is missing, malformed or without its arguments is a bad request`(
        link: Link, parameters: [String: String]
    ) async {
        let fetcher = EchoFetcher()
        let resource = Publication(manifest: manifest, fetcher: fetcher).get(link, parameters: parameters)
        do {
            _ = try await resource.read()
            Issue.record("It was read.")
        } catch {
            #expect(error.resourceFailure == .badRequest)
            #expect((error as? CocoaError)?.code == .fileReadInvalidFileName)
        }
        #expect(fetcher.links.isEmpty && resource.link == link)
    }

    @Test func `a link without a template has no parameters and stays as it is`() throws {
        #expect(Link(href: "a{b}").templateParameters.isEmpty)
        #expect(Link.template("a{b").templateParameters.isEmpty)
        #expect(try Link(href: "a{b}").expandTemplate(["b": "c"]).href == "a{b}")
    }

    /// Pitfall 43: hrefs count from where the manifest lies.
    @Test(arguments: [
        ("https://example.org/books/1/manifest.json", "https://example.org/books/1/"),
        ("https://example.org/books/1/manifest.json?v=2#x", "https://example.org/books/1/"),
        ("https://example.org/m.json", "https://example.org/"),
        ("https://example.org", "https://example.org/"), ("file:///books/m.json", "file:///books/"),
        ("manifest.json", nil),
        ("/m.json", nil),
        ("urn:isbn:1", nil), ("", nil),
    ])
    func `the base address is that of the self link without its last part`(href: String, expected: String?) {
        var manifest = manifest
        #expect(manifest.baseURL == nil)
        manifest.links.append(Link(href: href, rels: ["self"]))
        #expect(manifest.baseURL?.absoluteString == expected)
        #expect(Publication(manifest: manifest).baseURL == manifest.baseURL)
    }

    /// Pitfall 43: in a package the address where a manifest once lay means nothing.
    @Test func `a manifest in a package does not link to itself`() throws {
        let manifest = try Manifest(json: SampleManifests.full)
        #expect(manifest.baseURL?.absoluteString == "https://example.org/book/")
        let packaged = manifest.packaged()
        #expect(packaged.baseURL == nil && packaged.links.isEmpty)
        var expected = manifest
        expected.links = []
        #expect(packaged == expected)
    }

    /// Pitfall 42: lengths come from the manifest, so that nobody has to ask a server for each chapter.
    @Test func `the length of a resource is known without a request`() throws {
        let fetcher = EchoFetcher()
        let json: JSONValue = [
            "metadata": ["title": "x"],
            "readingOrder": [
                ["href": "https://example.org/1", "type": "text/html", "size": 5000],
                [
                    "href": "2", "type": "text/html", "size": 9000,
                    "properties": ["archive": ["entryLength": 3000, "isEntryCompressed": true]],
                ],
                ["href": "3", "type": "text/html", "properties": ["archive": ["entryLength": -1]]],
            ],
        ]
        let publication = Publication(manifest: try Manifest(json: json), fetcher: fetcher)
        #expect(publication.readingOrder.map(\.storedLength) == [5000, 3000, nil])
        #expect(publication.readingOrder[1].properties.archive == .init(entryLength: 3000, isEntryCompressed: true))
        #expect(fetcher.links.isEmpty)
    }
}

extension Link {
    fileprivate static func template(_ href: String) -> Link {
        var link = Link(href: href)
        link.templated = true
        return link
    }
}
