import Foundation
import Publication
import Testing

@testable import OPDS

@Suite struct `A hostile Atom feed` {
    private func refusal(_ data: Data, limits: CatalogLimits = CatalogLimits()) -> CocoaError.Code? {
        let url = URL(string: "https://books.example.org/")
        let error = #expect(throws: CocoaError.self) { try AtomReader.feed(data, url: url, limits: limits) }
        return error?.code
    }

    @Test func `with a million entries is refused`() {
        let data = AtomSamples.feed(String(repeating: "<entry/>", count: 1_000_000))
        #expect(refusal(data) == .fileReadTooLarge)
    }

    @Test func `with one entry or facet more than the limit is refused`() throws {
        var limits = CatalogLimits()
        limits.entries = 3
        let facet = "<link rel='http://opds-spec.org/facet' href='f'/>"
        let feed = try AtomReader.feed(AtomSamples.feed(facet + "<entry/><entry/>"), url: nil, limits: limits)
        #expect(feed.publications.count == 2)
        #expect(refusal(AtomSamples.feed(facet + "<entry/><entry/><entry/>"), limits: limits) == .fileReadTooLarge)
    }

    @Test func `with entities that grow is refused`() {
        let document = """
            <!DOCTYPE feed [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
            <feed xmlns="http://www.w3.org/2005/Atom"><title>&b;</title></feed>
            """
        #expect(refusal(Data(document.utf8)) == .fileReadCorruptFile)
    }

    @Test func `with an external entity reads no file`() {
        let document = """
            <!DOCTYPE feed [<!ENTITY a SYSTEM "file:///etc/passwd">]>
            <feed xmlns="http://www.w3.org/2005/Atom"><title>&a;</title></feed>
            """
        #expect(refusal(Data(document.utf8)) == .fileReadCorruptFile)
    }

    @Test func `with deep elements is refused`() {
        let depth = 10_000
        let deep = String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        let entry = "<entry><content type='xhtml'>\(deep)</content></entry>"
        #expect(refusal(AtomSamples.feed(entry)) == .fileReadTooLarge)
    }

    @Test func `with a long attribute or text is refused`() {
        let long = String(repeating: "x", count: 5 << 20)
        #expect(refusal(AtomSamples.feed("<link href='\(long)'/>")) == .fileReadTooLarge)
        #expect(refusal(AtomSamples.feed("<entry><title>\(long)</title></entry>")) == .fileReadTooLarge)
    }

    @Test func `that repeats a long base in each link is refused`() {
        let base = "https://books.example.org/" + String(repeating: "x", count: 1 << 20) + "/"
        let links = String(repeating: "<link href='a'/>", count: 100)
        #expect(refusal(AtomSamples.feed(links, attributes: "xml:base='\(base)'")) == .fileReadTooLarge)
    }

    @Test func `has no more links and steps than the limits allow`() throws {
        let links = String(repeating: "<link rel='http://opds-spec.org/acquisition' href='a'/>", count: 2_000)
        let feed = try AtomReader.feed(
            AtomSamples.feed("<entry>\(links)</entry>"), url: nil, limits: CatalogLimits())
        #expect(feed.publications.map(\.links.count) == [1_000])
        let steps =
            String(repeating: "<opds:indirectAcquisition type='a/b'>", count: 40)
            + String(repeating: "</opds:indirectAcquisition>", count: 40)
        let deep = try AtomReader.feed(
            AtomSamples.feed("<entry><link rel='http://opds-spec.org/acquisition' href='a'>\(steps)</link></entry>"),
            url: nil, limits: CatalogLimits())
        #expect(try Feed(data: deep.json.data, url: nil) == deep)
    }

    @Test func `keeps numbers that are none out`() throws {
        let feed = try AtomReader.feed(
            AtomSamples.feed(
                """
                <totalResults xmlns="http://a9.com/-/spec/opensearch/1.1/">-1</totalResults>
                <itemsPerPage xmlns="http://a9.com/-/spec/opensearch/1.1/">0</itemsPerPage>
                <startIndex xmlns="http://a9.com/-/spec/opensearch/1.1/">9223372036854775807</startIndex>
                <entry><updated>yesterday</updated>
                <link rel="http://opds-spec.org/acquisition/buy" href="a" length="-5">
                <opds:price currencycode="EUR">nan</opds:price><opds:copies total="many"/></link></entry>
                """), url: nil, limits: CatalogLimits())
        #expect(feed.metadata.numberOfItems == nil && feed.metadata.itemsPerPage == nil)
        #expect(feed.metadata.currentPage == nil)
        let book = try #require(feed.publications.first)
        #expect(book.metadata.modified == nil)
        #expect(book.links.map(\.size) == [nil] && book.links.map(\.properties) == [Link.Properties()])
    }
}
