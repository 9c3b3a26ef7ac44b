import Foundation
import Publication
import Shelf
import WebServer

extension PageMaker {
    private static let template = PageFile(PackageResources.book_html)
    /// The most other books on the page of one.
    private static let maxOthers = 8

    /// The page about a book; nil if it isn't on the shelf.
    func book(_ segment: String) async throws -> ServerResponse? {
        // Only one spelling of a number is an address.
        guard let id = Int64(segment), String(id) == segment, let book = try await context.shelf.book(id) else {
            return nil
        }
        async let others = self.others(of: book)
        let place = try await context.places.place(in: book.id)
        let frame = PageFrame(context: context, title: ShownBook(book).title)
        let content = self.content(book, place, others: try await others)
        return frame.answer(content, for: request)
    }

    private func content(_ book: ShelfBook, _ place: KeptPlace?, others: HTML?) -> HTML {
        let shown = ShownBook(book)
        var facts = BookFacts(shown, addresses)
        // What is nil is left out.
        var values: [String: HTML] = [
            "title": "\(shown.title)", "language": "\(shown.language)", "format": "\(shown.format)",
            "reading": "\(context.base + BookAddress.reading(book, context))",
            "file": "\(context.base + BookAddress.file(of: book))",
        ]
        values["cover"] = CoverMarkup.make(shown, .page, base: context.base)
        values["series"] = facts.series()
        values["subtitle"] = shown.subtitle.map { subtitle -> HTML in
            "<p class=\"subtitle\" lang=\"\(shown.language)\" dir=\"auto\">\(subtitle)</p>"
        }
        values["authors"] = facts.authors()
        values["progress"] = place.flatMap { progress($0) }
        values["read"] = place != nil ? "Continue" : shown.isAudio ? "Listen" : "Read"
        values["size"] = book.fileSize.map { size -> HTML in
            " <span class=\"count\">\(PageText.size(size))</span>"
        }
        values["description"] = description(shown)
        values["facts"] = "\(facts.rows())"
        values["others"] = others
        return Self.template.filled(with: values)
    }

    private func progress(_ place: KeptPlace) -> HTML? {
        PageText.percent(place.totalProgression).map { percent -> HTML in
            """
            <p class="progress"><progress max="100" value="\(percent)" aria-hidden="true"></progress> \
            \(percent)% read</p>
            """
        }
    }

    /// Nil for none.
    private func description(_ shown: ShownBook) -> HTML? {
        let paragraphs = DescriptionText.paragraphs(shown.book.metadata.description ?? "")
        if paragraphs.isEmpty { return nil }
        let texts = paragraphs.map { text -> HTML in "<p dir=\"auto\">\(text)</p>" }
        return "<div class=\"description\" lang=\"\(shown.language)\">\(texts)</div>"
    }

    // MARK: Others

    /// The other books of the series, or of the first author; nil if there are none.
    private func others(of book: ShelfBook) async throws -> HTML? {
        var keys = NameKeys()
        var query = ShelfQuery(sort: .series, limit: Self.maxOthers + 1)
        let title: String
        let selection: BookSelection
        if let (name, key) = keys.keyed(book.metadata.belongsToSeries.first?.name?.string) {
            query.series = key
            title = "More of \(name)"
            selection = BookSelection().choosing(key, of: .series)
        } else if let (name, key) = keys.keyed(ShownBook(book).authors.first) {
            query.author = key
            title = "More by \(name)"
            selection = BookSelection().choosing(key, of: .authors)
        } else {
            return nil
        }
        let page = try await context.shelf.books(query)
        let others = Array(page.books.filter { $0.id != book.id }.prefix(Self.maxOthers))
        if others.isEmpty { return nil }
        let all = PageLink(title: "Show all \(PageText.grouped(page.total))", address: addresses.books(selection))
        return section(title, id: "others", grid(others), more: page.total > others.count + 1 ? all : nil)
    }
}
