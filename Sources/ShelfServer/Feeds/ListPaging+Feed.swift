import OPDS
import Publication

extension ListPaging {
    /// Adds the counts, and links to the other pages (RFC 5005, section 3; OPDS 2.0, section 2.2).
    ///
    /// - Parameters:
    ///   - type: The media type of the feed.
    ///   - address: Returns the address of a page.
    func add(to feed: inout Feed, type: String, address: (Int) -> String) {
        feed.metadata.numberOfItems = total
        feed.metadata.itemsPerPage = size
        feed.metadata.currentPage = number
        guard count > 1 else { return }
        var pages = [(CatalogRelation.first, 1), (CatalogRelation.last, count)]
        if number > 1 { pages.append((CatalogRelation.previous, number - 1)) }
        if number < count { pages.append((CatalogRelation.next, number + 1)) }
        feed.links += pages.map { rel, page in Link(href: address(page), type: type, rels: [rel]) }
    }
}
