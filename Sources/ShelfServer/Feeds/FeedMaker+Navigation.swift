import Foundation
import OPDS
import Publication
import Shelf
import WebServer

extension FeedMaker {
    /// The number of books in a group of the first feed.
    private static let groupSize = 12
    /// The number of values on a page of a list.
    private static let listSize = 100

    /// The root of the catalogue: links to everything else. In OPDS 2.0, the newest books and those that the person is
    /// reading are in it.
    func root() async throws -> ServerResponse {
        let counts = try await context.shelf.counts()
        let reading = try await context.places.recent(limit: Self.groupSize).map(\.book)
        var feed = makeFeed(context.title, at: addresses.root, .navigation)
        feed.links.append(
            Link(href: addresses.otherRoot, type: version.other.type(.navigation), rels: [CatalogRelation.alternate]))
        feed.links.append(Link(href: addresses.server, type: "text/html", rels: [CatalogRelation.alternate]))
        feed.navigation = [
            link(
                "New books", to: addresses.new(), .books, rel: CatalogRelation.sortNew, count: counts.books,
                sentence: "The newest books first."),
            link(
                "All books", to: addresses.books(), .books, rel: CatalogRelation.subsection, count: counts.books,
                sentence: "\(Self.text(counts.books)) by title."),
        ]
        if !reading.isEmpty {
            feed.navigation.append(
                link(
                    "Continue reading", to: addresses.reading, .books, rel: CatalogRelation.subsection,
                    sentence: "The books that you are reading."))
        }
        for division in ShelfDivision.lists {
            guard let count = division.count(in: counts), count > 0 else { continue }
            feed.navigation.append(
                link(
                    division.title, to: addresses.list(division), .navigation, rel: CatalogRelation.subsection,
                    count: count, sentence: "All books by \(division.facetTitle.lowercased())."))
        }
        if version == .json, counts.books > 0 { feed.groups = try await groups(reading, counts) }
        return answer(feed, .navigation, updated: counts.changed)
    }

    private func groups(_ reading: [ShelfBook], _ counts: ShelfCounts) async throws -> [FeedGroup] {
        var newest = BookSelection()
        newest.sort = .added
        var query = newest.query
        query.limit = Self.groupSize
        let new = try await context.shelf.books(query).books
        var groups = [
            group("Continue reading", at: addresses.reading, try await publications(reading), count: nil),
            group("New books", at: addresses.new(), try await publications(new), count: counts.books),
        ]
        // The schema of OPDS 2.0 allows no empty list of publications.
        groups.removeAll { $0.publications.isEmpty }
        return groups
    }

    private func group(
        _ title: String, at href: String, _ publications: [FeedPublication], count: Int?
    ) -> FeedGroup {
        var group = FeedGroup(
            title: LocalizedString(title), links: [Link(href: href, type: version.type(.books), rels: ["self"])],
            publications: publications)
        group.metadata.numberOfItems = count
        return group
    }

    /// All authors, series, subjects, languages or collections, each with its books; nil for a page that doesn't exist.
    func list(_ division: ShelfDivision) async throws -> ServerResponse? {
        guard let number = ListPaging.number(parameters) else { return badRequest }
        let counts = try await context.shelf.counts()
        let paging = ListPaging(number: number, size: Self.listSize, total: division.count(in: counts) ?? 0)
        guard paging.exists else { return nil }
        let values = try await context.shelf.facets(
            division.facet, in: ShelfQuery(), limit: paging.size, offset: (number - 1) * paging.size)
        var feed = makeFeed(division.title, at: addresses.list(division, page: number), .navigation)
        paging.add(to: &feed, type: version.type(.navigation)) { addresses.list(division, page: $0) }
        feed.navigation = values.map { value in
            let books = addresses.books(BookSelection().choosing(value.key, of: division))
            return link(
                division.name(of: value), to: books, .books, rel: CatalogRelation.subsection, count: value.count,
                sentence: Self.text(value.count))
        }
        addWay(to: &feed)
        return answer(feed, .navigation, updated: counts.changed)
    }

    /// Leads on from a feed without content. The schema of OPDS 2.0 requires links or publications; in OPDS 1.2 an entry
    /// would look like a book that was found.
    func addWay(to feed: inout Feed) {
        guard version == .json, feed.navigation.isEmpty, feed.publications.isEmpty, feed.groups.isEmpty else { return }
        feed.navigation = [link("All books", to: addresses.books(), .books, rel: CatalogRelation.subsection)]
    }
}
