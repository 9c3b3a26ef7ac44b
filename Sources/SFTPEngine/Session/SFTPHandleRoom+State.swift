extension SFTPHandleRoom {
    struct State: Sendable {
        struct Count: Sendable {
            /// Handles that the server has issued and has not confirmed as closed.
            var open = 0
            /// Openings that are admitted or sent, and have no reply yet.
            var asked = 0
            weak var session: SFTPSession?
            var used: Int { open + asked }
        }

        struct Waiter: Sendable {
            let session: ObjectIdentifier
            let count: Int
            /// The number of handles that may be open, with those of this waiter.
            let maxCount: Int
            /// The number of handles that the server announces for this session.
            let announced: Int
            /// Whether `maxCount` counts the handles of all sessions.
            let countsAll: Bool
            let asked = ContinuousClock.now
            var isAdmitted = false
            var resume: (@Sendable () -> Void)?

            /// Whether both waiters have the same demands, so that there is room for both or for neither.
            func wantsAsMuch(_ other: Waiter) -> Bool {
                (session, count, maxCount, announced) == (other.session, other.count, other.maxCount, other.announced)
                    && countsAll == other.countsAll
            }
        }

        /// Refused openings that may have been too many; it is not known yet.
        struct Doubt: Sendable {
            /// The smallest number of other handles at one of these refusals.
            var maxCount: Int
            var count = 1
            var since = ContinuousClock.now
        }

        var counts: [ObjectIdentifier: Count] = [:]
        var doubts: [ObjectIdentifier: Doubt] = [:]
        var waiters: [UInt64: Waiter] = [:]
        /// Waiters with a number of handles that must not be exceeded before they are answered, or for ``patience``
        /// while they wait.
        var trials: [UInt64: Waiter] = [:]
        /// Waiters that are not admitted, in order.
        var queue: [UInt64] = []
        var lastID: UInt64 = 0
        /// The learned number of handles at once, of one session or of all.
        var limit: Int?
        /// Whether ``limit`` is for all sessions together.
        var isShared = false
        /// The most handles that one session was seen to have open at once.
        var proven = 0
        /// When ``limit`` was set.
        var changed = ContinuousClock.now
        /// Callbacks of the waiters that the current change admits.
        var resumes: [@Sendable () -> Void] = []
        private let growth: Duration
        private let patience: Duration

        /// The number of handles for a session before any was refused or granted.
        private static let first = 16

        init(growth: Duration, patience: Duration) {
            self.growth = growth
            self.patience = patience
        }

        /// Admits the waiters for which there is room, in order. One that needs more room does not hold up those after
        /// it.
        mutating func admitWaiting() {
            grow()
            let now = ContinuousClock.now
            // Many waiters may have the same demands. If there was no room for one, there is none for the others,
            // because no handle is given back meanwhile.
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

        /// Notes that the result of a refused opening is known.
        mutating func settle(_ session: ObjectIdentifier) {
            doubts[session]?.count -= 1
            if doubts[session]?.count == 0 { doubts[session] = nil }
        }

        /// Raises the limit by half, now and then: if it is too high, an opening is refused and the limit is learned
        /// again.
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
            // Twice the proven number: a server that allows fewer than it announces then has to refuse only a few.
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
