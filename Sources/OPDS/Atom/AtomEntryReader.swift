import Foundation
import Publication
import SafeXML

/// Reads entries (RFC 4287, section 4.1.2): publications (OPDS 1.2, section 5), and links to other feeds (section 2.1).
struct AtomEntryReader {
    let scope: AtomScope

    /// What an entry stands for.
    enum Entry {
        /// Another feed.
        case navigation(Link)
        /// A publication.
        case publication(FeedPublication)
    }

    /// Returns the entry, and the link to the group that it is in.
    func entry(_ element: XMLElement) throws -> (Entry, collection: Link?) {
        let inner = scope.within(element)
        var links = try AtomLinkReader(scope: inner).links(in: element)
        let position = links.firstIndex { $0.rels.contains(CatalogRelation.collection) }
        let collection = position.map { links.remove(at: $0) }
        if isPublication(links) {
            return (.publication(try publication(element, links, inner)), collection)
        }
        return (.navigation(navigation(element, links)), collection)
    }

    /// Returns the publication of an entry by itself.
    func publication(_ element: XMLElement) throws -> FeedPublication {
        let inner = scope.within(element)
        return try publication(element, AtomLinkReader(scope: inner).links(in: element), inner)
    }

    /// Whether something can be acquired, or no link leads to another feed.
    private func isPublication(_ links: [Link]) -> Bool {
        links.contains {
            $0.acquisitionRelation != nil || $0.isCatalogEntry || $0.rels.contains(CatalogRelation.pageStream)
        } || !links.contains(where: \.isCatalogFeed)
    }

    private func publication(_ element: XMLElement, _ links: [Link], _ scope: AtomScope) throws -> FeedPublication {
        FeedPublication(
            metadata: try AtomMetadataReader(scope: scope, entry: element).metadata(),
            links: links.filter { !$0.isCatalogImage }, images: links.filter(\.isCatalogImage))
    }

    /// The first link to a feed. What OPDS 2.0 has no place for is kept: other links and images as alternates, and the
    /// identifier, the time and the description as members of the link.
    private func navigation(_ element: XMLElement, _ links: [Link]) -> Link {
        var others = links
        let main = others.firstIndex(where: \.isCatalogFeed) ?? 0
        var link = others.remove(at: main)
        let title = element.child("title", .atom).map(AtomText.line) ?? ""
        link.title = title.isEmpty ? link.title ?? "" : title
        link.alternates = others
        link.otherProperties["identifier"] = element.childText("id", .atom).map(JSONValue.string)
        link.otherProperties["modified"] = element.childText("updated", .atom).flatMap(Date.init(manifestText:))
            .map { .string($0.manifestText) }
        link.otherProperties["description"] = AtomMetadataReader.description(of: element).map(JSONValue.string)
        return link
    }
}
