import Shelf

/// The books that a feed or a page shows: which ones, in which order, and which page of them.
struct BookSelection: Hashable, Sendable {
    /// The number of books on a page.
    static let pageSize = 50
    /// The most characters of a search.
    private static let maxText = 500

    /// What people look for; nil for no search.
    var text: String?
    /// The key of the chosen value of a division.
    var keys: [ShelfDivision: String] = [:]
    /// The order, if it was chosen.
    var sort: ShelfQuery.Sort?
    /// The first is 1.
    var page = 1

    init() {}

    /// Reads the parameters of an address; nil if there is no such order or page.
    init?(_ parameters: RequestParameters) {
        // The first is the name that OPDS 2.0 gives the parameter, the second that of the shelf's own page.
        text = (parameters["query"] ?? parameters["q"]).map { String($0.prefix(Self.maxText)) }
        for division in ShelfDivision.allCases { keys[division] = parameters[division.parameter] }
        if let name = parameters["sort"] {
            guard let sort = ShelfQuery.Sort(rawValue: name) else { return nil }
            self.sort = sort
        }
        guard let page = ListPaging.number(parameters) else { return nil }
        self.page = page
    }

    /// The order that holds.
    var order: ShelfQuery.Sort {
        if let sort { return sort }
        if text != nil { return .relevance }
        return keys[.series] == nil ? .title : .series
    }

    /// The question for the page's books.
    var query: ShelfQuery {
        var query = ShelfQuery(
            text: text, sort: order, isDescending: order == .added || order == .changed, limit: Self.pageSize,
            offset: (page - 1) * Self.pageSize)
        for (division, key) in keys { division.set(key, in: &query) }
        return query
    }

    /// The parameters of the address, in a fixed order.
    var items: [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        if let text { items.append(("query", text)) }
        for division in ShelfDivision.allCases {
            if let key = keys[division] { items.append((division.parameter, key)) }
        }
        if let sort { items.append(("sort", sort.rawValue)) }
        if page > 1 { items.append(("page", String(page))) }
        return items
    }

    /// Returns the first page with another choice; nil gives the choice up.
    func choosing(_ key: String?, of division: ShelfDivision) -> BookSelection {
        var selection = first
        selection.keys[division] = key
        return selection
    }

    /// Returns the first page in another order.
    func sorted(by sort: ShelfQuery.Sort) -> BookSelection {
        var selection = first
        selection.sort = sort
        return selection
    }

    /// Returns another page.
    func at(page: Int) -> BookSelection {
        var selection = self
        selection.page = page
        return selection
    }

    private var first: BookSelection { at(page: 1) }
}
