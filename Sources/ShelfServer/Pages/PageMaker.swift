import Foundation
import Shelf
import WebServer

/// Makes the pages of a shelf for one request.
struct PageMaker: Sendable {
    let request: ServerRequest
    let context: ShelfContext
    let addresses: PageAddresses
    let parameters: RequestParameters

    init(request: ServerRequest, context: ShelfContext) {
        self.request = request
        self.context = context
        addresses = PageAddresses(base: context.base)
        parameters = RequestParameters(request)
    }

    // MARK: Books in lists

    /// A list of books as covers with titles.
    func grid(_ books: [ShelfBook]) -> HTML { "<ul class=\"grid\">\(books.map { card($0) })</ul>" }

    private func card(_ book: ShelfBook) -> HTML {
        let shown = ShownBook(book)
        return card(shown, to: addresses.book(book), "<span class=\"by\" dir=\"auto\">\(shown.byline)</span>")
    }

    /// A book that the person is reading, which leads to where they are.
    func card(_ book: ShelfBook, at place: KeptPlace) -> HTML {
        let progress = PageText.percent(place.totalProgression).map { percent -> HTML in
            """
            <span class="progress"><progress max="100" value="\(percent)" aria-hidden="true"></progress> \
            \(percent)%<span class="label"> read</span></span>
            """
        }
        return card(ShownBook(book), to: context.base + BookAddress.reading(book, context), progress)
    }

    /// - Parameter rest: What is below the title, in the link.
    private func card(_ shown: ShownBook, to address: String, _ rest: HTML?) -> HTML {
        """
        <li class="book"><a href="\(address)">\(CoverMarkup.make(shown, .list, base: context.base))\
        <span class="title" lang="\(shown.language)" dir="auto">\(shown.title)</span> \(rest)</a></li>
        """
    }

    /// A part of a page with a heading.
    ///
    /// - Parameters:
    ///   - id: The heading's.
    ///   - more: A link to the rest; nil for none.
    func section(_ title: String, id: String, _ content: HTML, more: PageLink? = nil) -> HTML {
        let link = more.map { more -> HTML in "<a href=\"\(more.address)\">\(more.title)</a>" }
        return """
            <section aria-labelledby="\(id)"><div class="heading"><h2 id="\(id)">\(title)</h2>\(link)</div>
            \(content)</section>

            """
    }

    // MARK: Answers

    /// The answer to parameters that can't be.
    var badRequest: ServerResponse { MessagePage.answer(400, for: request, context) }

    /// Links to the other pages of a list.
    func pages(_ paging: ListPaging, address: (Int) -> String) -> HTML {
        PageNumbers(number: paging.number, count: paging.count).links(address)
    }
}
