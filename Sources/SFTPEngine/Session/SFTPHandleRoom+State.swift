extension SFTPHandleRoom {
    struct State: Sendable {
        struct Count: Sendable {
            /// Handles that the server gave and has not yet confirmed to be closed.
            var open = 0
            /// Openings that are admitted or sent, and have no answer yet.
            var asked = 0
            weak var session: SFTPSession?
            var used: Int { open + asked }
        }

        struct Waiter: Sendable {
            let session: ObjectIdentifier
            let count: Int
            /// Handles that may be open with it.
            let maxCount: Int
            /// Handles that the server gives this session, as it says itself.
            let announced: Int
            /// Whether `maxCount` counts the handles of all sessions.
            let countsAll: Bool
            let asked = ContinuousClock.now
            var isAdmitted = false
            var resume: (@Sendable () -> Void)?

            /// Whether there is room for either if there is room for the other.
            func wantsAsMuch(_ other: Waiter) -> Bool {
                (session, count, maxCount, announced) == (other.session, other.count, other.maxCount, other.announced)
                    && countsAll == other.countsAll
            }
        }

        /// Refused openings of which it is not known yet whether they were too many.
        struct Doubt: Sendable {
            /// The fewest handles beside one of them.
            var maxCount: Int
            var count = 1
            var since = ContinuousClock.now
        }

        var counts: [ObjectIdentifier: Count] = [:]
        var doubts: [ObjectIdentifier: Doubt] = [:]
        var waiters: [UInt64: Waiter] = [:]
        /// Those with a number of handles that is not to be exceeded before they are answered; while they wait, for
        /// ``patience`` at most.
        var trials: [UInt64: Waiter] = [:]
        /// Those that are not admitted, in their order.
        var queue: [UInt64] = []
        var lastID: UInt64 = 0
        /// Learned: handles at a time, of a session or of all.
        var limit: Int?
        /// Whether ``limit`` is for all sessions together.
        var isShared = false
        /// The most handles that one session was seen to have open at once.
        var proven = 0
        /// When ``limit`` was set.
        var changed = ContinuousClock.now
        /// Callbacks of those that were admitted by the change under way.
        var resumes: [@Sendable () -> Void] = []
        private let growth: Duration
        private let patience: Duration

        /// Handles that a session may have before any was refused or granted.
        private static let first = 16

        init(growth: Duration, patience: Duration) {
            self.growth = growth
            self.patience = patience
        }

        /// Admits those for whom there is room, in their order. One that needs more room than there is does not hold up
        /// those behind it.
        mutating func admitWaiting() {
            grow()
            let now = ContinuousClock.now
            // Many may wait, most for the same: what had no room has none a moment later, since nothing is given back
            // meanwhile.
            var refused: Waiter?
            for id in queue {
                guard let waiter = waiters[id], refused.map(waiter.wantsAsMuch) != true else { continue }
                if hasRoom(waiter, now: now) { admit(id) } else { refused = waiter }
            }
        }

        mutating func admit(_ id: UInt64) {
            guard let waiter = waiters[id], !waiter.isAdmitted else { return }
            queue.removeAll { $0 == id }
            waiters[id]?.isAdmitted = true
            counts[waiter.session, default: Count()].asked += waiter.count
            trials[id]?.isAdmitted = true
            if let resume = waiters[id]?.resume.take() { resumes.append(resume) }
        }

        /// An opening of `session` was refused with `count` other handles open.
        mutating func doubt(_ session: ObjectIdentifier, beside count: Int) {
            let known = doubts[session]
            doubts[session] = Doubt(maxCount: min(known?.maxCount ?? .max, count), count: (known?.count ?? 0) + 1)
        }

        /// It is known what becomes of a refused opening.
        mutating func settle(_ session: ObjectIdentifier) {
            doubts[session]?.count -= 1
            if doubts[session]?.count == 0 { doubts[session] = nil }
        }

        /// Half as many more, now and then: one that is too many is refused, and learned from again.
        private mutating func grow() {
            guard let limit else { return }
            let now = ContinuousClock.now
            guard now - changed >= growth else { return }
            self.limit = limit + max(1, limit / 2)
            changed = now
        }

        private func hasRoom(_ waiter: Waiter, now: ContinuousClock.Instant) -> Bool {
            let own = counts[waiter.session]?.used ?? 0
            let all = counts.values.reduce(0) { $0 + $1.used }
            func fits(_ used: Int, _ maxCount: Int) -> Bool { used == 0 || used + waiter.count <= maxCount }
            // Twice as many as were seen to work: a server that gives few, whatever it announces, has to refuse few.
            let announced = min(waiter.announced, max(Self.first, 2 * proven))
            if let doubt = doubts[waiter.session], now - doubt.since < patience, !fits(own, doubt.maxCount) {
                return false
            }
            let heeded = trials.values.filter { $0.isAdmitted || now - $0.asked < patience }
            return fits(own, announced) && fits(waiter.countsAll ? all : own, waiter.maxCount)
                && fits(isShared ? all : own, limit ?? .max)
                && heeded.allSatisfy { trial in
                    trial.countsAll
                        ? fits(all, trial.maxCount) : trial.session != waiter.session || fits(own, trial.maxCount)
                }
        }
    }
}
