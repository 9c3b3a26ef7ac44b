/// Decides how many ranges of a file are fetched at once: twice as many as long as that brings more.
///
/// A transfer begins with one stream. Once its rate is known, and what is left will take a while, there are two; each
/// number is measured before the next one, and the last that brought enough stays.
package struct RangePace: Sendable {
    /// When more ranges are tried.
    package struct Limits: Sendable {
        /// Bytes of the smallest file that is looked at.
        package var minFileSize: Int64 = 32 << 20
        /// Seconds that the rest would take, at least.
        package var minRest = 1.0
        /// Bytes a second of one stream that more would hardly make faster: no round trip holds it up.
        package var maxRate = 200e6
        /// The rate with more ranges, divided by that with fewer, at least.
        package var minGrowth = 1.2
        /// Seconds that a number of ranges has to get going, and for as long again it is measured: at least so many,
        /// and at most.
        package var interval = 0.15...2.0
        /// Bytes that are held beside those that the target has, at most.
        package var maxHeld: Int64 = 32 << 20

        package static var standard: Limits { Limits() }

        package init() {}
    }

    private enum Phase {
        /// One stream, which is measured.
        case single
        /// More are wanted, and it is not known yet whether they may be had.
        case wanting
        /// The number of now is measured.
        case growing
        case settled
    }

    private let limits: Limits
    private let interval: Double
    /// Seconds that another stream may take to begin.
    package let lead: Double
    private var phase = Phase.single
    /// When the number of now had begun; nil before.
    private var since: Double?
    private var mark: (time: Double, bytes: Int64)?
    private var maxCount = 1
    private var previous = 1

    /// Ranges at once.
    package private(set) var count = 1
    /// Bytes a second, when they were measured last; 0 before.
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

    /// Whether the number stays as it is.
    package var isSettled: Bool { phase == .settled }
    /// Whether more than one range is wanted (``grow(to:)``).
    package var isWanting: Bool { phase == .wanting }

    /// Takes note of the bytes that have come so far.
    ///
    /// - Parameters:
    ///   - arrived: All that came since the transfer began.
    ///   - left: Those still to come.
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

    /// Begins with two ranges, or stays with one where that is all there may be.
    package mutating func grow(to maxCount: Int) {
        guard phase == .wanting, maxCount > 1 else { return settle(for: 1) }
        self.maxCount = maxCount
        phase = .growing
        raise()
    }

    /// Takes note that the storage sends so many ranges now: all of ``count`` are measured, not fewer.
    package mutating func run(_ active: Int, at time: Double) {
        if phase == .growing, since == nil, active >= count { since = time }
    }

    /// Half as many, for good: a range was refused.
    package mutating func reduce() { settle(for: max(1, count / 2)) }

    /// So many, for good.
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

    /// Bytes a second, once the number of now was measured for long enough.
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
