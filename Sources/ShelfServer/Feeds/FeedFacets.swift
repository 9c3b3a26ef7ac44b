import OPDS
import Publication
import Shelf

/// The facets of a feed of books, and its title, which names the values that are chosen (OPDS 1.2, section 4; OPDS 2.0,
/// section 2.3).
struct FeedFacets: Sendable {
    /// The most values of a facet. A division with more is left out: it has a list.
    private static let maxValues = 50

    private let values: SelectionValues

    /// Asks for the values; see ``SelectionValues``.
    static func make(for selection: BookSelection, _ maker: FeedMaker) async throws -> FeedFacets {
        let shelf = maker.context.shelf
        return FeedFacets(values: try await SelectionValues(for: selection, of: shelf, limit: maxValues + 1))
    }

    /// Names what is chosen.
    var title: String { values.title }

    /// The facets with their links: orders first, then the divisions that would change the feed.
    func all(with selection: BookSelection, _ maker: FeedMaker) -> [Facet] {
        [orders(selection, maker)] + ShelfDivision.allCases.compactMap { facet($0, selection, maker) }
    }

    private func orders(_ selection: BookSelection, _ maker: FeedMaker) -> Facet {
        var orders: [(ShelfQuery.Sort, String)] = [
            (.title, "Title"), (.author, "Author"), (.series, "Series"), (.added, "Newest first"),
        ]
        if selection.text != nil { orders.insert((.relevance, "Best match"), at: 0) }
        if selection.order == .changed { orders.append((.changed, "Last changed first")) }
        return Facet(
            title: "Order",
            links: orders.map { order, title in
                link(title, to: selection.sorted(by: order), isActive: order == selection.order, count: nil, maker)
            })
    }

    private func facet(_ division: ShelfDivision, _ selection: BookSelection, _ maker: FeedMaker) -> Facet? {
        let (found, key) = (values[division], selection.keys[division])
        let shown = division.isShort || key == nil ? found : found.filter { $0.key == key }
        guard key != nil || shown.count > 1, !shown.isEmpty, shown.count <= Self.maxValues else { return nil }
        var links = shown.map { value in
            link(
                division.name(of: value), to: selection.choosing(value.key, of: division), isActive: value.key == key,
                count: value.count, maker)
        }
        if key != nil {
            let any = selection.choosing(nil, of: division)
            links.insert(link(division.anyTitle, to: any, isActive: false, count: nil, maker), at: 0)
        }
        return Facet(title: LocalizedString(division.facetTitle), links: links)
    }

    private func link(
        _ title: String, to selection: BookSelection, isActive: Bool, count: Int?, _ maker: FeedMaker
    ) -> Link {
        maker.link(
            title, to: maker.addresses.books(selection), .books, rel: isActive ? "self" : CatalogRelation.facet,
            count: count)
    }
}
