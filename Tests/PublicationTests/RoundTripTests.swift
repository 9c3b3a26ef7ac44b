import Foundation
import Publication
import SampleBooks
import Testing

@Suite struct RoundTripTests {
    @Test(arguments: [SampleManifests.full] + SampleManifests.small)
    func `a manifest is written as it was read`(json: JSONValue) throws {
        let manifest = try Manifest(json: json)
        #expect(manifest.json == json)
        #expect(try Manifest(data: manifest.json.data) == manifest)
    }

    /// Pitfall 41: unknown keys are kept, whatever object they are in.
    @Test func `no object loses a member that is not known`() throws {
        let (json, names) = SampleManifests.marked(SampleManifests.full)
        #expect(names.count > 60)
        let written = try Manifest(json: json).json
        #expect(written == json)
        let text = written.jsonString
        #expect(names.filter { !text.contains("\"\($0)\"") } == [])
    }

    /// Pitfall 41: one, many or an object, of which the model makes one form.
    @Test func `what is written loosely is read as what is written strictly`() throws {
        let loose: JSONValue = [
            "@context": ["c"],
            "metadata": [
                "title": ["und": "T"], "language": ["en"], "conformsTo": ["p"], "author": ["name": "A"],
                "subject": [["name": "S"]],
                "belongsTo": ["series": [["name": "B"]], "volume": ["position": 4]],
            ],
            "links": ["href": "a", "rel": ["self"]],
            "spine": [["href": "b", "type": "text/html"], ["href": "untyped"]],
        ]
        let strict: JSONValue = [
            "@context": "c",
            "metadata": [
                "title": "T", "language": "en", "conformsTo": "p", "author": "A", "subject": "S",
                "belongsTo": ["series": "B", "volume": 4],
            ],
            "links": [["href": "a", "rel": "self"]], "readingOrder": [["href": "b", "type": "text/html"]],
        ]
        #expect(try Manifest(json: loose) == Manifest(json: strict))
        #expect(try Manifest(json: loose).json == strict)
    }

    @Test(arguments: 0..<400 as Range<UInt64>)
    func `whatever is read is read again from what is written`(seed: UInt64) throws {
        var chaos = Chaos(seed: seed)
        let manifest = try Manifest(json: chaos.manifest())
        #expect(try Manifest(json: manifest.json) == manifest)
        #expect(try Manifest(data: manifest.json.data).json == manifest.json)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `locators and guided navigation are read again from what is written`(seed: UInt64) throws {
        var chaos = Chaos(seed: seed)
        let locator = try Locator(json: chaos.locator())
        #expect(try Locator(json: locator.json) == locator)
        let document = try GuidedNavigationDocument(json: chaos.document())
        #expect(try GuidedNavigationDocument(json: document.json) == document)
    }

    @Test func `words that no property knows stay as they came`() throws {
        let old: JSONValue = [
            "title": "x", "readingProgression": "ttb", "layout": "webtoon", "tdm": ["reservation": "some"],
        ]
        var metadata = try Metadata(json: old)
        #expect(metadata.readingProgression == nil && metadata.layout == nil && metadata.tdm == nil)
        #expect(metadata.json == old)
        metadata.readingProgression = .rtl
        #expect(metadata.json["readingProgression"] == "rtl")
    }

    @Test func `numbers that a manifest does not allow are not written`() throws {
        var link = Link(href: "a")
        (link.size, link.width, link.height, link.duration, link.bitrate) = (0, -1, 0, .nan, .infinity)
        #expect(link.json == ["href": "a"])
    }
}

/// Objects with the names that manifests have and contents that make little sense.
private struct Chaos {
    private var numbers: SeededNumbers

    init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

    mutating func manifest() -> JSONValue {
        guard case .object(var members) = object(6), case .object(var metadata) = object(5) else { return nil }
        metadata["title"] = "x"
        members["metadata"] = .object(metadata)
        return .object(members)
    }

    mutating func locator() -> JSONValue {
        guard case .object(var members) = object(4) else { return nil }
        (members["href"], members["type"]) = ("a", "x/y")
        (members["locations"], members["text"]) = (object(3), object(3))
        return .object(members)
    }

    mutating func document() -> JSONValue {
        guard case .object(var members) = object(4) else { return nil }
        members["guided"] = [object(6), object(6), object(6)]
        return .object(members)
    }

    private mutating func object(_ depth: Int) -> JSONValue {
        let count = Int.random(in: 0...9, using: &numbers)
        var members: [String: JSONValue] = [:]
        for _ in 0..<count { members[Self.names.randomElement(using: &numbers) ?? "x"] = value(depth - 1) }
        // Otherwise few objects would be of use to anybody.
        if Bool.random(using: &numbers) { members["href"] = "a" }
        if Bool.random(using: &numbers) { members["name"] = "n" }
        return .object(members)
    }

    private mutating func value(_ depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 6), using: &numbers) {
        case 0...3: return Self.words.randomElement(using: &numbers) ?? nil
        case 4: return .integer(.random(in: -2...5, using: &numbers))
        case 5: return JSONValue(Double.random(in: -1...2, using: &numbers))
        case 6...7:
            var elements: [JSONValue] = []
            for _ in 0..<Int.random(in: 0...3, using: &numbers) { elements.append(value(depth - 1)) }
            return .array(elements)
        default: return object(depth)
        }
    }

    private static let words: [JSONValue] = [
        "fixed", "ltr", "ttb", "all", "left", "text/html", "self", "en", "2008-10", "2016-08-11T19:32:18.123456Z",
        "2016-08-11T19:32:18+02:00",
        "", nil, true, false, "deflate", "t=1",
    ]

    private static let names: [String] = {
        var names: Set<String> = [
            "name", "other", "role", "und", "fr", "position", "own", "original-length", "spine", "fragments",
            "fragment", "progression",
            "totalProgression", "cssSelector", "before", "highlight", "after", "audioref", "textref", "imgref",
            "videoref", "text", "plain",
            "ssml", "id",
        ]
        func collect(_ json: JSONValue) {
            for element in json.arrayValue ?? [] { collect(element) }
            for (key, value) in json.objectValue ?? [:] {
                names.insert(key)
                collect(value)
            }
        }
        collect(SampleManifests.full)
        return names.sorted()
    }()
}
