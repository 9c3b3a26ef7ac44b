import Foundation
import OPDS
import Publication
import Shelf
import WebServer

/// Makes the feeds of one version for one request.
struct FeedMaker: Sendable {
    let request: ServerRequest
    let context: ShelfContext
    let version: FeedVersion
    let addresses: FeedAddresses
    let parameters: RequestParameters

    init(request: ServerRequest, context: ShelfContext, version: FeedVersion) {
        self.request = request
        self.context = context
        self.version = version
        addresses = FeedAddresses(context, version)
        parameters = RequestParameters(request)
    }

    // MARK: Parts of all feeds

    /// A feed with what all feeds have.
    ///
    /// - Parameter href: Its address.
    func makeFeed(_ title: String, at href: String, _ document: FeedVersion.Document) -> Feed {
        var feed = Feed(title: LocalizedString(title))
        feed.metadata.identifier = href
        feed.links = [
            Link(href: href, type: version.type(document), rels: ["self"]),
            Link(href: addresses.root, type: version.type(.navigation), rels: [CatalogRelation.start]),
            search,
        ]
        if href != addresses.root {
            feed.links.append(
                Link(href: addresses.root, type: version.type(.navigation), rels: [CatalogRelation.up]))
        }
        if !context.settings.isOpen {
            feed.links.append(
                Link(
                    href: addresses.authentication, mediaType: AuthenticationDocument.mediaType,
                    rels: [CatalogRelation.authenticationDocument]))
        }
        return feed
    }

    private var search: Link {
        switch version {
        case .atom:
            return Link(
                href: addresses.searchDescription, mediaType: OpenSearchDescription.mediaType,
                rels: [CatalogRelation.search])
        case .json:
            var link = Link(
                href: addresses.searchTemplate, type: version.type(.books), rels: [CatalogRelation.search])
            link.templated = true
            return link
        }
    }

    /// A link to another feed.
    ///
    /// - Parameters:
    ///   - count: The number of items in it.
    ///   - sentence: What it has, for the entry that is made of the link in OPDS 1.2 (section 2.1).
    func link(
        _ title: String, to href: String, _ document: FeedVersion.Document, rel: String, count: Int? = nil,
        sentence: String? = nil
    ) -> Link {
        var link = Link(href: href, type: version.type(document), title: title, rels: [rel])
        link.properties.numberOfItems = count
        if version == .atom { link.otherProperties["description"] = sentence.map(JSONValue.string) }
        return link
    }

    /// "1 book", "2 books".
    static func text(_ count: Int) -> String { count == 1 ? "1 book" : "\(count) books" }

    /// The books as entries. Two queries find the person's places in the books with pages to stream.
    func publications(_ books: [ShelfBook]) async throws -> [FeedPublication] {
        let paged = books.filter { BookAddress.pages(of: $0) != nil }.map(\.id)
        let places = paged.isEmpty ? [:] : try await context.places.places(in: paged)
        var names = NameLinks(addresses)
        return books.map { book in
            FeedBook(book: book, addresses: addresses, place: places[book.id]).publication(names: &names)
        }
    }

    // MARK: Answers

    /// The answer with a feed.
    ///
    /// - Parameter updated: When something in it changed. The same content gives the same bytes, which readers then need
    ///   not load again.
    func answer(_ feed: Feed, _ document: FeedVersion.Document, updated: Date?) -> ServerResponse {
        var feed = feed
        // A shelf that never had a book has no time of a change.
        let updated = updated ?? Date(timeIntervalSince1970: 0)
        feed.metadata.modified = updated
        let data =
            switch version {
            case .atom: feed.atom(updated: updated)
            case .json: feed.json.data
            }
        return MadeAnswer.make(data, type: version.type(document), fields: ContentPolicy.service(), for: request)
    }

    /// The answer with one book.
    func answer(_ publication: FeedPublication, updated: Date) -> ServerResponse {
        let data =
            switch version {
            case .atom: publication.atomEntry(updated: updated)
            case .json: publication.json.data
            }
        return MadeAnswer.make(data, type: version.type(.book), fields: ContentPolicy.service(), for: request)
    }

    /// The answer to parameters that can't be.
    var badRequest: ServerResponse {
        RefusalAnswer.make(400, sentence: "The address asks for an order or a page that catalogues don't have.")
    }
}
