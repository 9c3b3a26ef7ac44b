#if Fleet
    import FileProviderCore
    import Foundation
    import PostgresTransport
    import ProviderDoubles
    import Synchronization
    import Testing

    @testable import SyncFleet

    /// Many workers on one queue in a real PostgreSQL.
    @Suite(.serialized, .enabled(if: FleetQueueBed.isReady, "PostgreSQL is not up; run bash Tests/run.sh"))
    struct FleetClaimTests {
        /// What the workers hold, as they know it: entered after a claim, struck out before a release.
        private final class Ledger: Sendable {
            private struct Entries {
                var claims = 0
                var held: [Int64: Int64] = [:]
                var fences: [Int64: Int64] = [:]
                var running: [String: Int] = [:]
                var faults: [String] = []
            }

            private let entries = Mutex(Entries())
            private let limits: [String: Int]

            init(limits: [String: Int]) { self.limits = limits }

            var claims: Int { entries.withLock(\.claims) }
            var faults: [String] { entries.withLock(\.faults) }

            func enter(_ leases: [FleetLease]) {
                entries.withLock { entries in
                    for lease in leases {
                        entries.claims += 1
                        if let other = entries.held[lease.id] {
                            entries.faults.append("\(lease.pair.name) is on two workers, \(other) and \(lease.fence)")
                        }
                        if lease.fence <= entries.fences[lease.id] ?? 0 {
                            entries.faults.append("the fence of \(lease.pair.name) did not rise: \(lease.fence)")
                        }
                        entries.held[lease.id] = lease.fence
                        entries.fences[lease.id] = lease.fence
                        for gate in lease.pair.gates {
                            entries.running[gate, default: 0] += 1
                            if entries.running[gate] ?? 0 > limits[gate] ?? .max {
                                entries.faults.append("\(gate) has more runs than allowed")
                            }
                        }
                    }
                }
            }

            func strike(_ lease: FleetLease) {
                entries.withLock { entries in
                    entries.held[lease.id] = nil
                    for gate in lease.pair.gates { entries.running[gate, default: 0] -= 1 }
                }
            }
        }

        private static let hosts = ["a.example": 1, "b.example": 2, "c.example": 3, "d.example": 8]

        private func pairs(_ count: Int) -> [FleetPair] {
            let hosts = Self.hosts.keys.sorted()
            return (0..<count).map { number in
                var pair = FleetPair(
                    name: "p\(number)", source: number % 3 == 0 ? "dav://\(hosts[number % 4])/" : "file:///\(number)",
                    destination: "sftp://\(hosts[number / 4 % 4])/\(number)")
                pair.owner = "o\(number % 9)"
                pair.priority = number % 10 == 0 ? 1 : 0
                pair.every = 0
                return pair
            }
        }

        /// One worker: takes pairs, renews, publishes, and gives back in all the ways there are.
        ///
        /// - Parameter jump: Has the clock go forward by this many seconds: from time to time forth or back, and forth if
        ///   all pairs wait for it.
        private func work(
            _ worker: String, _ fleet: Fleet, _ ledger: Ledger, until total: Int, jump: (Int) async throws -> Void
        ) async throws {
            var mine: [FleetLease] = []
            var waits = 0
            while ledger.claims < total {
                let taken = try await fleet.claim(worker: worker, count: Int.random(in: 1...4))
                ledger.enter(taken)
                mine += taken
                waits = taken.isEmpty ? waits + 1 : 0
                if taken.isEmpty { try await fleet.promote() }
                if waits == 3 {
                    try await jump(7200)
                    waits = 0
                } else if Int.random(in: 0..<50) == 0 {
                    try await jump(Int.random(in: -7200...7200))
                }
                let held = try await fleet.renew(worker: worker, leases: mine)
                #expect(held == Set(mine.map(\.id)))
                mine.shuffle()
                let kept = Int.random(in: 0...3)
                while mine.count > kept, let lease = mine.popLast() {
                    if Bool.random() {
                        let name = "\(lease.id)/\(lease.fence)"
                        _ = try await fleet.publish(lease, name: name, size: lease.fence, checksum: "c")
                    }
                    ledger.strike(lease)
                    try await end(lease, worker, fleet, keeping: mine)
                }
            }
            while let lease = mine.popLast() {
                ledger.strike(lease)
                try await end(lease, worker, fleet, keeping: mine)
            }
        }

        private func end(_ lease: FleetLease, _ worker: String, _ fleet: Fleet, keeping: [FleetLease]) async throws {
            switch Int.random(in: 0..<20) {
            case 0: try await fleet.giveUp(worker: worker, keeping: keeping)
            case 1:
                let beat = try await fleet.leases().first { $0.id == lease.id }?.beat ?? 0
                #expect(try await fleet.takeBack(id: lease.id, fence: lease.fence, beat: beat - 1) == false)
                #expect(try await fleet.takeBack(id: lease.id, fence: lease.fence, beat: beat))
            default:
                let fails = Int.random(in: 0..<20) == 0
                let release = FleetRelease(
                    outcome: fails ? "failed" : "success", delay: 0, gate: fails ? lease.pair.gates.first : nil,
                    gateDelay: 0.01, changes: 0, bytes: 1, error: fails ? "It failed." : nil)
                #expect(try await fleet.release(lease, release))
            }
        }

        /// The database's clock, as it seems from the times in the database: when all move by an interval, it jumped.
        private final class Clock: Sendable {
            private let jumps = Mutex(false)

            /// Has the clock jump, unless another worker does so now.
            ///
            /// - Parameter seconds: By how much it goes forward.
            func jump(by seconds: Int, _ bed: FleetQueueBed, _ connection: PostgresConnection) async throws {
                let isFirst = jumps.withLock { jumps in
                    defer { jumps = true }
                    return !jumps
                }
                guard isFirst else { return }
                defer { jumps.withLock { $0 = false } }
                let moved = "+ make_interval(secs => \(-seconds))"
                let statements = [
                    "SELECT @.take_turns(ARRAY(SELECT name FROM @.gate))",
                    "SELECT FROM @.lease ORDER BY pair FOR NO KEY UPDATE",
                    "UPDATE @.lane SET due = due \(moved) WHERE status <> 'idle'",
                    "UPDATE @.lease SET taken = taken \(moved), renewed = renewed \(moved)",
                    """
                    UPDATE @.pair SET due = due \(moved), last_start = last_start \(moved), last_end = last_end \(moved)
                    """,
                    "UPDATE @.gate SET closed_until = closed_until \(moved) WHERE closed_until IS NOT NULL",
                ]
                _ = try await connection.run(
                    statements.map { PostgresStatement($0.replacing("@", with: bed.schema)) })
            }
        }

        /// A worker whose own clock jumps by hours: it must hold nobody for dead.
        private func observe(_ bed: FleetQueueBed, _ ledger: Ledger, until total: Int) async throws {
            let (fleet, connection) = try bed.another()
            var watch = LeaseWatch(leaseTime: .seconds(30))
            var (away, next) = (Duration.zero, 0)
            while ledger.claims < total {
                // Twice without a jump, then with one.
                next += 50
                if next % 150 == 0 { away += .seconds(Int.random(in: -7200...7200)) }
                try await eventually { ledger.claims >= min(total, next) }
                let asked = ContinuousClock.now + away
                let leases = try await fleet.leases()
                for lease in watch.look(at: leases, asked: asked, answered: .now + away) {
                    let isTaken = try await fleet.takeBack(id: lease.id, fence: lease.fence, beat: lease.beat)
                    #expect(!isTaken, "A live lease was taken back.")
                }
            }
            await connection.close()
        }

        /// 10,000 with `make fleet-siege`.
        private static let claims = ProcessInfo.processInfo.environment["CARREL_FLEET_CLAIMS"].flatMap(Int.init) ?? 2000

        @Test(
            "Each pair is on one worker at a time, though eight take pairs all the time and the database's clock jumps")
        func claims() async throws {
            try await FleetQueueBed.use { bed in
                var limits: [String: Int] = ["owner:o0": 1]
                for (host, most) in Self.hosts {
                    try await bed.fleet.setLimit(most, host: host)
                    limits["host:\(host)"] = most
                }
                try await bed.fleet.setLimit(1, owner: "o0")
                try await bed.fleet.add(pairs(300))
                let ledger = Ledger(limits: limits)
                let clock = Clock()
                let total = Self.claims
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<8 {
                        let (fleet, connection) = try bed.another()
                        group.addTask {
                            try await work("w\(number)", fleet, ledger, until: total) { seconds in
                                try await clock.jump(by: seconds, bed, connection)
                            }
                            await connection.close()
                        }
                    }
                    group.addTask { try await observe(bed, ledger, until: total) }
                    try await group.waitForAll()
                }
                #expect(ledger.faults == [])
                #expect(ledger.claims >= total)
                #expect(try await bed.fleet.leases().isEmpty)
                #expect(try await bed.faults() == [])
            }
        }

        @Test("A lane that is parked is woken: in the end every pair has run, without another look at the clock")
        func wakes() async throws {
            try await FleetQueueBed.use { bed in
                for host in Self.hosts.keys { try await bed.fleet.setLimit(1, host: host) }
                try await bed.fleet.add(pairs(400))
                try await bed.fleet.promote()
                var runs = 0
                var held: [FleetLease] = []
                while true {
                    let taken = try await bed.fleet.claim(worker: "w", count: 3)
                    held += taken
                    runs += taken.count
                    if taken.isEmpty, held.isEmpty { break }
                    held.shuffle()
                    if let lease = held.popLast() { try await bed.end(lease) }
                    #expect(try await bed.faults() == [])
                }
                #expect(runs == 400)
            }
        }
    }
#endif
