import Synchronization

/// Converts a running count into steps.
final class LastValue: Sendable {
    private let last = Mutex(Int64(0))

    /// Returns the difference between `value` and the one before.
    func step(to value: Int64) -> Int64 {
        last.withLock { last in
            defer { last = value }
            return value - last
        }
    }
}
