import Foundation
import Publication
import Testing

@Suite struct `A manifest` {
    @Test(.enabled(if: !Corpus.manifests.isEmpty, "there is no corpus"), arguments: Corpus.manifests)
    func `of the corpus survives reading and writing`(file: URL) throws {
        let original = try JSONValue(data: Data(contentsOf: file), maximumSize: 1 << 20)
        let manifest = try Manifest(json: original)
        #expect(manifest.json == original)
        #expect(try Manifest(data: manifest.json.data) == manifest)
    }

    @Test func `keeps what it does not know`() throws {
        let text = """
            {"metadata":{"title":"x","schema:license":"l"},"readingOrder":[],"own":{"deep":[1,null]}}
            """
        let manifest = try Manifest(jsonString: text)
        #expect(manifest.metadata.otherMetadata == ["schema:license": "l"])
        #expect(manifest.otherProperties == ["own": ["deep": [1, nil]]])
        #expect(manifest.json == (try JSONValue(string: text, maximumSize: 1_000)))
    }

    @Test func `drops links without a media type where one is demanded`() throws {
        let manifest = try Manifest(
            json: [
                "metadata": ["title": "x"],
                "links": [["href": "self"], 7, "text", ["rel": "no address"]],
                "readingOrder": [["href": "a"], ["href": "b", "type": "text/html"]],
                "resources": [["href": "c", "type": "text/css"], ["href": "d"]],
                "toc": [["href": "e"]],
            ])
        #expect(manifest.links.map(\.href) == ["self"])
        #expect(manifest.readingOrder.map(\.href) == ["b"])
        #expect(manifest.resources.map(\.href) == ["c"])
        #expect(manifest.tableOfContents.map(\.href) == ["e"])
    }

    @Test func `may call the reading order spine`() throws {
        let spine: JSONValue = [["href": "a", "type": "text/html"]]
        let old = try Manifest(json: ["metadata": ["title": "x"], "spine": spine])
        #expect(old.readingOrder.map(\.href) == ["a"])
        #expect(old.json["readingOrder"] == spine)
        #expect(old.json["spine"] == nil)
        let both = try Manifest(json: ["metadata": ["title": "x"], "spine": spine, "readingOrder": []])
        #expect(both.readingOrder.isEmpty)
    }

    @Test func `may have one link in place of an array`() throws {
        let manifest = try Manifest(json: ["metadata": ["title": "x"], "links": ["href": "a", "rel": "self"]])
        #expect(manifest.links.firstWithRel("self")?.href == "a")
    }

    @Test(arguments: [
        "null", "7", "[]", "{}", #"{"metadata":[]}"#, #"{"metadata":{}}"#, #"{"metadata":{"title":7}}"#,
        #"{"metadata":{"title":{}}}"#, #"{"metadata":{"title":{"en":7}}}"#,
    ])
    func `without a title is refused with a sentence`(text: String) throws {
        let error = #expect(throws: CocoaError.self) { try Manifest(jsonString: text) }
        #expect(error?.code == .fileReadCorruptFile)
        let sentence = try #require(error?.userInfo[NSLocalizedDescriptionKey] as? String)
        #expect(sentence.hasSuffix("."))
    }

    @Test func `with every member of the wrong kind is read as far as it goes`() throws {
        let keys = [
            "@type", "conformsTo", "identifier", "altIdentifier", "subtitle", "sortAs", "accessibility", "modified",
            "published", "language", "author", "subject", "readingProgression", "layout", "description", "duration",
            "numberOfPages", "abridged", "belongsTo", "presentation",
        ]
        for wrong: JSONValue in [7, -1.5, true, [], [[]], [[:]], [:], ["x": 1], nil] {
            var metadata = Dictionary(uniqueKeysWithValues: keys.map { ($0, wrong) })
            metadata["title"] = "x"
            let json: JSONValue = [
                "@context": wrong, "metadata": .object(metadata), "links": wrong, "readingOrder": wrong,
                "resources": wrong, "toc": wrong, "other": wrong,
            ]
            let manifest = try Manifest(json: json)
            #expect(manifest.metadata.title == "x")
            #expect(try Manifest(json: manifest.json) == manifest)
        }
    }
}

@Suite struct `Subcollections of a manifest` {
    private static let link: JSONValue = ["href": "a"]

    @Test(
        arguments: [
            [link],
            ["metadata": ["x": 1], "links": [link]],
            [["metadata": ["x": 1], "links": [link]], ["metadata": ["x": 2], "links": [link]]],
            ["metadata": [:], "links": [link], "inner": [link]],
            [link, ["metadata": ["x": 1], "links": [link]]],
        ] as [JSONValue])
    func `survive reading and writing`(collection: JSONValue) throws {
        let manifest = try Manifest(json: ["metadata": ["title": "x"], "role": collection])
        #expect(manifest.json["role"] == collection)
        #expect(manifest.links(inSubcollection: "role").first?.href == "a")
    }

    @Test(arguments: ["text", 7, [], [:], ["links": []], [["links": [7]]]] as [JSONValue])
    func `without links are none, and are kept as they came`(collection: JSONValue) throws {
        let manifest = try Manifest(json: ["metadata": ["title": "x"], "role": collection])
        #expect(manifest.subcollections.isEmpty)
        #expect(manifest.json["role"] == collection)
    }

