import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@testable import SFTPEngine

@Suite(.timeLimit(.minutes(1))) struct SFTPBulkReadTests {
    private static let megabyte = 1 << 20

    private func double(
        _ size: Int, _ answer: @escaping @Sendable (SFTPDouble.Request) -> [SFTPDouble.Fault] = { _ in [] }
    ) -> SFTPDouble {
        double(size, SFTPDouble.Settings(answer: answer))
    }

    private func double(_ size: Int, _ settings: SFTPDouble.Settings) -> SFTPDouble {
        var settings = settings
        settings.asksOnlyWhenWoken = true
        let double = SFTPDouble(settings)
        double.putPattern(size, at: "/file")
        return double
    }

    private func lanes(_ sessions: [SFTPSession]) async throws -> [SFTPBulkRead.Lane] {
        var lanes: [SFTPBulkRead.Lane] = []
        for session in sessions { lanes.append((session, try await session.handle("/file"))) }
        return lanes
    }

    private func close(_ lanes: [SFTPBulkRead.Lane]) { for lane in lanes { lane.session.close([lane.handle]) } }

    /// What ``SFTPBulkRead/run()`` gives.
    private func read(_ sessions: [SFTPSession], _ range: Range<Int64>, into sink: PatternSink) async throws -> Int64 {
        let lanes = try await lanes(sessions)
        defer { close(lanes) }
        return try await SFTPBulkRead(lanes, range: range, into: sink).run()
    }

    @Test(arguments: [1, 3]) func `a hundred million bytes come in their order`(laneCount: Int) async throws {
        let size = 100_000_001
        let double = double(size)
        try await withSessions(double, laneCount) { sessions async throws in
            let sink = PatternSink()
            #expect(try await read(sessions, 0..<Int64(size), into: sink) == Int64(size))
            #expect(sink.count == size && sink.isPattern)
            #expect(double.counts.bytesRead == size)
        }
    }

    @Test(arguments: [Readiness.atOnce, .later]) func `a sink that has to be waited for gets all`(readiness: Readiness)
        async throws
    {
        let size = 8_000_000
        try await withSessions(double(size) { $0.kind == .read ? [.shuffled(of: 3)] : [] }, 2) {
            sessions async throws in
            let sink = PatternSink(from: 5, waitsEvery: 2, readiness)
            #expect(try await read(sessions, 5..<Int64(size), into: sink) == Int64(size) - 5)
            #expect(sink.count == size - 5 && sink.isPattern)
        }
    }

    @Test(arguments: [
        [SFTPDouble.Fault.shortRead(3_000)], [.shuffled(of: 9)], [.shortRead(20_000), .shuffled(of: 4)],
    ]) func `short replies, and replies in another order, make up the file`(faults: [SFTPDouble.Fault]) async throws {
        let size = 1_500_000
        try await withSessions(double(size) { $0.kind == .read ? faults : [] }, 2) { sessions async throws in
            let sink = PatternSink()
            #expect(try await read(sessions, 0..<Int64(size), into: sink) == Int64(size))
            #expect(sink.count == size && sink.isPattern)
        }
    }

    @Test func `a byte at a time is a file too`() async throws {
        var settings = SFTPDouble.Settings { $0.kind == .read ? [.shortRead(1)] : [] }
        settings.maximumGive = 1
        settings.maximumTake = 1
        try await withSession(double(500, settings)) { session async throws in
            let sink = PatternSink()
            #expect(try await read([session], 0..<500, into: sink) == 500)
            #expect(sink.isPattern)
        }
    }

    @Test func `a transfer that has failed before it is run waits for its sink all the same`() async throws {
        try await withSession(double(3_000_000)) { session async throws in
            let lane = (session, try await session.handle("/file"))
            let sink = HeldSink()
            let transfer = SFTPBulkRead([], range: 0..<3_000_000, into: sink)
            #expect(transfer.add(lane))
            await sink.untilWritten()
            transfer.sessionEnded(with: URLError(.networkConnectionLost))
            let queue = QueueExecutor()
            let run = Task(executorPreference: queue) {
                let error = await code { _ = try await transfer.run() }
                return (error, sink.isWriting)
            }
            // Until it waits, or has come back.
            queue.drain()
            sink.letGo()
            let (error, isWriting) = await run.value
            #expect(error == .networkConnectionLost && !isWriting)
            session.close([lane.1])
        }
    }

    @Test func `without limits, 32 KiB are asked for, by 64 at most`() async throws {
        var settings = SFTPDouble.Settings()
        settings.extensions = []
        let double = double(8_000_000, settings)
        try await withSession(double) { session async throws in
            #expect(try await read([session], 0..<8_000_000, into: PatternSink()) == 8_000_000)
            #expect(double.requests.map(\.length).max() == 32_768)
            #expect(double.counts.peakOutstanding <= 64)
        }
    }

    @Test(arguments: [0, 1, 1_000_000, 2_999_999]) func `a file that ends before its size is as long as it is`(end: Int)
        async throws
    {
        let double = double(3_000_000) { $0.kind == .read ? [.endOfFile(at: UInt64(end))] : [] }
        try await withSessions(double, 2) { sessions async throws in
            let sink = PatternSink()
            #expect(try await read(sessions, 0..<3_000_000, into: sink) == Int64(end))
            #expect(sink.count == end && sink.isPattern)
        }
    }

    @Test func `an empty range asks nothing, and one behind the end gives nothing`() async throws {
        let double = double(100)
        try await withSession(double) { session async throws in
            #expect(try await read([session], 50..<50, into: PatternSink()) == 0)
            #expect(double.counts.requests[.read] == nil)
            #expect(try await read([session], 100..<Int64.max, into: PatternSink()) == 0)
        }
    }

    // MARK: Failing

    @Test(arguments: [
        SFTPDouble.Fault.longRead(more: 1), .packet(type: 103, Data([0, 0, 0, 0])),
        .packet(type: 102, Data([0, 0, 0, 1, 1])),
        .stringLength(.max),
    ]) func `more than was asked for, nothing at all, and other replies end the session`(fault: SFTPDouble.Fault)
        async throws
    {
        let double = double(3_000_000) { $0.kind == .read && $0.offset > 1_000_000 ? [fault] : [] }
        try await withSession(double) { session async throws in
            let sink = PatternSink()
            #expect(await code { _ = try await read([session], 0..<3_000_000, into: sink) } == .cannotParseResponse)
            #expect(sink.isPattern)
            #expect((session.ending as? URLError)?.code == .cannotParseResponse)
            // The handle went with the session.
            try await eventually { double.counts.leakedHandles == 1 }
            double.resetCounts()
        }
    }

    @Test func `what the server refuses, and what the sink throws, end the transfer and not the session`() async throws
    {
        let double = double(3_000_000) {
            $0.kind == .read && $0.offset > 2_000_000 ? [.status(.failure, "I/O error")] : []
        }
        try await withSessions(double, 2) { sessions async throws in
            let refusal = await #expect(throws: SFTPRefusal.self) {
                _ = try await read(sessions, 0..<3_000_000, into: PatternSink())
            }
            #expect(refusal?.status == SFTPStatus(code: 4, message: "I/O error"))
            await #expect(throws: Gatekeeper.Failure.self) {
                _ = try await read(
                    sessions, 0..<2_000_000, into: PatternSink(waitsEvery: 2, .later, failsAt: 1_000_000))
            }
            #expect(try await sessions[0].size("/file") == 3_000_000)
        }
    }

    @Test func `a channel that ends takes the transfer with it`() async throws {
        let double = double(50_000_000)
        try await withSessions(double, 3) { sessions async throws in
            let lanes = try await lanes(sessions)
            double.cut(.sent(5_000_000))
            #expect(
                await code { _ = try await SFTPBulkRead(lanes, range: 0..<50_000_000, into: PatternSink()).run() }
                    == .networkConnectionLost
            )
            #expect(sessions.filter { $0.ending != nil }.count == 1)
            close(lanes)
            // The handle of the one that ended went with it.
            try await eventually { double.counts.leakedHandles == 1 }
            double.resetCounts()
        }
    }

    @Test func `a transfer that is cancelled comes back, and its sink is left alone`() async throws {
        try await withSession(double(20_000_000)) { session async throws in
            let lanes = try await lanes([session])
            let sink = PatternSink(waitsEvery: 4, .whenOpened)
            let reading = Task { try await SFTPBulkRead(lanes, range: 0..<20_000_000, into: sink).run() }
            try await eventually { sink.isWaitedFor && !session.isWaiting }
            reading.cancel()
            await #expect(throws: CancellationError.self) { _ = try await reading.value }
            let count = sink.count
            sink.open()
            #expect(try await session.size("/file") == 20_000_000)
            #expect(sink.count == count)
            close(lanes)
        }
    }

    // MARK: Memory, fairness

    @Test func `a sink that takes nothing keeps all but a window at the server`() async throws {
        let double = double(100_000_000)
        try await withSessions(double, 2) { sessions async throws in
            let lanes = try await lanes(sessions)
            let sink = PatternSink(waitsEvery: 20, .whenOpened)
            let reading = Task { try await SFTPBulkRead(lanes, range: 0..<100_000_000, into: sink).run() }
            try await eventually { sink.isWaitedFor && sessions.allSatisfy { !$0.isWaiting } }
            #expect(double.counts.bytesRead - sink.count <= 8 << 20)
            sink.open()
            #expect(try await reading.value == 100_000_000)
            #expect(sink.isPattern)
            close(lanes)
        }
    }

    @Test func `a first block that does not come holds back all but a window`() async throws {
        let double = double(100_000_000) { $0.kind == .read && $0.offset == 0 ? [.silence] : [] }
        try await withSessions(double, 2) { sessions async throws in
            let lanes = try await lanes(sessions)
            let reading = Task { try await SFTPBulkRead(lanes, range: 0..<100_000_000, into: PatternSink()).run() }
            try await eventually { sessions.reduce(0) { $0 + $1.unanswered } == 1 && double.counts.bytesRead > 7 << 20 }
            #expect(double.counts.bytesRead <= 8 << 20)
            reading.cancel()
            await #expect(throws: CancellationError.self) { _ = try await reading.value }
            close(lanes)
            for session in sessions { session.end() }
            try await eventually { double.counts.openChannels == 0 }
            double.resetCounts()
        }
    }

    @Test func `a first block that does not come, and crumbs behind it, hold back all but some`() async throws {
        var settings = SFTPDouble.Settings { $0.kind != .read ? [] : $0.offset == 0 ? [.silence] : [.shortRead(1)] }
        settings.maximumRead = 4_096
        let double = double(100_000_000, settings)
        try await withSession(double) { session async throws in
            let lanes = try await lanes([session])
            let reading = Task { try await SFTPBulkRead(lanes, range: 0..<100_000_000, into: PatternSink()).run() }
            try await eventually { session.unanswered == 1 && double.counts.bytesRead >= 4_096 }
            // So many pieces, and what was asked for before the first.
            #expect(double.counts.bytesRead <= 4_096 + 255)
            reading.cancel()
            await #expect(throws: CancellationError.self) { _ = try await reading.value }
            session.end()
            try await eventually { double.counts.openChannels == 0 }
            double.resetCounts()
        }
    }

    @Test func `a lane that comes late takes its share, and one that comes too late none`() async throws {
        var settings = SFTPDouble.Settings()
        settings.latency = 0.01
        let double = double(60_000_000, settings)
        try await withSessions(double, 3) { sessions async throws in
            let lanes = try await lanes(sessions)
            let sink = PatternSink(waitsEvery: 8, .whenOpened)
            let bulk = SFTPBulkRead(Array(lanes.prefix(1)), range: 0..<60_000_000, into: sink)
            // Before it runs, and while it does.
            #expect(bulk.add(lanes[1]))
            async let count = bulk.run()
            try await eventually { sink.count > 0 }
            #expect(bulk.add(lanes[2]))
            sink.open()
            #expect(try await count == 60_000_000)
            #expect(sink.isPattern)
            #expect(!bulk.add(lanes[0]))
            #expect(Set(double.requests.filter { $0.kind == .read }.map(\.channel)) == [1, 2, 3])
            close(lanes)
        }
    }

    @Test(arguments: [1, 600])
    func `less is asked for at once while answers queue, and more on a line that is only long`(distance: Int) {
        var state = SFTPBulkRead.State(lanes: [], next: 0, delivered: 0, end: .max)
        for _ in 0..<200 { state.line.adapt(to: .milliseconds(distance), count: 261_120) }
        #expect(state.line.allowed == 8 << 20)
        for _ in 0..<200 { state.line.adapt(to: .milliseconds(distance + 400), count: 261_120) }
        #expect(state.line.allowed == 8 << 20)
        for _ in 0..<200 { state.line.adapt(to: .milliseconds(distance + 501), count: 261_120) }
        #expect(state.line.allowed == 4 * 261_120)
    }

    @Test func `two transfers and a stat share a session`() async throws {
        let double = double(30_000_000)
        try await withSession(double) { session async throws in
            let sinks = [PatternSink(), PatternSink()]
            async let first = read([session], 0..<30_000_000, into: sinks[0])
            async let second = read([session], 0..<30_000_000, into: sinks[1])
            for _ in 0..<20 { #expect(try await session.size("/file") == 30_000_000) }
            #expect(try await first + second == 60_000_000)
            #expect(sinks.map(\.isPattern) == [true, true])
        }
    }
}

/// Takes no end over its first bytes.
private final class HeldSink: ByteSink, Sendable {
    private let hasBegun = AsyncStream.makeStream(of: Void.self)
    private let gate = DispatchSemaphore(value: 0)
    private let writing = LockedValue(false)

    var isWriting: Bool { writing.value }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        writing.update { $0 = true }
        hasBegun.continuation.yield()
        gate.wait()
        writing.update { $0 = false }
        return .ready
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { resume() }

    func untilWritten() async { for await _ in hasBegun.stream { return } }

    func letGo() { gate.signal() }
}

/// Runs tasks one after the other, and tells when none of them can go on.
private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "tasks")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func drain() { queue.sync {} }
}
