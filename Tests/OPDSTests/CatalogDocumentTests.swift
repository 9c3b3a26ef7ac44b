import Foundation
import MediaTypes
import Publication
import Testing

@testable import OPDS

@Suite struct `A document of a catalogue` {
    private let url = URL(string: "https://example.org/opds/new")

    private func read(
        _ json: JSONValue, mediaType: MediaType? = nil, limits: CatalogLimits = CatalogLimits()
    ) throws -> CatalogDocument {
        try CatalogDocument(data: json.data, url: url, mediaType: mediaType, limits: limits)
    }

    @Test func `is read as what it is, whatever the server calls it`() throws {
        for type in [nil, .opds1, .opds2, .html] as [MediaType?] {
            #expect(try read(SampleFeeds.full, mediaType: type) == .feed(Feed(json: SampleFeeds.full)))
            #expect(
                try read(SampleFeeds.book, mediaType: type) == .publication(FeedPublication(json: SampleFeeds.book)))
            #expect(
                try read(SampleFeeds.authentication, mediaType: type)
                    == .authentication(AuthenticationDocument(json: SampleFeeds.authentication)))
        }
    }

    @Test func `is what the server calls it if it could be a feed and a publication`() throws {
        let json: JSONValue = ["metadata": ["title": "x"], "links": [["href": "https://example.org/", "rel": "self"]]]
        #expect(try read(json) == .feed(Feed(json: json)))
        #expect(try read(json, mediaType: .opds2) == .feed(Feed(json: json)))
        #expect(try read(json, mediaType: .opds2Publication) == .publication(FeedPublication(json: json)))
        #expect(try Feed(data: json.data, url: url) == Feed(json: json))
        #expect(try FeedPublication(data: json.data, url: url) == FeedPublication(json: json))
    }

    @Test func `may begin with white space and a byte order mark`() throws {
        let text = Data([0xEF, 0xBB, 0xBF]) + Data("\r\n ".utf8) + SampleFeeds.full.data
        #expect(try Feed(data: text, url: nil) == Feed(json: SampleFeeds.full))
    }

    @Test(
        arguments: [
            ("<feed xmlns='http://www.w3.org/2005/Atom'>", .feed), ("<feed>", .feed), ("<a:feed/>", .feed),
            ("\u{FEFF}\n<?xml version='1.0'?>\n<!-- <entry> -->\n<entry >", .entry),
            ("<?xml version='1.0'?><!DOCTYPE feed [<!ENTITY a 'b>'>] ><feed>", .feed),
            ("<!DOCTYPE feed SYSTEM 'x'><feed>", .feed), ("<OpenSearchDescription\n>", .openSearch),
            ("<!doctype HTML><entry>", .webPage), ("<html lang='en'>", .webPage), ("<rss>", .xml), ("<", .xml),
            ("<!--", .xml), ("<?xml", .xml), ("<!DOCTYPE", .xml), ("  {", .json), ("[]", .unknown), ("", .unknown),
            ("text", .unknown),
        ] as [(String, CatalogForm)])
    func `is recognised by what it begins with`(text: String, form: CatalogForm) throws {
        #expect(CatalogForm(of: Data(text.utf8)) == form)
        #expect(CatalogForm(of: try #require(text.data(using: .utf16LittleEndian))) == form)
        #expect(CatalogForm(of: try #require(text.data(using: .utf16))) == form)
    }

    @Test func `with a long beginning is left to the parser`() {
        let text = "<!--" + String(repeating: " ", count: 1 << 17) + "--><entry/>"
        #expect(CatalogForm(of: Data(text.utf8)) == .xml)
    }

    @Test(
        arguments: [
            ("<!DOCTYPE html><html></html>", "The document is a web page, not a catalogue of OPDS 1.2 or 2.0."),
            (
                """
                <!DOCTYPE html><title>Books</title><link rel=stylesheet href=/style.css>
                <link rel="alternate" type="application/atom+xml;type=entry;profile=opds-catalog" href="/book/1">
                <link rel="alternate" type="application/atom+xml; profile=opds-catalog" href="https://u:p@books.example/opds">
                """,
                "The document is a web page, not a catalogue of OPDS 1.2 or 2.0. It names this one: https://books.example/opds"
            ),
            ("Moved", "The document is not of OPDS 1.2 or 2.0: it is neither XML nor JSON."),
            ("", "The document is not of OPDS 1.2 or 2.0: it is neither XML nor JSON."),
            ("{\"error\":\"none\"}", "The JSON document is not an OPDS 2.0 feed: it has no part of one."),
            ("{", "The JSON document cannot be parsed."),
        ])
    func `that is none is refused with a sentence`(text: String, sentence: String) {
        let error = SampleFeeds.refusal { _ = try Feed(data: Data(text.utf8), url: url) }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(error?.localizedDescription == sentence)
    }

    @Test func `of another kind than the expected one is refused with a sentence`() {
        let book = SampleFeeds.refusal { _ = try Feed(data: SampleFeeds.book.data, url: url) }
        #expect(book?.localizedDescription == "The document is the entry of one publication, not a feed.")
        let login = SampleFeeds.refusal { _ = try FeedPublication(data: SampleFeeds.authentication.data, url: url) }
        #expect(login?.localizedDescription == "The document is a demand to log in, not a publication.")
        let feed = SampleFeeds.refusal { _ = try FeedPublication(data: SampleFeeds.full.data, url: url) }
        #expect(feed?.localizedDescription == "The document is a feed with 4 publications, not a single publication.")
        #expect([book, login, feed].allSatisfy { $0?.code == .fileReadCorruptFile })
    }

    @Test func `that is a feed with one publication may stand for it`() throws {
        let json: JSONValue = ["publications": [SampleFeeds.book]]
        #expect(try FeedPublication(data: json.data, url: url) == FeedPublication(json: SampleFeeds.book))
    }

    @Test func `over a limit is refused with a sentence without secrets`() throws {
        let url = URL(string: "https://ishmael:whale@example.org/?token=secret")
        let long = SampleFeeds.refusal {
            _ = try Feed(data: SampleFeeds.full.data, url: url, limits: CatalogLimits(bytes: 100))
        }
        #expect(long?.code == .fileReadTooLarge)
        #expect(long?.localizedDescription.hasSuffix(" bytes; at most 100 are accepted.") == true)
        #expect((long?.userInfo[NSURLErrorKey] as? URL)?.absoluteString == "https://example.org/")
        let many = SampleFeeds.refusal {
            _ = try Feed(data: SampleFeeds.full.data, url: url, limits: CatalogLimits(entries: 10))
        }
        #expect(many?.code == .fileReadTooLarge)
        #expect(many?.localizedDescription == "The feed has 12 entries; at most 10 are accepted.")
        let fitting = try Feed(data: SampleFeeds.full.data, url: nil, limits: CatalogLimits(entries: 12))
        #expect(fitting.publications.count == 3)
    }

    @Test func `has at most as many links of an entry as the limits allow`() throws {
        let feed = try Feed(data: SampleFeeds.full.data, url: nil, limits: CatalogLimits(linksPerEntry: 1))
        #expect(feed.links.count == 1)
        #expect(feed.publications.map(\.links.count) == [1, 1, 1])
        #expect(feed.publications.map(\.images.count) == [1, 0, 0])
        #expect(feed.facets.map(\.links.count) == [2])
    }

    @Test func `that is nested too deeply is refused`() {
        let text = "{\"metadata\":" + String(repeating: "[", count: 5_000)
        #expect(SampleFeeds.refusal { _ = try Feed(data: Data(text.utf8), url: url) }?.code == .fileReadCorruptFile)
    }
}
