import Foundation
import Shelf
import WebServer

extension PageMaker {
    /// The number of books on a page: whole rows of two, three, four, six or eight.
    private static let pageSize = 48
    /// The most suggestions for a search.
    private static let maxSuggestions = 8

    /// Books by the parameters of the address. One query for the books, and one for each filter.
    func books() async throws -> ServerResponse? {
        guard let selection = BookSelection(parameters) else { return badRequest }
        var query = selection.query
        query.limit = Self.pageSize
        query.offset = (selection.page - 1) * Self.pageSize
        let asked = query
        async let found = context.shelf.books(asked)
        async let filters = BookFilters.make(for: selection, self)
        let page = try await found
        let paging = ListPaging(number: selection.page, size: Self.pageSize, total: page.total)
        guard paging.exists else { return nil }
        let chosen = try await filters
        let frame = PageFrame(context: context, title: chosen.title, place: .books, text: selection.text ?? "")
        let content: HTML = """
            <h1 dir="auto">\(chosen.title)</h1>
            <p class="count" role="status">\(PageText.count(page.total, "book"))</p>
            \(chosen.markup)
            \(page.books.isEmpty ? nothing(selection) : grid(page.books))
            \(pages(paging) { addresses.books(selection.at(page: $0)) })
            """
        return frame.answer(content, for: request)
    }

    private func nothing(_ selection: BookSelection) -> HTML {
        let isAll = selection.text == nil && selection.keys.isEmpty
        return isAll
            ? "<p class=\"hint\">There are no books here yet.</p>"
            : """
            <p>No book has all of this. Words count from their beginning, and all of them must be in a book’s title, \
            names, subjects or description.</p>
            <p><a class="button" href="\(addresses.books())">Show all books</a></p>
            """
    }

    /// A list of links for what someone types, without a page around it.
    func suggestions() async throws -> ServerResponse {
        var books: [ShelfBook] = []
        if let text = BookSelection(parameters)?.text {
            let query = ShelfQuery(text: text, sort: .relevance, limit: Self.maxSuggestions)
            books = try await context.shelf.books(query).books
        }
        let items = books.map { book -> HTML in
            let shown = ShownBook(book)
            return """
                <li><a href="\(addresses.book(book))"><span lang="\(shown.language)" dir="auto">\(shown.title)</span> \
                <span class="by" dir="auto">\(shown.byline)</span></a></li>
                """
        }
        let list: HTML = "<ul>\(items)</ul>"
        return MadeAnswer.make(
            Data(list.text.utf8), type: "text/html; charset=utf-8", fields: ContentPolicy.service(), for: request)
    }
}
