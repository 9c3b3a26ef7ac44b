import Synchronization

/// Generates increasing timestamps for messages, even if the clock stops or goes back.
///
/// A driver interprets an unchanged timestamp as a dead application.
public final class RisingTimestamps: Sendable {
    private let last: Mutex<Double>
    private let time: any TimeSource

    /// Creates timestamps after `floor`, from the wall clock of `time`.
    public init(time: any TimeSource, after floor: Double = 0) {
        self.time = time
        self.last = Mutex(floor)
    }

    /// Returns a timestamp at least a thousandth of a second after the previous one.
    public func next() -> Double {
        last.withLock { last in
            last = max(time.wallClock, last + 0.001)
            return last
        }
    }

    /// Makes all further timestamps later than `floor`, such as the timestamp of a file from an earlier run. Ignores a
    /// time more than a day ahead, which would make all later ones absurd.
    public func raise(to floor: Double) {
        guard floor < time.wallClock + 86_400 else { return }
        last.withLock { $0 = max($0, floor) }
    }
}
