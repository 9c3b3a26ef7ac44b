import FileProviderCore
import Foundation
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

private let context: JSONValue = [
    "https://schema.org", "https://www.w3.org/ns/pub-context", ["language": "en", "direction": "ltr"],
]

/// A publication manifest with the members given.
private func publication(_ members: [String: JSONValue]) -> String {
    JSONValue.object(["@context": context, "name": "A Book"].merging(members) { $1 }).jsonString
}

private func page(head: String = "", body: String = "<p>Hello</p>") -> String {
    "<!DOCTYPE html><html lang=\"fr\"><head><title>La page</title>\(head)</head><body>\(body)</body></html>"
}

private let navigation = """
    <nav role="doc-toc"><h2>Contents</h2><ul>
    <li><a href="text/one.html">One</a><ol><li><p><a href="text/one.html#s"><b>Section</b> 1</a></p></li></ol></li>
    <li><span>Part</span><ul><li><a href="text/two.html">Two</a></li></ul></li><li>nothing</li>
    <li><a href="../../up.html">Out</a></li><li><a href="https://example.com/x.html">Away</a></li></ul></nav>
    """

struct W3CPackageTests {
    @Test func `a package becomes a manifest of Readium's`() async throws {
        let json = publication([
            "type": "Audiobook", "conformsTo": "https://www.w3.org/TR/audiobooks/", "id": "urn:x:1",
            "url": "https://example.com/b",
            "duration": "PT1H2M3.5S", "datePublished": "2001-02-03", "dateModified": "2002-03-04T05:06:07Z",
            "abridged": true,
            "readingOrder": [
                [
                    "url": "audio/1 one.mp3", "encodingFormat": "audio/mpeg", "duration": "PT10S", "name": "One",
                    "integrity": "sha256-x",
                ],
                "audio/2.mp3",
                [
                    "url": "https://example.com/3.mp3",
                    "alternate": ["text/3.html", ["url": "3.ogg", "encodingFormat": "audio/ogg"]],
                ],
            ],
            "resources": [
                ["url": "cover.jpg", "rel": "cover"], ["url": "toc.html", "rel": ["contents"]], "audio/2.mp3",
            ],
            "links": [
                ["url": "mailto:x@example.com"], ["url": "https://example.com/privacy", "rel": "privacy-policy"],
            ],
            "isbn": "123",
        ])
        let shelf = Shelf()
        let book = try await shelf.open(
            "b.lpf",
            [
                ("publication.json", json), ("toc.html", page(body: navigation)), ("audio/1 one.mp3", "sound"),
                ("cover.jpg", "c"),
            ])
        #expect(book.mediaType == .lpf && book.warnings.isEmpty)
        #expect(book.metadata.type == "http://schema.org/Audiobook")
        #expect(book.metadata.conformsTo == ["https://readium.org/webpub-manifest/profiles/audiobook"])
        #expect(book.metadata.identifier == "urn:x:1")
        #expect(book.metadata.alternateIdentifiers.map(\.value) == ["https://example.com/b"])
        #expect(book.metadata.duration == 3723.5 && book.metadata.abridged == true)
        #expect(book.metadata.published == Date(manifestText: "2001-02-03"))
        #expect(book.metadata.modified == Date(manifestText: "2002-03-04T05:06:07Z"))
        #expect(book.metadata.otherMetadata == ["isbn": "123", "direction": "ltr"])
        #expect(book.readingOrder.map(\.href) == ["audio/1%20one.mp3", "audio/2.mp3", "https://example.com/3.mp3"])
        #expect(book.readingOrder.map(\.type) == ["audio/mpeg", "audio/mpeg", "audio/mpeg"])
        #expect(book.readingOrder[0].duration == 10 && book.readingOrder[0].title == "One")
        #expect(book.readingOrder[0].properties["integrity"] == "sha256-x")
        #expect(book.readingOrder[2].alternates.map(\.href) == ["text/3.html", "3.ogg"])
        #expect(book.resources.map(\.href) == ["cover.jpg", "toc.html"] && book.coverLink?.href == "cover.jpg")
        #expect(book.links.map(\.href) == ["mailto:x@example.com", "https://example.com/privacy"])
        #expect(book.tableOfContents.map(\.title) == ["One", "Part", "Away"])
        #expect(book.tableOfContents[0].children == [Link(href: "text/one.html#s", title: "Section 1")])
        #expect(
            book.tableOfContents[1].href == "#" && book.tableOfContents[1].children.map(\.href) == ["text/two.html"])
        #expect(try await book.text("audio/1%20one.mp3") == "sound")
        #expect(try await book.text("https://example.com/3.mp3") == "from https://example.com/3.mp3")
        #expect(
            book.fetcherTree.hasPrefix(
                "RoutingFetcher\n  in the publication: ArchiveFetcher\n  elsewhere: ProxyFetcher"))
    }

    @Test func `a folder opens like the package`() async throws {
        let shelf = Shelf()
        try await shelf.spread(
            "b", [("publication.json", publication(["readingOrder": "text/one.html"])), ("text/one.html", "one")])
        let book = try await shelf.open("b")
        #expect(book.mediaType == .lpf && book.readingOrder.map(\.href) == ["text/one.html"])
        #expect(try await book.text("text/one.html") == "one")
    }

    /// Pitfall 48: the manifest may be in a script of the page, or where the page says; `publication.json` may be
    /// absent.
    @Test func `the first page holds or names the manifest`() async throws {
        let own = publication(["readingOrder": ["text/one.html", "text/two.html"]])
        let script = #"<script type="application/ld+json" id="m">\#(own)</script>"#
        let other = #"<script type="application/ld+json">{"@context":"https://schema.org","name":"Other"}</script>"#
        let heads = [other + script, ##"<link rel="publication" href="#m"/>"## + other + script]
        for head in heads {
            let book = try await Shelf().open("b.lpf", [("index.html", page(head: head, body: navigation))])
            #expect(book.metadata.title.string == "A Book")
            #expect(book.readingOrder.map(\.href) == ["text/one.html", "text/two.html"])
            #expect(book.tableOfContents.count == 3 && book.warnings.isEmpty)
        }
        let linked = page(head: #"<link href="data/m.json" rel="other PUBLICATION"/>"#)
        let book = try await Shelf().open("b.lpf", [("index.html", linked), ("data/m.json", own)])
        #expect(book.readingOrder.map(\.href) == ["data/text/one.html", "data/text/two.html"])
    }

    /// Pitfall 11: any web site in an archive counts as a package; it is read as it is.
    @Test func `a web site without a manifest is its page and what that lists`() async throws {
        let book = try await Shelf().open(
            "site.zip", [("index.html", page(body: navigation)), ("text/one.html", "one")])
        #expect(book.mediaType == .lpf)
        #expect(book.metadata.title.translations == ["fr": "La page"] && book.metadata.languages == ["fr"])
        #expect(book.readingOrder.map(\.href) == ["index.html", "text/one.html", "text/two.html"])
        #expect(book.readingOrder.map(\.type) == ["text/html", "text/html", "text/html"])
        let soup = try await Shelf().open("soup.lpf", [("index.html", "<!doctype html><p>Hello<br>you")])
        #expect(soup.readingOrder.map(\.href) == ["index.html"] && soup.tags == ["unreadable-page"])
        #expect(soup.metadata.title.string == "soup")
        let lost = try await Shelf().open(
            "lost.lpf", [("index.html", page(head: #"<link rel="publication" href="no.json"/>"#))])
        #expect(lost.readingOrder.map(\.href) == ["index.html"] && lost.tags == ["missing-manifest"])
    }

    @Test func `without a reading order the first page is read, without a name its title counts`() async throws {
        let json = JSONValue.object(["@context": context]).jsonString
        let book = try await Shelf().open("b.lpf", [("publication.json", json), ("index.html", page())])
        #expect(book.readingOrder.map(\.href) == ["index.html"])
        #expect(
            book.metadata.title.translations == ["fr": "La page"]
                && book.tags == ["missing-reading-order", "missing-title"])
        let empty = try await Shelf().open("b.lpf", [("publication.json", publication([:]))])
        #expect(empty.readingOrder.isEmpty && empty.tags == ["missing-reading-order"])
    }

    @Test(arguments: [
        ("no.lpf", [("a.txt", "a")], "“no.lpf” has neither “publication.json” nor “index.html”"),
        ("bad.lpf", [("publication.json", "{")], "“bad.lpf”: its “publication.json”: "),
    ])
    func `a package without anything is damaged`(name: String, entries: [(String, String)], sentence: String)
        async throws
    {
        let error = try #require(try await Shelf().failure(name, entries))
        #expect(error.code == .fileReadCorruptFile)
        #expect(error.sentence.hasPrefix(sentence))
    }

    @Test func `what leads nowhere is left out with a warning`() async throws {
        let json = publication([
            "readingOrder": ["a.html", 3, "../../etc/passwd", ["name": "no address"], "file:///etc/passwd", "a.html"],
            "resources": [["url": "toc.html", "rel": "contents"]], "duration": "P1Y", "dateModified": "never",
        ])
        let book = try await Shelf().open("b.lpf", [("publication.json", json)])
        #expect(book.readingOrder.map(\.href) == ["a.html"])
        #expect(book.warnings.filter { $0.tag == "invalid-link" && $0.severity == .major }.count == 3)
        #expect(Set(book.tags) == ["invalid-link", "invalid-metadata", "missing-contents"])
    }
}

struct W3CManifestTests {
    private func metadata(_ members: [String: JSONValue]) -> Metadata {
        let log = WarningLog()
        let json = JSONValue.object(["@context": context, "readingOrder": "a.html"].merging(members) { $1 })
        return W3CManifest(json: json, folder: .root, warnings: log).manifest(titleOfLastResort: "file", page: nil)
            .metadata
    }

    @Test(
        arguments: [
            ("Title", ["en": "Title"]), (["value": "Titre", "language": "fr", "direction": "ltr"], ["fr": "Titre"]),
            ([["value": "T", "language": "de"], "Title", "Second"], ["de": "T", "en": "Title"]),
            (["@value": "T", "@language": "it"], ["it": "T"]),
            (["fr": "Titre", "de": "Titel", "@none": "T"], ["fr": "Titre", "de": "Titel", "en": "T"]),
            (7, ["und": "file"]), ("", ["und": "file"]),
        ] as [(JSONValue, [String: String])])
    func `names are strings, objects, maps and lists`(name: JSONValue, expected: [String: String]) {
        #expect(metadata(["name": name]).title.translations == expected)
    }

    @Test func `people are strings, objects and lists`() {
        let metadata = metadata([
            "author": "Ann", "creator": ["Ann", "Bea"],
            "readBy": [["type": "Person", "name": "Cy", "id": "urn:cy", "url": "https://c.example"]],
            "publisher": [
                "type": "Organization", "name": [["value": "D", "language": "fr"]], "identifier": ["1", "2"],
            ],
            "translator": [["value": "E", "language": "de"], 5, [:]],
        ])
        #expect(metadata.authors.map(\.name.string) == ["Ann", "Bea"])
        #expect(metadata.narrators.map(\.identifier) == ["urn:cy"])
        #expect(metadata.narrators.first?.links.map(\.href) == ["https://c.example"])
        #expect(metadata.publishers.first?.name.translations == ["fr": "D"])
        #expect(metadata.publishers.first?.alternateIdentifiers.map(\.value) == ["1", "2"])
        #expect(metadata.translators.map(\.name.translations) == [["de": "E"]])
    }

    @Test func `accessibility and languages are taken over`() {
        let metadata = metadata([
            "inLanguage": ["en", "fr"], "readingProgression": "rtl", "accessMode": ["auditory", "textual"],
            "accessModeSufficient": [
                ["type": "ItemList", "itemListElement": ["textual", "visual"]], "auditory", "a, b",
            ],
            "accessibilityFeature": "alternativeText", "accessibilityHazard": ["none"],
            "accessibilitySummary": ["value": "Good", "language": "en"],
        ])
        #expect(metadata.languages == ["en", "fr"] && metadata.readingProgression == .rtl)
        #expect(metadata.accessibility?.accessModes == ["auditory", "textual"])
        #expect(metadata.accessibility?.accessModesSufficient == [["textual", "visual"], ["auditory"], ["a", "b"]])
        #expect(metadata.accessibility?.features == ["alternativeText"] && metadata.accessibility?.hazards == ["none"])
        #expect(metadata.accessibility?.summary == "Good")
    }

    @Test func `a book without an identifier gets one that its content makes`() {
        let one = metadata(["name": "One"])
        #expect(
            one.identifier == metadata(["name": "One"]).identifier
                && one.identifier != metadata(["name": "Two"]).identifier)
        let pattern = /urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        #expect(one.identifier?.wholeMatch(of: pattern) != nil)
        #expect(metadata(["url": ["https://a.example", "https://b.example"]]).identifier == "https://a.example")
    }

    @Test(
        arguments: [
            ("PT1H2M3.5S", 3723.5), ("P1DT1S", 86401), ("P2W", 1_209_600), ("PT0,5S", 0.5), ("PT90M", 5400),
            ("P1Y", nil), ("P1M", nil),
            ("PT", nil), ("P", nil), ("", nil), ("PT1S2M", nil), ("PT1ST1H", nil), ("1H", nil), ("PT1H2", nil),
            ("PT.S", nil),
            ("PT0S", nil),
            ("P1DT", nil), ("PT-1S", nil),
        ] as [(String, Double?)])
    func `durations of ISO 8601 are seconds`(text: String, seconds: Double?) {
        #expect(ISODuration.seconds(text) == seconds)
    }

    @Test(arguments: ["https://www.w3.org/ns/pub-context", "https://www.w3.org/ns/wp-context"])
    func `a manifest leads to the files beside it`(context: String) async throws {
        let shelf = Shelf()
        let json: JSONValue = [
            "@context": ["https://schema.org", .string(context)], "name": "B",
            "readingOrder": ["text/a b.html", "https://example.com/c.html"],
            "resources": [["url": "toc.html", "rel": "https://www.w3.org/ns/wp#contents"]],
        ]
        try await shelf.spread(
            "b", [("m.json", json.jsonString), ("text/a b.html", "text"), ("toc.html", page(body: navigation))])
        let book = try await shelf.open("b/m.json")
        #expect(book.readingOrder.map(\.href) == ["text/a%20b.html", "https://example.com/c.html"])
        #expect(book.tableOfContents.count == 3)
        #expect(try await book.text("text/a%20b.html") == "text")
        #expect(try await book.text("https://example.com/c.html") == "from https://example.com/c.html")
        #expect(book.fetcherTree == "RoutingFetcher\n  in the publication: ProviderFetcher\n  elsewhere: ProxyFetcher")
    }

    @Test func `other JSON is no publication`() async throws {
        let shelf = Shelf()
        try await shelf.spread("b", [("m.json", #"{"@context":"https://schema.org","name":"B"}"#)])
        await #expect(throws: CocoaError.self) { try await shelf.open("b/m.json") }
    }
}