    @Test func `may have links further down only, and members of their own`() throws {
        let groups: JSONValue = [
            ["metadata": ["title": "A"], "links": [], "navigation": [["href": "a"]], "own": 1],
            ["metadata": [:], "links": [["href": "b", "own": 2]], "own": ["x"]],
        ]
        let manifest = try Manifest(json: ["metadata": ["title": "x"], "groups": groups])
        #expect(
            manifest.subcollections["groups"]?.first?.subcollections["navigation"]?.first?.links.map(\.href) == ["a"])
        #expect(manifest.json["groups"] == groups)
    }

    @Test func `are put together where they are nothing but links`() throws {
        let links: JSONValue = ["metadata": ["title": "x"], "role": [["links": [["href": "b"]]], ["href": "a"]]]
        let manifest = try Manifest(json: links)
        #expect(manifest.json["role"] == [["href": "a"], ["href": "b"]])
        #expect(try Manifest(json: manifest.json) == manifest)
    }
}

@Suite struct `A link` {
    @Test func `survives reading and writing`() throws {
        let json: JSONValue = [
            "href": "a{?q}", "templated": true, "type": "text/html", "title": "A", "rel": ["x", "y"],
            "properties": ["page": "left", "contains": ["mathml"], "own": [1, 2]], "height": 3, "width": 4,
            "size": 5_000_000_000, "duration": 1.5, "bitrate": 64, "language": ["en", "fr"],
            "alternate": [["href": "b"]], "children": [["href": "c", "children": [["href": "d"]]]],
        ]
        let link = try Link(json: json)
        #expect(link.json == json)
        #expect(link.size == 5_000_000_000)
        #expect(link.properties.page == .left)
        #expect(link.properties.contains == ["mathml"])
        #expect(link.children.first?.children.first?.href == "d")
    }

    @Test func `may have one relation or language`() throws {
        let link = try Link(json: ["href": "a", "rel": "self", "language": "en"])
        #expect(link.rels == ["self"])
        #expect(link.languages == ["en"])
        #expect(link.json["rel"] == "self")
    }

    @Test func `ignores numbers that cannot be`() throws {
        let link = try Link(
            json: ["href": "a", "height": -1, "width": 0, "size": 1.5, "duration": "12", "bitrate": -3.5])
        #expect(link == Link(href: "a"))
    }

    @Test(arguments: [[:], ["href": 7], ["href": nil], "a", []] as [JSONValue])
    func `must have an address`(json: JSONValue) {
        #expect(throws: CocoaError.self) { try Link(json: json) }
    }

    @Test(
        arguments: [
            (nil, .binary), ("nonsense", .binary), ("text/html;charset=utf-8", .html), ("image/jpg", .jpeg),
            ("audio/mpeg", .mp3),
        ] as [(String?, MediaType)])
    func `always has a media type`(type: String?, expected: MediaType) {
        #expect(Link(href: "a", type: type).mediaType == expected)
    }

    @Test func `tells how its resource is encrypted`() throws {
        let json: JSONValue = ["algorithm": "http://www.w3.org/2001/04/xmlenc#aes256-cbc", "originalLength": 12]
        let link = try Link(json: ["href": "a", "properties": ["encrypted": json]])
        #expect(link.properties.encryption?.originalLength == 12)
        #expect(link.properties.encryption?.json == json)
    }
}

@Suite struct `Lists of links` {
    private let links = [
        Link(href: "a", type: "image/png", rels: ["cover", "x"]), Link(href: "b", type: "image/jpeg", rels: ["x"]),
        Link(href: "a", type: "image/png"),
    ]

    @Test func `are searched`() {
        #expect(links.firstWithRel("x")?.href == "a")
        #expect(links.filterByRel("x").map(\.href) == ["a", "b"])
        #expect(links.firstWithRel("y") == nil)
        #expect(links.firstWithHREF("a")?.rels == ["cover", "x"])
        #expect(links.indexOfFirstWithHREF("b") == 1)
        #expect(links.indexOfFirstWithHREF("c") == nil)
        #expect(links.firstWithMediaType(.jpeg)?.href == "b")
        #expect(links.filterByMediaType(.png).count == 2)
        #expect(links.filterByMediaTypes([.png, .jpeg]).count == 3)
    }

    @Test func `are of a kind when all links are`() {
        #expect(links.allAreBitmap)
        #expect(!links.allAreAudio && !links.allAreVideo && !links.allAreHTML)
        #expect(!links.allMatchMediaType(.png))
        #expect(links.allMatchMediaTypes([.png, .jpeg]))
        #expect([Link(href: "a", type: "audio/aac"), Link(href: "b", type: "audio/x")].allAreAudio)
        #expect([Link(href: "a", type: "video/webm")].allAreVideo)
        #expect([Link(href: "a", type: "text/html"), Link(href: "b", type: "application/xhtml+xml")].allAreHTML)
        #expect(![Link(href: "a", type: "image/png"), Link(href: "b")].allAreBitmap)
    }

    @Test func `that are empty are of no kind`() {
        let none: [Link] = []
        #expect(!none.allAreBitmap && !none.allAreAudio && !none.allAreVideo && !none.allAreHTML)
        #expect(!none.allMatchMediaType(.png))
    }
}
