#if Fleet
    import FileProviderCore
    import Foundation
    import PostgresTransport
    import Testing

    @testable import SyncFleet

    /// The queue of a fleet in a real PostgreSQL, one step at a time.
    @Suite(.serialized, .enabled(if: FleetQueueBed.isReady, "PostgreSQL is not up; run bash Tests/run.sh"))
    struct FleetQueueTests {
        // MARK: Pairs

        @Test("A pair comes back as it was added")
        func settings() async throws {
            try await FleetQueueBed.use { bed in
                var pair = FleetQueueBed.pair("a", owner: "ann", host: "nas.example:5005", every: 0.5)
                pair.sourceCredential = "s"
                pair.destinationCredential = "d"
                pair.options = #"{"direction": "twoWay"}"#
                pair.deadline = 60
                pair.priority = 7
                try await bed.fleet.add([pair])
                let status = try await bed.status("a")
                #expect(status.pair == pair && status.status == .ready && status.fence == 0 && status.lastEnd == nil)
                let lease = try #require(try await bed.claim().first)
                #expect(lease.pair == pair && lease.fence == 1 && lease.stateName == nil && lease.failures == 0)
            }
        }

        @Test("Adding a pair that exists changes nothing, nor does it add the others")
        func exists() async throws {
            try await FleetQueueBed.use { bed in
                try await bed.add("a")
                let pairs = ["a", "b"].map { FleetQueueBed.pair($0, owner: "ann") }
                let error = await #expect(throws: CocoaError.self) { try await bed.fleet.add(pairs) }
                #expect(error?.code == .fileWriteFileExists)
                #expect(error?.sentence.contains("“a”") == true)
                let names = try await bed.fleet.pairs().map { $0.pair.name + $0.pair.owner }
                #expect(names == ["a"])
            }
        }

        @Test("Thousands of pairs are added in one call, and listed page by page and by owner")
        func thousands() async throws {
            try await FleetQueueBed.use { bed in
                let pairs = (0..<5000).map {
                    FleetQueueBed.pair("p\(10_000 + $0)", owner: "o\($0 % 10)", host: "h\($0 % 7).example")
                }
                try await bed.fleet.add(pairs)
                var names: [String] = []
                while true {
                    let page = try await bed.fleet.pairs(after: names.last, limit: 1500)
                    if page.isEmpty { break }
                    names += page.map(\.pair.name)
                }
                #expect(names == pairs.map(\.name))
                let owned = try await bed.fleet.pairs(owner: "o3", limit: 10_000)
                #expect(owned.count == 500 && owned.allSatisfy { $0.pair.owner == "o3" })
                let summary = try await bed.fleet.summary()
                #expect(summary.pairs == 5000 && summary.ready == 5000 && summary.running == 0)
                #expect(try await bed.faults() == [])
            }
        }

        @Test("New settings keep the state, unless a folder changed")
        func replacing() async throws {
            try await FleetQueueBed.use { bed in
                try await bed.add("a", host: "h.example")
                let first = try #require(try await bed.claim().first)
                let former = try await bed.fleet.publish(first, name: "1/1-x", size: 5, checksum: "c")
                #expect(former == nil)
                try await bed.end(first, delay: 0)
                var changed = FleetQueueBed.pair("a", owner: "ann", host: "h.example", every: 60)
                try await bed.fleet.add([changed], replaces: true)
                let second = try #require(try await bed.claim().first)
                #expect(second.pair == changed && second.stateName == "1/1-x" && second.stateSize == 5)
                #expect(second.stateChecksum == "c" && second.fence == 2)
                // While it runs: the run can neither go on nor publish, and the next one begins without a state.
                changed.destination = "dav://other.example/"
                try await bed.fleet.add([changed], replaces: true)
                let held = try await bed.fleet.renew(worker: "w", leases: [second])
                #expect(held == [])
                await #expect(throws: CocoaError.self) {
                    _ = try await bed.fleet.publish(second, name: "1/2-x", size: 5, checksum: "c")
                }
                let names = try await bed.names()
                #expect(names == [], "Another worker must not have it while the run may go on.")
                #expect(try await bed.end(second, delay: 0))
                let third = try #require(try await bed.claim().first)
                #expect(third.pair == changed && third.stateName == nil && third.fence == 3)
                #expect(try await bed.faults() == [])
            }
        }

        @Test("A pair is removed while it runs: the lease goes, and nothing can be published")
        func removing() async throws {
            try await FleetQueueBed.use { bed in
                try await bed.fleet.setLimit(1, host: "h.example")
                try await bed.add("a", "b", host: "h.example")
                let lease = try #require(try await bed.claim().first)
                #expect(try await bed.names() == [])
                #expect(try await bed.fleet.remove(lease.pair.name))
                #expect(try await bed.fleet.remove(lease.pair.name) == false)
                let held = try await bed.fleet.renew(worker: "w", leases: [lease])
                #expect(held == [])
                await #expect(throws: CocoaError.self) {
                    _ = try await bed.fleet.publish(lease, name: "x", size: 1, checksum: "c")
                }
                #expect(try await bed.end(lease) == false)
                // Its place at the host is free.
                #expect(try await bed.names().count == 1)
                #expect(try await bed.faults() == [])
            }
        }

        @Test("A pause lets the present run end, and a paused pair runs only after it is resumed")
        func pausing() async throws {
            try await FleetQueueBed.use { bed in
                try await bed.add("a")
                let lease = try #require(try await bed.claim().first)
                #expect(try await bed.fleet.pause(pair: "a"))
                #expect(try await bed.fleet.pause(pair: "other") == false)
                let held = try await bed.fleet.renew(worker: "w", leases: [lease])
                #expect(held == [lease.id])
                #expect(try await bed.end(lease, delay: 0))
                #expect(try await bed.names() == [])
                #expect(try await bed.fleet.runNow("a"))
                #expect(try await bed.names() == [])
                #expect(try await bed.status("a").paused)
                #expect(try await bed.fleet.resume(pair: "a"))
                #expect(try await bed.names() == ["a"])
            }
        }

        @Test("Owners and hosts are paused and resumed, also for pairs added meanwhile")
        func pausingGates() async throws {
            try await FleetQueueBed.use { bed in
                try await bed.fleet.pause(host: "h.example:81")
                try await bed.add("a", "b", owner: "ann", host: "h.example:81")
                try await bed.add("c", owner: "ann")
                #expect(try await bed.names() == ["c"])
                #expect(try await bed.status("a").status == .parked)
                #expect(try await bed.status("a").parkedAt == "host:h.example:81")
                try await bed.fleet.pause(owner: "ann")
                try await bed.fleet.resume(host: "h.example:81")
                #expect(try await bed.names() == [])
                try await bed.fleet.resume(owner: "ann")
                #expect(try await bed.names() == ["a", "b"])
                #expect(try await bed.faults() == [])
            }
        }

        @Test("A pair that is asked to run runs now, or once more after its present run")
        func runNow() async throws {
            try await FleetQueueBed.use { bed in
                try await bed.add("a")
                let first = try #require(try await bed.claim().first)
                #expect(try await bed.fleet.runNow("a"))
                #expect(try await bed.names() == [])
                try await bed.end(first)
                let second = try #require(try await bed.claim().first)
                try await bed.end(second)
                #expect(try await bed.names() == [])
                let next = try #require(try await bed.fleet.nextDue())
                #expect((3000...3600).contains(next))
                #expect(try await bed.fleet.runNow("a"))
                #expect(try await bed.fleet.nextDue() == 0)
                #expect(try await bed.names() == ["a"])
                #expect(try await bed.fleet.nextDue() == nil)
                #expect(try await bed.fleet.runNow("b") == false)
            }
        }

        // MARK: Leases

        @Test("A lease is renewed and given back by its fence alone")
        func fences() async throws {
            try await FleetQueueBed.use { bed in
                try await bed.add("a", every: 0)
                let old = try #require(try await bed.claim().first)
                #expect(try await bed.fleet.takeBack(id: old.id, fence: old.fence, beat: 0))
                #expect(try await bed.status("a").lastOutcome == "lost")
                let new = try #require(try await bed.claim(worker: "v").first)
                #expect(new.fence == old.fence + 1)
                let kept = try await bed.fleet.renew(worker: "w", leases: [old])
                #expect(kept == [])
                #expect(try await bed.end(old) == false)
                await #expect(throws: CocoaError.self) {
                    _ = try await bed.fleet.publish(old, name: "old", size: 1, checksum: "c")
                }
                let held = try await bed.fleet.renew(worker: "v", leases: [new, old])
                #expect(held == [new.id])
                #expect(try await bed.fleet.publish(new, name: "new", size: 1, checksum: "c") == nil)
                #expect(try await bed.status("a").worker == "v")
                #expect(try await bed.faults() == [])
            }
        }

        @Test("A lease that was renewed meanwhile is not taken back")
        func oldBeat() async throws {
            try await FleetQueueBed.use { bed in
                try await bed.add("a")
                let lease = try #require(try await bed.claim().first)
                let seen = try #require(try await bed.fleet.leases().first)
                _ = try await bed.fleet.renew(worker: "w", leases: [lease])
                #expect(try await bed.fleet.takeBack(id: seen.id, fence: seen.fence, beat: seen.beat) == false)
                let held = try await bed.fleet.renew(worker: "w", leases: [lease])
                #expect(held == [lease.id])
                let beats = try await bed.fleet.leases().map(\.beat)
                #expect(beats == [seen.beat + 2])
            }
        }

        @Test("A pair whose leases are lost again and again waits longer each time")
        func lost() async throws {
            try await FleetQueueBed.use { bed in
                try await bed.add("a")
                for _ in 0..<2 {
                    let lease = try #require(try await bed.claim().first)
                    #expect(try await bed.fleet.takeBack(id: lease.id, fence: lease.fence, beat: 0))
                }
                let third = try #require(try await bed.claim().first)
                #expect(try await bed.fleet.takeBack(id: third.id, fence: third.fence, beat: 0))
                #expect(try await bed.names() == [])
                let pause = try #require(try await bed.fleet.nextDue())
                #expect((0.1...5).contains(pause))
            }
        }

        @Test("On another timeline a pair's fence leaps, and its state may be behind")
        func timeline() async throws {
            try await FleetQueueBed.use { bed in
                try await bed.add("a", every: 0)
                let first = try #require(try await bed.claim().first)
                #expect(!first.isUnsettled)
                _ = try await bed.fleet.publish(first, name: "1/1-00000000.sqlite", size: 1, checksum: "c")
                try await bed.end(first, delay: 0)
                // As a replica has it that was promoted since.
                try await bed.sql("UPDATE @.pair SET timeline = timeline - 1")
                let second = try #require(try await bed.claim().first)
                #expect(second.isUnsettled && second.fence > first.fence + 1_000_000)
            }
        }

        @Test("A worker gives up what it holds in the database and does not know of")
        func givingUp() async throws {
            try await FleetQueueBed.use { bed in
                try await bed.add("a", "b", "c")
                let known = try await bed.claim(2)
                let other = try await bed.claim(1, worker: "v")
                try await bed.fleet.giveUp(worker: "w", keeping: [known[0]])
                #expect(try await bed.status(known[1].pair.name).lastOutcome == "given back")
                let held = try await bed.fleet.renew(worker: "w", leases: known)
                #expect(held == [known[0].id])
                let others = try await bed.fleet.renew(worker: "v", leases: other)
                #expect(others.count == 1)
                let again = try #require(try await bed.claim().first)
                #expect(again.id == known[1].id && again.isUnsettled)
                try await bed.fleet.giveUp(worker: "w", keeping: [])
                #expect(try await bed.fleet.leases().count == 1)
                #expect(try await bed.faults() == [])
            }
        }

        @Test("A run's end is counted, and its error is kept without secrets")
        func counting() async throws {
            try await FleetQueueBed.use { bed in
                try await bed.add("a")
                let first = try #require(try await bed.claim().first)
                let failed = FleetRelease(
                    outcome: "failed", delay: 0, gate: nil, gateDelay: 0, changes: 1, bytes: 7,
                    error: "dav://ann:geheim@nas.example/ said no." + String(repeating: "x", count: 5000))
                #expect(try await bed.fleet.release(first, failed))
                let after = try await bed.status("a")
                #expect(after.failures == 1 && after.failedRuns == 1 && after.runs == 1 && after.bytes == 7)
                #expect(after.lastError?.contains("geheim") == false && after.lastError?.count ?? 0 <= 1000)
                #expect(after.lastSuccess == nil && after.lastEnd != nil && after.lastOutcome == "failed")
                let second = try #require(try await bed.claim().first)
                #expect(second.failures == 1)
                try await bed.end(second)
                let good = try await bed.status("a")
                #expect(good.failures == 0 && good.failedRuns == 1 && good.runs == 2 && good.changes == 3)
                #expect(good.lastError == nil && good.lastSuccess != nil)
            }
        }

        // MARK: Gates

        @Test("A failed host waits as a whole, longer after each failure, and opens by itself")
        func backOff() async throws {
            try await FleetQueueBed.use { bed in
                let gate = "host:h.example"
                try await bed.add("a", "b", "c", host: "h.example")
                let leases = try await bed.claim(2)
                try await bed.end(leases[0], "failed", delay: 0, gate: gate)
                #expect(try await bed.names() == [])
                #expect(try await bed.status("c").parkedAt == gate)
                let first = try #require(try await bed.fleet.summary().hosts.first)
                #expect(first.failures == 1 && (500...600).contains(first.closedFor ?? 0))
                // A failure at the same time is the same failure.
                try await bed.end(leases[1], "failed", delay: 0, gate: gate)
                #expect(try await bed.fleet.summary().hosts.first?.failures == 1)
                let next = try #require(try await bed.fleet.nextDue())
                #expect((500...600).contains(next))
                try await bed.sql("UPDATE @.gate SET closed_until = now() WHERE name = $1::text", [.text(gate)])
                let again = try #require(try await bed.claim().first)
                try await bed.end(again, "failed", delay: 0, gate: gate)
                let second = try #require(try await bed.fleet.summary().hosts.first)
                #expect(second.failures == 2 && (1100...1200).contains(second.closedFor ?? 0))
                try await bed.sql("UPDATE @.gate SET closed_until = now() WHERE name = $1::text", [.text(gate)])
                let good = try #require(try await bed.claim().first)
                try await bed.end(good)
                #expect(try await bed.fleet.summary().hosts.isEmpty)
                #expect(try await bed.names().count == 2)
                #expect(try await bed.faults() == [])
            }
        }

        @Test("Limits of owners and hosts, their own or the default, are never exceeded")
        func limits() async throws {
            try await FleetQueueBed.use { bed in
                try await bed.add("a", "b", "c", owner: "ann", host: "h.example")
                try await bed.add("d", "e", owner: "bob", host: "h.example")
                try await bed.fleet.setLimit(3, host: "H.example")
                try await bed.fleet.setDefaultOwnerLimit(1)
                let first = try await bed.claim(10)
                #expect(Set(first.map(\.pair.owner)) == ["ann", "bob"] && first.count == 2)
                try await bed.fleet.setLimit(5, owner: "ann")
                let second = try await bed.claim(10)
                #expect(second.map(\.pair.owner) == ["ann"])
                try await bed.fleet.setDefaultOwnerLimit(nil)
                #expect(try await bed.names() == [])
                try await bed.fleet.setLimit(nil, host: "h.example")
                #expect(try await bed.names().count == 2)
                #expect(try await bed.faults() == [])
                await #expect(throws: CocoaError.self) { try await bed.fleet.setLimit(-1, host: "h.example") }
            }
        }

        @Test("An owner's one pair is taken next, though another owner has 10,000")
        func fairness() async throws {
            try await FleetQueueBed.use { bed in
                let pairs = (0..<10_000).map { FleetQueueBed.pair("a\($0)", owner: "ann", host: "h\($0 % 50)") }
                try await bed.fleet.add(pairs)
                for _ in 0..<50 { #expect(try await bed.claim(1).count == 1) }
                try await bed.add("b", owner: "bob", host: "h1")
                var owners: [String] = []
                for _ in 0..<3 { owners += try await bed.claim(1).map(\.pair.owner) }
                #expect(owners.contains("bob"))
            }
        }

        @Test("A higher priority goes first")
        func priority() async throws {
            try await FleetQueueBed.use { bed in
                try await bed.add("a", "b", owner: "ann")
                var urgent = FleetQueueBed.pair("c", owner: "ann")
                urgent.priority = 1
                try await bed.fleet.add([urgent])
                #expect(try await bed.claim().first?.pair.name == "c")
            }
        }

        @Test("Listeners learn of pairs that are added, resumed, and asked to run")
        func notifications() async throws {
            try await FleetQueueBed.use { bed in
                var wakes = bed.connection.notifications(bed.schema).makeAsyncIterator()
                // One for the beginning.
                #expect(await wakes.next() != nil)
                try await bed.add("a")
                #expect(await wakes.next() != nil)
                try await bed.fleet.pause(pair: "a")
                try await bed.fleet.resume(pair: "a")
                #expect(await wakes.next() != nil)
                try await bed.fleet.runNow("a")
                #expect(await wakes.next() != nil)
            }
        }

        @Test("Workers are shown while they are alive")
        func workers() async throws {
            try await FleetQueueBed.use { bed in
                try await bed.fleet.register(worker: "w", version: "1")
                try await bed.fleet.seen(worker: "w", running: 3, stopping: true)
                let worker = try #require(try await bed.fleet.summary().workers.first)
                #expect(worker.name == "w" && worker.version == "1" && worker.running == 3 && worker.stopping)
                try await bed.sql("UPDATE @.worker SET seen = now() - interval '2 days'")
                try await bed.fleet.register(worker: "v", version: "1")
                let names = try await bed.fleet.summary().workers.map(\.name)
                #expect(names == ["v"])
            }
        }
    }
#endif
