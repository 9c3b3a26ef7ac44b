import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// Manifests against the public schemas of the Readium Web Publication Manifest and OPDS 2.
@Suite(.enabled(if: !Corpus.manifests.isEmpty, "the corpus is not here"))
struct SchemaTests {
    private static let manifest = "https://readium.org/webpub-manifest/schema/publication.schema.json"

    private func violations(_ json: JSONValue, by id: String = manifest) throws -> [String] {
        try JSONSchemas(folder: Corpus.root.appending(path: "schema")).violations(of: json, by: id)
    }

    private func manifest(of book: Data) async throws -> Manifest {
        try await EPUBParser().parse(fetcher: ArchiveFetcher(try await ZIPArchive.open(CountingReader(book))))
    }

    @Test(arguments: Corpus.manifests)
    func `the manifests of the corpus are valid, and so is what is made of them`(file: URL) throws {
        let original = try JSONValue(data: Data(contentsOf: file), maximumSize: 1 << 20)
        #expect(try violations(original) == [])
        #expect(try violations(Manifest(json: original).json) == [])
    }

    @Test(arguments: [SampleManifests.full] + SampleManifests.small)
    func `manifests made for tests are valid as they are written`(json: JSONValue) throws {
        #expect(try violations(Manifest(json: json).json) == [])
    }

    @Test
    func `a manifest with members that nobody knows is valid except for those at the root, which must be collections`()
        throws
    {
        let (json, _) = SampleManifests.marked(SampleManifests.full)
        let found = try violations(Manifest(json: json).json)
        #expect(found.count == 1 && found.first?.hasPrefix("/https://example.org/mark-") == true, "\(found)")
    }

    @Test(arguments: SampleBook.Edition.allCases)
    func `manifests of our own books are valid`(edition: SampleBook.Edition) async throws {
        #expect(try violations(await manifest(of: SampleBook.small(edition)).json) == [])
    }

    /// Here the schema and reality clash: it wants a URI, and most of these books are identified by other names. The
    /// identifier is kept as the book has it, because fonts are obfuscated with it and libraries know the book by it.
    @Test(arguments: BookCorpus.books)
    func `manifests of the corpus's books are valid but for identifiers that are no URI`(book: URL) async throws {
        let manifest = try await manifest(of: Data(contentsOf: book))
        let identifier = try #require(manifest.metadata.identifier)
        let isURI = identifier.contains(":")
        #expect(try violations(manifest.json) == (isURI ? [] : ["/metadata/identifier: “\(identifier)” is no uri"]))
    }

    @Test(arguments: BookCorpus.books)
    func `manifests of the corpus's books survive reading and writing`(book: URL) async throws {
        let manifest = try await manifest(of: Data(contentsOf: book))
        let again = try Manifest(data: manifest.json.data)
        #expect(again == manifest)
    }

    @Test func `an OPDS publication and its schema agree`() throws {
        var json = SampleManifests.full
        guard case .object(var members) = json else { return }
        members["links"] = [
            [
                "href": "https://example.org/b.epub", "rel": "http://opds-spec.org/acquisition",
                "type": "application/epub+zip",
            ]
        ]
        json = .object(members)
        let id = "https://drafts.opds.io/schema/publication.schema.json"
        #expect(try violations(Manifest(json: json).json, by: id) == [])
        #expect(try violations(["metadata": ["title": "x"], "links": []], by: id) != [])
    }

