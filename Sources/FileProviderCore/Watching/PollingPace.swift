/// How long to wait between two looks at what tells nothing of its changes by itself.
///
/// The shortest interval after a change, half as much again after each look that found none, and at least four times
/// what that look took.
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

    /// From the end of one look to the beginning of the next.
    public var pause: Duration { .seconds(max(interval, least)) }

    /// Notes a look.
    public mutating func looked(for time: Duration, changes: Bool) {
        interval = changes ? minInterval : min(maxInterval, interval * 1.5)
        least = 4 * (time / .seconds(1))
    }

    /// Notes that nobody could look.
    public mutating func failed() { interval = min(maxInterval, interval * 2) }
}
