import Synchronization

/// Timestamps for messages, each later than the one before even when the clock stands still or goes back.
///
/// A driver takes an unchanged timestamp for an application that died.
public final class RisingTimestamps: Sendable {
    private let last: Mutex<Double>
    private let time: any TimeSource

    /// Timestamps after `floor`, by the wall clock of `time`.
    public init(time: any TimeSource, after floor: Double = 0) {
        self.time = time
        self.last = Mutex(floor)
    }

    /// Later than each one before by a thousandth of a second at least.
    public func next() -> Double {
        last.withLock { last in
            last = max(time.wallClock, last + 0.001)
            return last
        }
    }

    /// From now on nothing up to `floor` is given, such as the timestamp of a file that an earlier run left behind. One
    /// from more than a day ahead is passed over: it would make all that follow absurd.
    public func raise(to floor: Double) {
        guard floor < time.wallClock + 86_400 else { return }
        last.withLock { $0 = max($0, floor) }
    }
}