    @Test(
        arguments: [
            (["metadata": ["title": "x"]], "readingOrder"), (["metadata": [:], "readingOrder": []], "title"),
            (["metadata": ["title": "x"], "readingOrder": [["href": "a"]]], "type"),
            (["metadata": ["title": "x", "modified": "2008-10-12"], "readingOrder": []], "date-time"),
            (["metadata": ["title": "x", "language": "not a tag"], "readingOrder": []], "match"),
            (["metadata": ["title": "x", "numberOfPages": 0], "readingOrder": []], "bounds"),
            (["metadata": ["title": "x", "layout": "webtoon"], "readingOrder": []], "words"),
            (["metadata": ["title": "x", "identifier": "no address"], "readingOrder": []], "uri"),
            (["metadata": ["title": "x"], "readingOrder": [["href": "a b", "type": "x/y"]]], "uri-reference"),
            (
                ["metadata": ["title": "x"], "readingOrder": [["href": "a{", "type": "x/y", "templated": true]]],
                "uri-template"
            ),
            (["metadata": ["title": "x"], "readingOrder": [], "own": 1], "schemas"),
            (
                [
                    "metadata": ["title": "x"],
                    "readingOrder": [["href": "a", "type": "x/y"], ["href": "a", "type": "x/y"]],
                ], "twice"
            ),
        ] as [(JSONValue, String)])
    func `the schemas refuse what is wrong`(json: JSONValue, word: String) throws {
        let found = try violations(json)
        #expect(found.contains { $0.contains(word) }, "\(found)")
    }
}

@Suite struct JSONSchemasTests {
    @Test(
        arguments: [
            (["type": "integer"], 1, 1.5), (["type": ["string", "null"]], nil, false),
            (["required": ["a"]], ["a": nil], [:]),
            (["properties": ["a": false]], ["b": 1], ["a": 1]),
            (["additionalProperties": false, "properties": ["a": true]], ["a": 1], ["b": 1]),
            (
                ["patternProperties": ["^a": ["type": "string"]], "additionalProperties": ["type": "null"]],
                ["ab": "", "b": nil], ["ab": 1]
            ),
            (["items": ["minimum": 2]], [2, 3], [2, 1]), (["enum": ["a", nil]], nil, "b"), (["const": [1]], [1], [2]),
            (["pattern": "^a+$"], "aa", "ab"), (["uniqueItems": true], [1, "1"], [1, 1]),
            (["exclusiveMinimum": 0], 0.1, 0),
            (["maximum": 1], 1, 2),
            (["anyOf": [["type": "string"], ["minimum": 3]]], 3, 2),
            (["oneOf": [["minimum": 1], ["minimum": 3]]], 2, 3),
            (["allOf": [["minimum": 1], ["maximum": 2]]], 2, 3), (["not": ["type": "string"]], 1, ""),
            (["if": ["type": "string"], "then": ["minLength": 1], "else": ["type": "null"]], "a", ""),
            (["if": ["type": "string"], "then": ["minLength": 1], "else": ["type": "null"]], nil, 1),
            (["contains": ["const": 1]], [0, 1], [0]),
            (["minItems": 1], [0], []), (["minProperties": 1], ["a": 1], [:]),
            (["$ref": "other.json#/$defs/a"], 1, "x"),
            (["format": "date-time"], "2016-08-11T19:32:18.1+02:00", "2016-08-11"),
            (["format": "date"], "2016-08-11", "2016-8-11"),
            (["format": "uri"], "urn:x", "x"), (["format": "uri-reference"], "a%20b?c#d", "a b"),
            (["format": "uri-template"], "{a}", "{a"),
            (["unheard": 1], nil, 1),
        ] as [(JSONValue, JSONValue?, JSONValue)])
    func `each rule takes what it should and refuses the rest`(schema: JSONValue, good: JSONValue?, bad: JSONValue) {
        let schemas = JSONSchemas([
            "https://example.org/s.json": schema,
            "https://example.org/other.json": ["$defs": ["a": ["type": "integer"]]],
        ])
        let good = schema["unheard"] == nil ? schemas.violations(of: good ?? nil, by: "https://example.org/s.json") : []
        #expect(good == [])
        #expect(schemas.violations(of: bad, by: "https://example.org/s.json") != [])
    }

    @Test func `a schema that is missing is a violation`() {
        #expect(JSONSchemas([:]).violations(of: 1, by: "https://example.org/s.json") != [])
    }
}
