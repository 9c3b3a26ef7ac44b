import Foundation
import Shelf
import WebServer

extension PageMaker {
    /// The most books that are being read on the first page.
    private static let maxReading = 6
    /// The most new books on it.
    private static let maxNewest = 12
    /// The most books of the shelf's beginning on it.
    private static let maxBooks = 24
    /// A book that was read so far is finished: what follows is rarely text.
    private static let finished = 0.995

    /// The first page: what the person reads, what is new, and the first books of all.
    func home() async throws -> ServerResponse {
        let frame = PageFrame(context: context)
        async let states = context.shelf.state()
        let counts = try await context.shelf.counts()
        let interrupted = try await states.filter { $0.interruption != nil }.map(\.name)
        if counts.books == 0 { return frame.answer(empty(counts, interrupted), for: request) }
        async let reading = self.reading()
        async let newest = context.shelf.books(
            ShelfQuery(sort: .added, isDescending: true, limit: Self.maxNewest))
        async let all = context.shelf.books(ShelfQuery(limit: Self.maxBooks))
        let sections = [
            section(reading: try await reading), section(newest: try await newest), section(all: try await all),
        ].compactMap(\.self)
        let content: HTML = """
            <h1 class="label">\(context.title)</h1>
            \(notices(counts, interrupted))\(sections)
            """
        return frame.answer(content, for: request)
    }

    // MARK: Parts

    private func section(reading: [(book: ShelfBook, place: KeptPlace)]) -> HTML? {
        if reading.isEmpty { return nil }
        let cards = reading.map { card($0.book, at: $0.place) }
        return section("Continue reading", id: "reading", "<ul class=\"grid\">\(cards)</ul>")
    }

    private func section(newest page: ShelfPage) -> HTML? {
        let more = PageLink(title: "All by date", address: addresses.newest)
        return section(
            "Newest", id: "newest", grid(page.books), more: page.total > page.books.count ? more : nil)
    }

    /// Nil if all books are among the newest.
    private func section(all page: ShelfPage) -> HTML? {
        if page.total <= Self.maxNewest { return nil }
        return section(
            "All books", id: "all", grid(page.books),
            more: PageLink(title: "Show all \(PageText.grouped(page.total))", address: addresses.books()))
    }

    private func notices(_ counts: ShelfCounts, _ interrupted: [String]) -> [HTML] {
        var notices = interrupted.map { name -> HTML in
            """
            <p class="notice">“\(name)” can’t be reached at present. Its books are listed as they were last seen.</p>

            """
        }
        if counts.pending > 0 {
            notices.append(
                "<p class=\"notice\">Files still to be read: \(PageText.grouped(counts.pending)).</p>\n")
        }
        return notices
    }

    /// A shelf without books.
    private func empty(_ counts: ShelfCounts, _ interrupted: [String]) -> HTML {
        let sentence =
            if counts.pending > 0 {
                "The books are being read. Files still to be read: \(PageText.grouped(counts.pending))."
            } else if let name = interrupted.first {
                "“\(name)” can’t be reached at present. Its books appear here once it can."
            } else {
                "Put books into the folder of this shelf. They appear here by themselves."
            }
        return MessagePage.content("There are no books here yet", sentence)
    }

    // MARK: Reading

    /// The books in which the person has a place, the last one first, without finished ones and those that are gone.
    private func reading() async throws -> [(book: ShelfBook, place: KeptPlace)] {
        let reading = try await context.places.recent(limit: 4 * Self.maxReading)
            .filter { ($0.place.totalProgression ?? 0) < Self.finished }
        return Array(reading.prefix(Self.maxReading))
    }
}
