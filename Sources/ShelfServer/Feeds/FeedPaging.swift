import OPDS
import Publication

/// A page of a long feed (RFC 5005, section 3; OPDS 2.0, section 2.2).
struct FeedPaging: Sendable {
    /// The first is 1.
    let number: Int
    /// The number of items on a full page.
    let size: Int
    /// The number of items on all pages.
    let total: Int

    /// The page that a request asks for; nil for one that can't be.
    static func number(_ parameters: FeedParameters) -> Int? {
        guard let text = parameters["page"] else { return 1 }
        guard let number = Int(text), (1...1_000_000).contains(number) else { return nil }
        return number
    }

    /// The number of pages; one without items, too.
    var count: Int { max(1, (total + size - 1) / size) }

    /// Whether the feed has this page.
    var exists: Bool { number <= count }

    /// Adds the counts, and links to the other pages.
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
