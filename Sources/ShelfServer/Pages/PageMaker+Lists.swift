import Foundation
import Shelf
import WebServer

extension PageMaker {
    /// The number of names on a page of a list.
    private static let listSize = 240

    /// All authors, series, subjects, languages or collections, each with its number of books; nil for a page that doesn't
    /// exist.
    func list(_ division: ShelfDivision) async throws -> ServerResponse? {
        guard let number = ListPaging.number(parameters) else { return badRequest }
        let counts = try await context.shelf.counts()
        let paging = ListPaging(number: number, size: Self.listSize, total: division.count(in: counts) ?? 0)
        guard paging.exists else { return nil }
        let values = try await context.shelf.facets(
            division.facet, in: ShelfQuery(), limit: paging.size, offset: (number - 1) * paging.size)
        let items = values.map { item($0, division) }
        let list: HTML = "<ul class=\"names\">\(items)</ul>"
        let frame = PageFrame(context: context, title: division.title, place: .list(division))
        let content: HTML = """
            <h1>\(division.title)</h1>
            <p class="count">\(PageText.grouped(paging.total))</p>
            \(values.isEmpty ? nothing : list)
            \(pages(paging) { addresses.list(division, page: $0) })
            """
        return frame.answer(content, for: request)
    }

    private var nothing: HTML {
        "<p>No book on this shelf names any. <a href=\"\(addresses.books())\">Show all books</a></p>"
    }

    private func item(_ value: FacetValue, _ division: ShelfDivision) -> HTML {
        let noun = value.count == 1 ? "book" : "books"
        return """
            <li><a href="\(addresses.books(of: value.key, division))"><span dir="auto">\(division.name(of: value))</span> \
            <span class="count">\(PageText.grouped(value.count))<span class="label"> \(noun)</span></span></a></li>
            """
    }
}
