/// Finds leases whose holder is dead: those that were not renewed for the whole lease time, measured by the observer's
/// own clock.
///
/// The database's clock and every machine's time of day may jump without harm. The time between two looks counts for at
/// most half the lease time: a process that slept, or a database that was away, is followed by a second look, before
/// which a holder that lives can renew its lease.
struct LeaseWatch: Sendable {
    private struct Seen: Sendable {
        let fence: Int64
        let beat: Int64
        /// For how long the beat has been the same.
        var still: Duration
    }

    private let leaseTime: Duration
    private var seen: [Int64: Seen] = [:]
    private var lastLook: ContinuousClock.Instant?

    init(leaseTime: Duration) {
        self.leaseTime = leaseTime
    }

    /// Takes note of all leases as they were between two times. What lies between them does not count: a lease may have
    /// been renewed then.
    ///
    /// - Parameters:
    ///   - asked: A time before the leases were asked for.
    ///   - answered: A time after the answer.
    /// - Returns: The dead ones. They are returned again while they stay as they are.
    mutating func look(
        at leases: [(id: Int64, fence: Int64, beat: Int64)], asked: ContinuousClock.Instant,
        answered: ContinuousClock.Instant
    ) -> [(id: Int64, fence: Int64, beat: Int64)] {
        let since = lastLook.map { min(max(.zero, asked - $0), leaseTime / 2) } ?? .zero
        // A clock that went back counts again from there.
        lastLook = answered
        var next: [Int64: Seen] = [:]
        var dead: [(id: Int64, fence: Int64, beat: Int64)] = []
        for lease in leases {
            var still = Duration.zero
            if let last = seen[lease.id], last.fence == lease.fence, last.beat == lease.beat {
                still = last.still + since
            }
            next[lease.id] = Seen(fence: lease.fence, beat: lease.beat, still: still)
            if still >= leaseTime { dead.append(lease) }
        }
        seen = next
        return dead
    }
}
