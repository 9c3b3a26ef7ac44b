import Synchronization

/// The checkpoints of one deflated resource that no archive describes, in memory only: the windows contain unpacked
/// data, which may be secret.
package final class MemoryCheckpoints: Sendable {
    /// The most bytes of all checkpoints; over it, every other one is dropped.
    static let capacity = 2 << 20
    /// The initial distance between two checkpoints, in unpacked or compressed bytes, whichever comes first.
    static let spacing: Int64 = 1 << 20

    private let state = Mutex((index: CheckpointIndex(spacing: MemoryCheckpoints.spacing), length: Int64?.none))

    package init() {}

    /// The number of checkpoints.
    package var count: Int { state.withLock { $0.index.points.count } }

    /// The unpacked length; nil before the end was reached once.
    var length: Int64? {
        get { state.withLock { $0.length } }
        set { state.withLock { $0.length = newValue } }
    }

    func last(upTo offset: Int64) -> Checkpoint? { state.withLock { $0.index.last(upTo: offset) } }

    func first(notBefore end: Int64) -> Checkpoint? { state.withLock { $0.index.first(notBefore: end) } }

    func wants(compressed: Int64, uncompressed: Int64) -> Bool {
        state.withLock { $0.index.wants(compressed: compressed, uncompressed: uncompressed) }
    }

    func add(_ point: Checkpoint) {
        state.withLock { state in
            state.index.add(point)
            while state.index.cost > Self.capacity, state.index.points.count > 1 { state.index.thin() }
        }
    }
}
