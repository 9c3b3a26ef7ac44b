import Shelf

/// The filters and orders above a grid of books, as links with the numbers of books behind them.
struct BookFilters: Sendable {
    /// The most values that a filter shows. The others are in the division's list.
    private static let maxValues = 60

    let selection: BookSelection
    let addresses: PageAddresses
    private let values: SelectionValues

    /// Asks for the values; see ``SelectionValues``.
    static func make(for selection: BookSelection, _ maker: PageMaker) async throws -> BookFilters {
        let values = try await SelectionValues(for: selection, of: maker.context.shelf, limit: maxValues + 1)
        return BookFilters(selection: selection, addresses: maker.addresses, values: values)
    }

    /// What is chosen, in words.
    var title: String { values.title }

    /// Filters, orders, and what was chosen.
    var markup: HTML {
        let filters = ShelfDivision.allCases.compactMap { filter($0) }
        return """
            <div class="filters" role="group" aria-label="Filters and order">\(filters)\(orders)</div>
            \(chosen)
            """
    }

    // MARK: Parts

    /// Nil for a division that would not change what is shown.
    private func filter(_ division: ShelfDivision) -> HTML? {
        let (found, key) = (values[division], selection.keys[division])
        // One of a long division is chosen already, and given up below.
        guard found.count > 1, key == nil || division.isShort else { return nil }
        var items = found.prefix(Self.maxValues).map { value in
            item(division.name(of: value), selection.choosing(value.key, of: division), value.key == key, value.count)
        }
        if found.count > Self.maxValues, ShelfDivision.lists.contains(division) {
            items.append("<li><a href=\"\(addresses.list(division))\">All \(division.title.lowercased()) …</a></li>")
        }
        return disclosure("\(division.facetTitle)", items)
    }

    private var orders: HTML {
        var all: [(sort: ShelfQuery.Sort, title: String)] = [
            (.title, "Title"), (.author, "Author"), (.series, "Series"), (.added, "Newest first"),
            (.changed, "Last changed first"),
        ]
        if selection.text != nil { all.insert((.relevance, "Best match"), at: 0) }
        let items = all.map { order in
            item(order.title, selection.sorted(by: order.sort), order.sort == selection.order, nil)
        }
        let name = all.first { $0.sort == selection.order }?.title ?? ""
        return disclosure("<span class=\"hint\">Order:</span> \(name)", items)
    }

    /// Opened ones close each other.
    private func disclosure(_ title: HTML, _ items: [HTML]) -> HTML {
        """
        <details name="filter"><summary>\(title)</summary><div class="values"><ul>\(items)</ul></div></details>

        """
    }

    private func item(_ title: String, _ selection: BookSelection, _ isChosen: Bool, _ count: Int?) -> HTML {
        let mark: HTML = isChosen ? " aria-current=\"true\"" : ""
        let number = count.map { count -> HTML in
            let noun = count == 1 ? "book" : "books"
            return "<span class=\"count\">\(PageText.grouped(count))<span class=\"label\"> \(noun)</span></span>"
        }
        let address = addresses.books(selection)
        return "<li><a href=\"\(address)\"\(mark)><span dir=\"auto\">\(title)</span> \(number)</a></li>"
    }

    /// What was chosen, each with a link that gives it up.
    private var chosen: HTML? {
        var items: [HTML] = []
        if let text = selection.text {
            var rest = selection.at(page: 1)
            rest.text = nil
            if rest.sort == .relevance { rest.sort = nil }
            items.append(remove("Search", text, rest))
        }
        for division in ShelfDivision.allCases {
            guard let name = values.chosenName(of: division) else { continue }
            items.append(remove(division.facetTitle, name, selection.choosing(nil, of: division)))
        }
        return items.isEmpty ? nil : "<ul class=\"chosen\" aria-label=\"Chosen\">\(items)</ul>"
    }

    private func remove(_ kind: String, _ name: String, _ rest: BookSelection) -> HTML {
        """
        <li><a href="\(addresses.books(rest))"><span class="label">Remove </span>\(kind): <span dir="auto">\(name)</span> \
        <span aria-hidden="true">×</span></a></li>
        """
    }
}
