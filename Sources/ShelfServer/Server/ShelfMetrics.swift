import FileProviderCore

/// What a server has answered since it was made.
final class ShelfMetrics: Sendable {
    struct Kind: Hashable, Comparable, Sendable {
        let name: String
        let status: Int

        static func < (first: Kind, second: Kind) -> Bool {
            (first.name, first.status) < (second.name, second.status)
        }
    }

    struct Count: Hashable, Sendable {
        var requests = 0
        /// Until the answer began to be sent.
        var seconds = 0.0
    }

    private let counts = LockedValue<[Kind: Count]>([:])

    /// - Parameter name: One of few, such as ``ShelfRoute/name``.
    func count(_ name: String, status: Int, duration: Duration) {
        counts.update { counts in
            counts[Kind(name: name, status: status), default: Count()].requests += 1
            counts[Kind(name: name, status: status), default: Count()].seconds += duration / .seconds(1)
        }
    }

    var all: [Kind: Count] { counts.value }
}
