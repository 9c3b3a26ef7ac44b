/// How many positions each resource has, without a locator for each of them.
struct PositionTable: Sendable {
    /// The positions of one resource.
    private struct Resource {
        var first: Int
        var count: Int
        /// How much of the publication lies before the first one.
        var start: Double
    }

    private var resources: [Resource?] = []

    /// Positions that are numbered through the reading order.
    init(counts: [Int]) {
        let total = Double(max(1, counts.reduce(0, +)))
        var next = 1
        for count in counts {
            resources.append(count > 0 ? Resource(first: next, count: count, start: Double(next - 1) / total) : nil)
            next += count
        }
    }

    /// The positions of an app's own service.
    init(_ positions: [[Locator]]) {
        resources = positions.map { locators in
            guard let first = locators.first, let position = first.locations.position else { return nil }
            return Resource(first: position, count: locators.count, start: first.locations.totalProgression ?? 0)
        }
    }

    /// The number of all positions.
    var total: Int { resources.reduce(0) { $0 + ($1?.count ?? 0) } }

    /// The position at or before a place in the resource at `index`, and how much of the publication lies before the
    /// place; nil for a resource without positions.
    ///
    /// - Parameter progression: How much of the resource lies before the place.
    func place(inResource index: Int, progression: Double) -> (position: Int, totalProgression: Double)? {
        guard resources.indices.contains(index), let own = resources[index] else { return nil }
        // A product that is off by a rounding error counts as whole.
        let place = min(own.count - 1, Int(progression * Double(own.count) + 1e-9))
        let next = resources[(index + 1)...].lazy.compactMap(\.self).first?.start ?? 1
        return (own.first + place, own.start + (next - own.start) * progression)
    }

    /// As ``place(inResource:progression:)``, of the page `number`, from 1, of a document.
    func page(_ number: Int, inResource index: Int) -> (position: Int, totalProgression: Double, progression: Double)? {
        guard resources.indices.contains(index), let own = resources[index] else { return nil }
        let progression = Double(min(own.count, max(1, number)) - 1) / Double(own.count)
        return place(inResource: index, progression: progression).map {
            ($0.position, $0.totalProgression, progression)
        }
    }
}
