import Foundation
import OPDS
import Publication
import Testing

@Suite struct `Addresses in a document` {
    private let base = URL(string: "https://example.org/opds/v2/new?page=2#top")

    private func href(_ text: String, base: URL?) throws -> String? {
        try Feed(json: ["links": [["href": .string(text)]]], baseURL: base).links.first?.href
    }

    @Test(
        arguments: [
            ("b.epub", "https://example.org/opds/v2/b.epub"), ("/b.epub", "https://example.org/b.epub"),
            ("../b.epub", "https://example.org/opds/b.epub"), ("?page=3", "https://example.org/opds/v2/new?page=3"),
            ("//cdn.example.org/b", "https://cdn.example.org/b"), ("  b.epub\n", "https://example.org/opds/v2/b.epub"),
            ("http://other.example/a", "http://other.example/a"), ("mailto:a@example.org", "mailto:a@example.org"),
            ("b?u=http://x/", "https://example.org/opds/v2/b?u=http://x/"),
        ])
    func `become absolute`(href: String, expected: String) throws {
        #expect(try self.href(href, base: base) == expected)
    }

    @Test(
        arguments: [
            ("search{?query}", "https://example.org/opds/v2/search{?query}"),
            ("/s?q={searchTerms}", "https://example.org/s?q={searchTerms}"),
            ("{?query,title}", "https://example.org/opds/v2/new{?query,title}"),
            ("https://{host}/s", "https://{host}/s"), ("{+base}/s", "{+base}/s"), ("//{host}/s", "//{host}/s"),
            ("/p/{pageNumber}?w={maxWidth}", "https://example.org/p/{pageNumber}?w={maxWidth}"),
        ])
    func `keep the expressions of templates`(href: String, expected: String) throws {
        #expect(try self.href(href, base: base) == expected)
    }

    @Test func `stay as they are without an address of the document`() throws {
        #expect(try href("../b.epub", base: nil) == "../b.epub")
    }

    @Test func `never receive the user and password of the document's address`() throws {
        let base = URL(string: "https://ishmael:whale@example.org/opds/new")
        #expect(try href("b.epub", base: base) == "https://example.org/opds/b.epub")
        #expect(try href("search{?query}", base: base) == "https://example.org/opds/search{?query}")
        #expect(try href("{?query}", base: base) == "https://example.org/opds/new{?query}")
    }

    @Test(
        arguments: [
            ("https://ishmael:whale@other.example/a@b", "https://other.example/a@b"),
            ("//ishmael@other.example", "https://other.example"),
            ("https://a:b@c@other.example?x=y@z", "https://other.example?x=y@z"),
            ("https://{+who}@other.example/s{?query}", "https://other.example/s{?query}"),
            ("{x}https://ishmael:whale@other.example/", "{x}https://other.example/"),
            ("mailto:a@example.org", "mailto:a@example.org"),
        ], [URL(string: "https://example.org/opds"), nil])
    func `lose the user and password that a document gives`(address: (String, String), base: URL?) throws {
        let isResolved = base != nil || !address.0.hasPrefix("//")
        #expect(try href(address.0, base: base) == (isResolved ? address.1 : "//other.example"))
    }

    @Test func `become absolute wherever links are`() throws {
        let link: JSONValue = [
            "href": "a", "title": "A", "alternate": [["href": "b"]], "children": [["href": "c"]],
            "properties": ["authenticate": ["href": "d"]],
        ]
        let publication: JSONValue = [
            "metadata": [
                "title": "x", "author": ["name": "y", "links": [link]], "subject": ["name": "z", "links": [link]],
                "belongsTo": ["series": ["name": "s", "links": [link]]],
            ],
            "links": [link], "images": [link],
        ]
        let json: JSONValue = [
            "links": [link], "navigation": [link], "facets": [["links": [link]]], "publications": [publication],
            "groups": [["links": [link], "navigation": [link], "publications": [publication]]],
        ]
        let feed = try Feed(json: json, baseURL: base)
        let text = feed.json.jsonString
        #expect(text.components(separatedBy: #""href":"https://example.org/opds/v2/"#).count - 1 == 15 * 4)
        #expect(text.components(separatedBy: #""href":"#).count - 1 == 15 * 4)
    }
}
