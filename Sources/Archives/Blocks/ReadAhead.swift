import FileProviderCore

/// Detects sequential reads of a file, and decides how far ahead of each piece to request: twice as far each time, up
/// to a limit.
struct ReadAhead: Sendable {
    private struct Run: Sendable {
        var last: Range<Int64>
        var ahead: Int64
    }

    /// The latest runs, the most recent last.
    private var runs: [Run] = []
    private let maxBytes: Int64
    private let maxSize: Int64
    /// The most concurrent readers of one file that are distinguished.
    private static let maxRuns = 8

    /// - Parameters:
    ///   - cost: If ranges cost no round trip, reading ahead gains nothing.
    ///   - capacity: Bytes that can be cached; blocks of more than half of it are not.
    init(cost: Capabilities.ReadCost, capacity: Int) {
        maxBytes = cost.roundTripsPerRange > 0 ? Int64(min(max(1 << 20, 4 * cost.preferredBlock), capacity / 4)) : 0
        maxSize = Int64(capacity / 2)
    }

    /// Returns the range to request when `range` is wanted.
    ///
    /// - Parameters:
    ///   - limit: The end of the data.
    ///   - isHeld: Whether all of `range` is in memory or being loaded.
    /// - Returns: `range`, extended if a request is needed and `range` continues an earlier piece.
    mutating func extend(_ range: Range<Int64>, to limit: Int64, isHeld: Bool) -> Range<Int64> {
        guard maxBytes > 0 else { return range }
        var run = Run(last: range, ahead: 0)
        let earlier = runs.lastIndex { run in
            (run.last.lowerBound...run.last.upperBound).contains(range.lowerBound)
                && range.upperBound > run.last.upperBound
        }
        if let earlier {
            run.ahead = runs.remove(at: earlier).ahead
            if !isHeld { run.ahead = min(maxBytes, max(Int64(range.count), 2 * run.ahead)) }
        }
        runs.append(run)
        if runs.count > Self.maxRuns { runs.removeFirst() }
        guard !isHeld, run.ahead > 0 else { return range }
        let end = min(limit, Self.sum(range.upperBound, run.ahead), Self.sum(range.lowerBound, maxSize))
        return range.lowerBound..<max(range.upperBound, end)
    }

    /// Returns the sum, or the largest number if it overflows.
    private static func sum(_ offset: Int64, _ count: Int64) -> Int64 {
        let (sum, overflow) = offset.addingReportingOverflow(count)
        return overflow ? .max : sum
    }
}
