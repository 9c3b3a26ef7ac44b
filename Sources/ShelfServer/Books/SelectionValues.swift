import Shelf

/// The values that books can be chosen by, with the numbers of books behind them, and the names of those that are chosen.
struct SelectionValues: Sendable {
    private let selection: BookSelection
    private let values: [ShelfDivision: [FacetValue]]

    /// Asks for the values: one question for all divisions in which nothing is chosen, and one for each of the others.
    ///
    /// A long division with a chosen value is asked for within the selection, which finds the value's name. A short one
    /// is asked for without its own condition, so that people can switch.
    ///
    /// - Parameter limit: The most values of a division in which nothing is chosen.
    init(for selection: BookSelection, of shelf: Shelf, limit: Int) async throws {
        self.selection = selection
        let chosen = ShelfDivision.allCases.filter { selection.keys[$0] != nil }
        let free = ShelfDivision.allCases.filter { selection.keys[$0] == nil }
        async let others = shelf.facets(free.map(\.facet), in: selection.query, limit: limit)
        var found: [ShelfDivision: [FacetValue]] = [:]
        for division in chosen {
            let query = (division.isShort ? selection.choosing(nil, of: division) : selection).query
            found[division] = try await shelf.facets(division.facet, in: query, limit: ShelfQuery.maxLimit)
        }
        let values = try await others
        for division in free { found[division] = values[division.facet] }
        self.values = found
    }

    /// The values of a division.
    subscript(division: ShelfDivision) -> [FacetValue] { values[division] ?? [] }

    /// What is chosen of a division, for people; nil for nothing.
    func chosenName(of division: ShelfDivision) -> String? {
        guard let key = selection.keys[division] else { return nil }
        return self[division].first { $0.key == key }.map { division.name(of: $0) } ?? key
    }

    /// What is chosen, in words.
    var title: String {
        var parts = selection.text.map { ["“\($0)”"] } ?? []
        parts += ShelfDivision.allCases.compactMap { chosenName(of: $0) }
        return parts.isEmpty ? "All books" : parts.joined(separator: ", ")
    }
}
