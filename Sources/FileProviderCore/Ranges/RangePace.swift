/// Decides how many ranges of a file to fetch at once: doubles the number as long as the rate grows.
///
/// A transfer begins with one stream. Once its rate is known, and the rest will take a while, there are two. Each
/// number is measured before the next one; the last that raised the rate enough stays.
package struct RangePace: Sendable {
    /// The conditions for trying more ranges.
    package struct Limits: Sendable {
        /// Bytes of the smallest file to consider.
        package var minFileSize: Int64 = 32 << 20
        /// The least time in seconds that the rest would take.
        package var minRest = 1.0
        /// The rate of one stream, in bytes a second, above which more would hardly help: no round trip slows it down.
        package var maxRate = 200e6
        /// The least growth: the rate with more ranges, divided by that with fewer.
        package var minGrowth = 1.2
        /// The least and the most seconds that a number of ranges has to get going; it is then measured for as long
        /// again.
        package var interval = 0.15...2.0
        /// The most bytes to hold beside those that the target has.
        package var maxHeld: Int64 = 32 << 20

        package static var standard: Limits { Limits() }

        package init() {}
    }

    private enum Phase {
        /// One stream, which is being measured.
        case single
        /// More ranges are wanted; it is not known yet whether the reader allows them.
        case wanting
        /// The present number is being measured.
        case growing
        case settled
    }

    private let limits: Limits
    private let interval: Double
    /// Seconds that another stream may take to begin.
    package let lead: Double
    private var phase = Phase.single
    /// When all ranges of the present number were running; nil before.
    private var since: Double?
    private var mark: (time: Double, bytes: Int64)?
    private var maxCount = 1
    private var previous = 1

    /// Ranges at once.
    package private(set) var count = 1
    /// The last measured rate in bytes a second; 0 before.
    package private(set) var rate = 0.0

    /// - Parameters:
    ///   - latency: Seconds from the request to the first byte.
    ///   - time: Seconds on any clock, as for the other calls.
    package init(limits: Limits, latency: Double, at time: Double) {
        self.limits = limits
        interval = min(max(limits.interval.lowerBound, 4 * latency), limits.interval.upperBound)
        lead = min(max(2 * limits.interval.lowerBound, 8 * latency), limits.interval.upperBound)
        since = time
    }

    /// Whether the number no longer changes.
    package var isSettled: Bool { phase == .settled }
    /// Whether more than one range is wanted (``grow(to:)``).
    package var isWanting: Bool { phase == .wanting }

    /// Records the bytes that have arrived so far.
    ///
    /// - Parameters:
    ///   - arrived: All bytes since the transfer began.
    ///   - left: The bytes still to arrive.
    /// - Returns: Whether ``count`` has changed, or more than one range is wanted now.
    package mutating func note(arrived: Int64, left: Int64, at time: Double) -> Bool {
        guard phase == .single || phase == .growing, let measured = measure(arrived, at: time) else { return false }
        if phase == .single {
            rate = measured
            let isWorthIt = Double(left) > measured * limits.minRest && measured < limits.maxRate
            phase = isWorthIt ? .wanting : .settled
            return isWorthIt
        }
        guard measured >= rate * limits.minGrowth else {
            settle(for: previous)
            return true
        }
        rate = measured
        if count == maxCount {
            phase = .settled
            return false
        }
        raise()
        return true
    }

    /// Begins with two ranges, or stays with one if `maxCount` allows no more.
    package mutating func grow(to maxCount: Int) {
        guard phase == .wanting, maxCount > 1 else { return settle(for: 1) }
        self.maxCount = maxCount
        phase = .growing
        raise()
    }

    /// Records how many ranges the storage sends now: only all of ``count`` are measured.
    package mutating func run(_ active: Int, at time: Double) {
        if phase == .growing, since == nil, active >= count { since = time }
    }

    /// Halves the number for good, after a range was refused.
    package mutating func reduce() { settle(for: max(1, count / 2)) }

    /// Keeps this number for good.
    package mutating func settle(for count: Int) {
        self.count = count
        phase = .settled
    }

    private mutating func raise() {
        previous = count
        count = min(maxCount, 2 * count)
        since = nil
        mark = nil
    }

    /// Returns the rate in bytes a second, once the present number was measured for long enough.
    private mutating func measure(_ arrived: Int64, at time: Double) -> Double? {
        guard let since, time - since >= interval else { return nil }
        guard let mark else {
            mark = (time, arrived)
            return nil
        }
        guard time - mark.time >= interval else { return nil }
        return Double(arrived - mark.bytes) / max(time - mark.time, 1e-6)
    }
}
