import FileProviderCore

/// Notices who reads a file piece by piece, and says how far ahead of each piece to ask: twice as far each time, up to
/// a limit.
struct ReadAhead: Sendable {
    private struct Run: Sendable {
        var last: Range<Int64>
        var ahead: Int64
    }

    /// The latest ones, the last one last.
    private var runs: [Run] = []
    private let maxBytes: Int64
    private let maxSize: Int64
    /// As many readers of one file are told apart.
    private static let maxRuns = 8

    /// - Parameters:
    ///   - cost: Where ranges cost no round trip, nothing is gained by reading ahead.
    ///   - capacity: Bytes that can be kept; blocks of more than half of it are not.
    init(cost: Capabilities.ReadCost, capacity: Int) {
        maxBytes = cost.roundTripsPerRange > 0 ? Int64(min(max(1 << 20, 4 * cost.preferredBlock), capacity / 4)) : 0
        maxSize = Int64(capacity / 2)
    }

    /// What to ask for when `range` is wanted.
    ///
    /// - Parameters:
    ///   - limit: Where what is read ends.
    ///   - isHeld: Whether all of `range` is there, or on its way.
    /// - Returns: `range`, and what follows it if something has to be asked for that goes on where an earlier piece
    ///   ended.
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

    /// The largest number where the sum is none.
    private static func sum(_ offset: Int64, _ count: Int64) -> Int64 {
        let (sum, overflow) = offset.addingReportingOverflow(count)
        return overflow ? .max : sum
    }
}
