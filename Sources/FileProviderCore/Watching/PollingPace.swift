/// How long to wait between two looks at a storage that does not report changes itself.
///
/// The shortest interval after a change, half as long again after each look without one, and at least four times the
/// duration of the last look.
public struct PollingPace: Sendable {
    private let minInterval: Double
    private let maxInterval: Double
    private var interval: Double
    private var least = 0.0

    /// Begins with the shortest interval.
    public init(_ options: WatchOptions) {
        minInterval = max(0.001, options.minInterval)
        maxInterval = max(minInterval, options.maxInterval)
        interval = minInterval
    }

    /// The time from the end of one look to the beginning of the next.
    public var pause: Duration { .seconds(max(interval, least)) }

    /// Notes a look.
    public mutating func looked(for time: Duration, changes: Bool) {
        interval = changes ? minInterval : min(maxInterval, interval * 1.5)
        least = 4 * (time / .seconds(1))
    }

    /// Records a failed look.
    public mutating func failed() { interval = min(maxInterval, interval * 2) }
}
