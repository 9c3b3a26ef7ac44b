import FileProviderCore

/// The places that a batch of events names. Events may be older than the present state, so they only say where to look.
struct ChangedPlaces: Sendable {
    /// More places are better looked at with everything else.
    static let maxCount = 1_000

    /// Paths whose items have to be listed, with everything below them. None of them is below another one.
    private(set) var present: Set<ProviderPath> = []
    /// Paths at which, and below which, everything is gone.
    private(set) var gone: Set<ProviderPath> = []

    /// - Parameter isShown: Whether the shelf shows an item at a path.
    init(_ events: [FileEvent], isShown: (ProviderPath) -> Bool) {
        for event in events {
            switch event.kind {
            case .removed: leave(event.path)
            case .modified where event.type == .directory: break
            case .created, .modified, .rescan: present.insert(event.path)
            case .moved:
                if let from = event.from { leave(from) }
                present.insert(event.path)
            }
        }
        gone = gone.filter(isShown)
        present = Self.topmost(present.filter(isShown))
    }

    /// Places that could not be listed before.
    init(owed: Set<ProviderPath>) {
        present = Self.topmost(owed)
    }

    /// Adds places that could not be listed before.
    mutating func add(_ owed: Set<ProviderPath>) { present = Self.topmost(present.union(owed)) }

    /// Whether nothing has to be listed.
    var isEmpty: Bool { present.isEmpty && gone.isEmpty }
    /// Whether there are so many places that the whole source is listed instead.
    var isLarge: Bool { present.count + gone.count > Self.maxCount }

    private mutating func leave(_ path: ProviderPath) {
        gone.insert(path)
        present = present.filter { $0 != path && !$0.isBelow(path) }
    }

    private static func topmost(_ paths: Set<ProviderPath>) -> Set<ProviderPath> {
        paths.filter { path in
            var folder = path.parent
            while let above = folder {
                if paths.contains(above) { return false }
                folder = above.parent
            }
            return true
        }
    }
}
