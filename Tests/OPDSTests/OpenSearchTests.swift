import Foundation
import Testing

@testable import OPDS

@Suite struct `A description of a search` {
    private let url = URL(string: "https://books.example.org/opds/osd")
    private let text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/" xmlns:a="http://www.w3.org/2005/Atom">
          <ShortName>Books</ShortName><Description>All &amp; more</Description>
          <Url type="text/html" template="/find?q={searchTerms}"/>
          <Url rel="suggestions" type="application/atom+xml;profile=opds-catalog" template="/suggest/{searchTerms}"/>
          <Url type="application/atom+xml;profile=opds-catalog;kind=acquisition" template="/opds/search/{searchTerms}"/>
          <Url type="application/atom+xml;profile=opds-catalog" \
        template="search?q={searchTerms}&amp;n={count?}&amp;t={a:title?}&amp;w={a:author?}&amp;p={startPage}"/>
        </OpenSearchDescription>
        """

    private func description() throws -> OpenSearchDescription {
        try OpenSearchDescription(xml: Data(text.utf8), url: url)
    }

    @Test func `has templates for results with absolute addresses`() throws {
        let description = try self.description()
        #expect(description.shortName == "Books" && description.description == "All & more")
        #expect(
            description.templates.map(\.template) == [
                "https://books.example.org/find?q={searchTerms}",
                "https://books.example.org/opds/search/{searchTerms}",
                "https://books.example.org/opds/search"
                    + "?q={searchTerms}&n={count?}&t={a:title?}&w={a:author?}&p={startPage}",
            ])
    }

    @Test func `is written as it was read`() throws {
        let description = try self.description()
        #expect(try OpenSearchDescription(xml: description.xml) == description)
    }

    @Test(
        arguments: [
            (SearchTerms("a b/ü&"), "https://books.example.org/opds/search/a%20b%2F%C3%BC%26"),
            (
                SearchTerms("whale", title: "Moby", author: "M&M"),
                "https://books.example.org/opds/search?q=whale&n=&t=Moby&w=M%26M&p=1"
            ),
            (SearchTerms(), "https://books.example.org/opds/search/"),
        ])
    func `is filled in with what is searched for`(terms: SearchTerms, address: String) throws {
        #expect(try description().url(for: terms)?.absoluteString == address)
    }

    @Test func `searches anywhere for what it has no field for`() {
        let template = OpenSearchDescription.Template(
            type: "application/opds+json", template: "https://x.org/?q={searchTerms}&l={language}")
        let description = OpenSearchDescription(shortName: "x", templates: [template])
        #expect(
            description.url(for: SearchTerms("whale", author: "Ann Author"))?.absoluteString
                == "https://x.org/?q=whale%20Ann%20Author&l=*")
    }

    @Test(
        arguments: [
            ("text/html", "https://x.org/{searchTerms}"), ("application/atom+xml", "https://x.org/{x:unknown}"),
            ("", "https://x.org/{searchTerms}"),
        ])
    func `leads nowhere if no template is for catalogues or can be filled in`(type: String, template: String) {
        let templates = [OpenSearchDescription.Template(type: type, template: template)]
        #expect(OpenSearchDescription(shortName: "x", templates: templates).url(for: SearchTerms("a")) == nil)
    }

    @Test(arguments: ["<feed/>", "", "<html/>"])
    func `is refused if it is none`(text: String) {
        #expect(throws: CocoaError.self) { try OpenSearchDescription(xml: Data(text.utf8)) }
    }
}
