import Foundation
import OPDS
import Publication
import Shelf
import WebServer

extension FeedMaker {
    /// The most places of a person in the feed of what is being read.
    private static let maxPlaces = 100

    /// Books by the parameters of the address, with facets. One query for the books, and one for each facet.
    func books() async throws -> ServerResponse? {
        guard let selection = BookSelection(parameters) else { return badRequest }
        async let page = context.shelf.books(selection.query)
        async let facets = FeedFacets.make(for: selection, self)
        let books = try await page
        let found = try await facets
        return try await answer(
            books, number: selection.page, title: found.title, facets: found.all(with: selection, self)
        ) { addresses.books(selection.at(page: $0)) }
    }

    /// The newest books first, without facets: readers poll this feed.
    func newBooks() async throws -> ServerResponse? {
        guard let number = ListPaging.number(parameters) else { return badRequest }
        var selection = BookSelection().at(page: number)
        selection.sort = .added
        let page = try await context.shelf.books(selection.query)
        return try await answer(page, number: number, title: "New books", facets: []) { addresses.new(page: $0) }
    }

    /// The books in which the person has a place, the last one first.
    func reading() async throws -> ServerResponse {
        let places = try await context.places.recent(limit: Self.maxPlaces)
        let books = places.map(\.book)
        var feed = makeFeed("Continue reading", at: addresses.reading, .books)
        feed.metadata.numberOfItems = books.count
        feed.publications = try await publications(books)
        addWay(to: &feed)
        let times = books.map(\.changed) + places.prefix(1).map { $0.place.modified }
        return answer(feed, .books, updated: times.max())
    }

    /// One book with all its metadata; nil if there is none.
    func book(_ segment: String) async throws -> ServerResponse? {
        // Only one spelling of a number is an address.
        guard let id = Int64(segment), String(id) == segment, let book = try await context.shelf.book(id) else {
            return nil
        }
        let place = BookAddress.pages(of: book) == nil ? nil : try await context.places.place(in: book.id)
        var names = NameLinks(addresses)
        let entry = FeedBook(book: book, addresses: addresses, place: place)
        let publication = entry.publication(isAlone: true, names: &names)
        return answer(publication, updated: book.changed)
    }

    private func answer(
        _ page: ShelfPage, number: Int, title: String, facets: [Facet], address: (Int) -> String
    ) async throws -> ServerResponse? {
        let paging = ListPaging(number: number, size: BookSelection.pageSize, total: page.total)
        guard paging.exists else { return nil }
        var feed = makeFeed(title, at: address(number), .books)
        paging.add(to: &feed, type: version.type(.books), address: address)
        feed.publications = try await publications(page.books)
        if !page.books.isEmpty { feed.facets = facets }
        addWay(to: &feed)
        return answer(feed, .books, updated: page.books.map(\.changed).max())
    }
}
