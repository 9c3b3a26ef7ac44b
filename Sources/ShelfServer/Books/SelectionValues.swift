import Shelf

/// The values that books can be chosen by, with the numbers of books behind them, and the names of those that are chosen.
struct SelectionValues: Sendable {
    private let selection: BookSelection
    private let values: [ShelfDivision: [FacetValue]]

    /// Asks for the values: one query for each division, several at once.
    ///
    /// A long division with a chosen value is asked for within the selection, which finds the value's name. A short one
    /// is asked for without its own condition, so that people can switch.
    ///
    /// - Parameter limit: The most values of a division in which nothing is chosen.
    init(for selection: BookSelection, of shelf: Shelf, limit: Int) async throws {
        self.selection = selection
        values = try await withThrowingTaskGroup(of: (ShelfDivision, [FacetValue]).self) { group in
            for division in ShelfDivision.allCases {
                let isChosen = selection.keys[division] != nil
                let query = (division.isShort ? selection.choosing(nil, of: division) : selection).query
                let limit = isChosen ? ShelfQuery.maxLimit : limit
                group.addTask {
                    (division, try await shelf.facets(division.facet, in: query, limit: limit, offset: 0))
                }
            }
            return try await group.reduce(into: [ShelfDivision: [FacetValue]]()) { $0[$1.0] = $1.1 }
        }
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
