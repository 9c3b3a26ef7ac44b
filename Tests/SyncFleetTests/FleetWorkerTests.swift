import FileProviderCore
import Foundation
import ProviderDoubles
import Sync
import Testing

@testable import SyncFleet

@Suite(.timeLimit(.minutes(2))) struct FleetWorkerTests {
    private let bed: FleetBed

    init() throws { bed = try FleetBed() }

    /// Has every call of a kind wait until the run is cancelled, or the returned value is false.
    @discardableResult
    private func hold(_ call: String, at storage: RecordedStorage) -> LockedValue<Bool> {
        let holds = LockedValue(true)
        storage.before.update { before in
            before = { made, _ in
                while made == call, holds.value { try await Task.sleep(for: .milliseconds(2)) }
            }
        }
        return holds
    }

    // MARK: Outcomes

    @Test func `a pair that is in step is due again after its interval`() async throws {
        bed.queue.add(FleetBed.pair { $0.every = 60 })
        try await bed.source.put("/a", "1")
        let release = try await bed.runOnce()
        #expect(release.outcome == "success" && release.delay == 60 && release.error == nil)
        #expect(release.changes == 1 && release.bytes == 1)
        try await bed.withWorker { worker in
            try await eventually { bed.queue.calls.values.contains("nextDue") }
            #expect(bed.queue.releases().count == 1)
            try await bed.source.put("/b", "2")
            bed.queue.pass(60)
            try await eventually { bed.queue.releases().count == 2 }
            try await eventually { await worker.metrics.runs == [.success: 1] }
        }
        #expect(try await bed.destination.names() == ["a", "b"])
    }

    @Test func `items that failed make a run incomplete, and it is tried again sooner`() async throws {
        bed.queue.add(FleetBed.pair { $0.every = 600 })
        for name in ["a", "b"] { try await bed.source.put("/\(name)", name) }
        bed.destination.before.update { before in
            before = { call, path in
                if call == "write", path.name == "b" { throw FileError.make(.fileWriteNoPermission, path: path) }
            }
        }
        let release = try await bed.runOnce()
        #expect(release.outcome == "incomplete")
        #expect((3.75...6.25).contains(release.delay))
        #expect(release.error?.contains("/b") == true)
        // What was done is in the state.
        bed.destination.before.update { $0 = { _, _ in } }
        #expect(try await bed.runOnce().changes == 1)
    }

    @Test func `a run that would remove too much is refused and waits for its usual time`() async throws {
        bed.queue.add(
            FleetBed.pair {
                $0.options = #"{"deletes": true, "removalLimit": "0"}"#
                $0.every = 600
            })
        for name in ["a", "b", "c"] { try await bed.source.put("/\(name)", name) }
        try await bed.runOnce()
        try await bed.source.memory.removeItem(path: ProviderPath("/a"))
        let release = try await bed.runOnce()
        #expect(release.outcome == "refused" && release.delay == 600 && release.gate == nil)
        #expect(release.error?.contains("over the limit") == true)
        #expect(try await bed.destination.names() == ["a", "b", "c"])
    }

    @Test func `a run beyond its deadline is ended, and what it did is recorded`() async throws {
        bed.queue.add(
            FleetBed.pair {
                $0.deadline = 2
                $0.options = #"{"transfers": 1}"#
            })
        for name in ["a", "b"] { try await bed.source.put("/\(name)", name) }
        let writes = LockedValue(0)
        bed.destination.before.update { before in
            before = { call, _ in
                guard call == "write" else { return }
                let number = writes.update { writes in
                    writes += 1
                    return writes
                }
                if number > 1 { try await Task.sleep(for: .seconds(3600)) }
            }
        }
        let release = try await bed.runOnce()
        #expect(release.outcome == "deadline" && release.delay > 0)
        #expect(release.error?.contains("longer than") == true)
        #expect(bed.queue.row()?.state != nil)
        #expect(try await bed.destination.names().count == 1)
        bed.destination.before.update { $0 = { _, _ in } }
        bed.queue.change { $0.pair.deadline = nil }
        let next = try await bed.runOnce()
        #expect(next.outcome == "success" && next.changes == 1)
    }

    @Test func `failures in a row wait longer, and a success ends that`() async throws {
        bed.queue.add(FleetBed.pair())
        bed.connect.update { $0 = { _ in throw URLError(.cannotConnectToHost) } }
        for expected in [5.0, 10, 20] {
            let release = try await bed.runOnce()
            #expect(release.outcome == "failed")
            #expect((expected * 0.75...expected * 1.25).contains(release.delay))
        }
        bed.connect.update { $0 = { _ in } }
        #expect(try await bed.runOnce().outcome == "success")
        #expect(bed.queue.row()?.failures == 0)
    }

    @Test(arguments: [#"{"direction": "sideways"}"#, #"{"unknown": 1}"#, "{", #"{"removalLimit": "x"}"#])
    func `options that can't be read fail the pair with a sentence`(options: String) async throws {
        bed.queue.add(FleetBed.pair { $0.options = options })
        let release = try await bed.runOnce()
        #expect(release.outcome == "failed" && release.gate == nil)
        #expect(release.error?.contains("The options of “one” can't be read") == true)
        #expect(bed.source.calls.values.isEmpty)
    }

    @Test func `a last error holds no secrets`() async throws {
        bed.queue.add(FleetBed.pair())
        bed.connect.update { connect in
            connect = { _ in
                throw FileError.make(
                    .userAuthenticationRequired, url: nil,
                    sentence: "https://ann:s3cret@a.example/?token=s3cret refused “Authorization: Basic s3cret”.")
            }
        }
        let log = RecordedLog()
        let release = try await bed.runOnce(logger: log.logger)
        #expect(release.error?.contains("a.example") == true)
        #expect(release.error?.contains("s3cret") == false)
        #expect(!log.text.contains("s3cret"))
    }

    // MARK: Claims

    @Test func `a worker has no more pairs in work than it may`() async throws {
        var options = FleetWorkerOptions()
        options.runsAtOnce = 3
        for number in 1...10 { bed.queue.add(FleetBed.pair { $0.name = "\(number)" }) }
        let connecting = LockedValue((now: 0, most: 0))
        bed.connect.update { connect in
            connect = { location in
                guard location.contains("source") else { return }
                connecting.update { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                await Task.yield()
                connecting.update { $0.now -= 1 }
                throw FileError.make(.fileReadNoSuchFile, path: location)
            }
        }
        try await bed.withWorker(options) { worker in
            try await eventually { await worker.metrics.runs[.failed] == 10 }
        }
        #expect((1...3).contains(connecting.value.most))
        for id in 1...10 { #expect(bed.queue.releases(Int64(id)).count == 1) }
    }

    @Test func `a claim whose answer was lost is given up, and the pair runs all the same`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        let isFirst = LockedValue(true)
        bed.queue.after.update { after in
            after = { call in
                guard call == "claim" else { return }
                let fails = isFirst.update { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                if fails { throw URLError(.networkConnectionLost) }
            }
        }
        let release = try await bed.runOnce()
        #expect(release.outcome == "success")
        #expect(bed.queue.row()?.fence == 2)
    }

    @Test func `the pair of a dead worker is taken back`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        bed.queue.change {
            $0.fence = 1
            $0.lease = QueueDouble.Lease(worker: "gone")
        }
        try await bed.withWorker(.brief) { worker in
            try await eventually { bed.queue.releases().count == 1 }
            #expect(await worker.metrics.takenBack > 0)
        }
        #expect(bed.queue.row()?.fence ?? 0 >= 2)
    }

    @Test func `a second run of one worker is refused`() async throws {
        try await bed.withWorker { worker in
            try await eventually { bed.queue.calls.values.contains("register") }
            await #expect(throws: CocoaError.self) { try await worker.run() }
        }
    }

    // MARK: Leases

    @Test func `a lease that is lost in the middle of a run cancels it and publishes nothing`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        hold("write", at: bed.destination)
        try await bed.withWorker(.brief) { worker in
            try await eventually { bed.destination.count("write") > 0 }
            // Another worker had the pair since then.
            bed.queue.change {
                $0.fence += 1
                $0.lease = nil
                $0.due = 1e9
            }
            try await eventually { await worker.metrics.runs[.lost] == 1 }
            #expect(bed.queue.row()?.isUnsettled == true)
            #expect(!bed.queue.calls.values.contains("publish"))
            #expect(bed.stored.calls.values.isEmpty)
            #expect(try bed.workingFiles() == [])
            #expect(try bed.cachedFiles() == [])
        }
    }

    @Test func `what a run removes goes to the trash while a lost run may have done more than the state knows`()
        async throws
    {
        bed.queue.add(FleetBed.pair { $0.options = #"{"direction": "twoWay"}"# })
        for name in ["a", "b", "c", "d"] { try await bed.source.put("/\(name)", name) }
        #expect(try await bed.runOnce().isSettled == true)
        #expect(bed.queue.row()?.isUnsettled == false)
        try await bed.source.removeItem(path: ProviderPath("/a"))
        bed.queue.change { $0.isUnsettled = true }
        #expect(try await bed.runOnce().isSettled == true)
        #expect(try await bed.destination.names() == [SyncOptions.trashName, "b", "c", "d"])
        #expect(bed.queue.row()?.isUnsettled == false)
    }

    @Test func `a worker whose cache can't be made ends with an error, and so do its events`() async throws {
        try Data().write(to: bed.cache())
        let worker = bed.worker()
        let events = worker.events
        await #expect(throws: CocoaError.self) { try await worker.run() }
        for await _ in events {}
    }

    @Test func `a failure of the states closes no gate`() async throws {
        bed.queue.add(
            FleetBed.pair {
                $0.owner = "ann"
                $0.destination = "dav://destination.example/"
            })
        try await bed.source.put("/a", "1")
        bed.stored.before.update { before in
            before = { call, _ in if call == "write" { throw URLError(.userAuthenticationRequired) } }
        }
        let release = try await bed.runOnce()
        #expect(release.outcome == "failed" && release.gate == nil && release.isSettled == false)
        bed.stored.before.update { $0 = { _, _ in } }
        bed.destination.before.update { before in
            before = { _, _ in throw URLError(.userAuthenticationRequired) }
        }
        #expect(try await bed.runOnce().gate == "owner:ann")
    }

    @Test func `a run whose state was not published, or that never began, is told apart`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        bed.queue.before.update { before in
            before = { if $0 == "publish" { throw FileError.make(.fileWriteUnknown, path: "x", sentence: "No.") } }
        }
        #expect(try await bed.runOnce().isSettled == false)
        #expect(bed.queue.row()?.isUnsettled == true)
        bed.queue.before.update { $0 = { _ in } }
        bed.connect.update { $0 = { _ in throw URLError(.cannotConnectToHost) } }
        #expect(try await bed.runOnce().isSettled == nil)
        #expect(bed.queue.row()?.isUnsettled == true)
        bed.connect.update { $0 = { _ in } }
        try await bed.runOnce()
        #expect(bed.queue.row()?.isUnsettled == false)
    }

    @Test func `a run whose lease can't be renewed ends by the worker's own clock`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        let holds = hold("write", at: bed.destination)
        bed.queue.before.update { before in
            before = { call in if call == "renew" { throw URLError(.cannotConnectToHost) } }
        }
        let began = ContinuousClock.now
        try await bed.withWorker(.brief) { worker in
            try await eventually { await worker.metrics.runs[.lost] ?? 0 > 0 }
            #expect(ContinuousClock.now - began >= .seconds(0.2))
            // The queue gets it back when it answers again.
            holds.update { $0 = false }
            bed.queue.before.update { $0 = { _ in } }
            bed.queue.wake("")
            try await eventually { bed.queue.releases().count == 1 }
        }
        #expect(bed.queue.releases().last?.outcome == "success")
        #expect(bed.queue.row()?.fence ?? 0 >= 2)
    }

    @Test func `a run that takes longer than the lease keeps it by renewals`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        bed.destination.before.update { before in
            before = { [bed] call, _ in
                if call == "write" { try await eventually { bed.queue.row()?.lease?.beat ?? 5 >= 5 } }
            }
        }
        var options = FleetWorkerOptions()
        options.leaseTime = 1.5
        let release = try await bed.runOnce(options)
        #expect(release.outcome == "success")
        #expect(bed.queue.row()?.fence == 1)
    }

    @Test func `a release is tried until it is known`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        let failures = LockedValue(2)
        bed.queue.before.update { before in
            before = { call in
                guard call == "release" else { return }
                let fails = failures.update { failures in
                    failures -= 1
                    return failures >= 0
                }
                if fails { throw URLError(.cannotConnectToHost) }
            }
        }
        #expect(try await bed.runOnce().outcome == "success")
        #expect(bed.queue.row()?.fence == 1)
    }

    // MARK: Stopping

    @Test func `a worker that stops lets the step in work end, and gives its pair back with the state`() async throws {
        bed.queue.add(FleetBed.pair { $0.options = #"{"transfers": 1}"# })
        for name in ["a", "b", "c"] { try await bed.source.put("/\(name)", name) }
        let permit = Permits(0)
        bed.destination.before.update { before in
            before = { call, _ in if call == "write" { await permit.take() } }
        }
        let log = RecordedLog()
        let worker = bed.worker(logger: log.logger)
        let task = Task { try await worker.run() }
        try await eventually { bed.destination.count("write") == 1 }
        let stopping = Task { await worker.stop() }
        try await eventually { log.text.contains("The worker stops.") }
        // It claims nothing more, and the step is still in work.
        bed.queue.add(FleetBed.pair { $0.name = "two" })
        #expect(bed.queue.releases().isEmpty)
        permit.giveBack()
        await stopping.value
        try await task.value
        let release = try #require(bed.queue.releases().last)
        #expect(release.outcome == "stopped" && release.delay == 0 && release.error == nil)
        #expect(bed.queue.row(2)?.fence == 0)
        #expect(try await bed.destination.names().count == 1)
        #expect(bed.queue.row()?.state != nil)
        #expect(try bed.workingFiles() == [])
        bed.destination.before.update { $0 = { _, _ in } }
        bed.queue.change(2) { $0.due = 1e9 }
        // Only the steps that were never begun are left.
        #expect(try await bed.runOnce(cache: "second").changes == 2)
    }

    @Test func `after its grace a worker cancels the steps in work`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        hold("write", at: bed.destination)
        var options = FleetWorkerOptions()
        options.grace = 3
        let worker = bed.worker(options)
        let task = Task { try await worker.run() }
        try await eventually { bed.destination.count("write") > 0 }
        let began = ContinuousClock.now
        await worker.stop()
        try await task.value
        #expect(ContinuousClock.now - began >= .seconds(2))
        #expect(bed.queue.releases().last?.outcome == "stopped")
        #expect(bed.queue.row()?.lease == nil)
        // Both sides are whole.
        #expect(try await bed.destination.names() == [])
    }

    @Test func `a publication that outlives the grace is cancelled, and the pair is given up`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        hold("write", at: bed.stored)
        var options = FleetWorkerOptions()
        options.grace = 0.3
        let worker = bed.worker(options)
        let task = Task { try await worker.run() }
        try await eventually { bed.stored.count("write") > 0 }
        await worker.stop()
        try await task.value
        #expect(bed.queue.row()?.lease == nil)
        #expect(bed.queue.row()?.state == nil)
    }

    @Test func `cancelling the task stops the worker in order`() async throws {
        bed.queue.add(FleetBed.pair())
        try await bed.source.put("/a", "1")
        let worker = bed.worker()
        let task = Task { try await worker.run() }
        try await eventually { bed.queue.releases().count == 1 }
        task.cancel()
        try await task.value
        #expect(bed.queue.calls.values.last == "seen")
        // And it can run again.
        bed.queue.change { $0.due = 0 }
        let again = Task { try await worker.run() }
        try await eventually { bed.queue.releases().count == 2 }
        await worker.stop()
        try await again.value
    }
}
