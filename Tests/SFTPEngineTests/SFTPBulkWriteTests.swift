import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

import SFTPEngine

@Suite(.timeLimit(.minutes(1))) struct SFTPBulkWriteTests {
    private func double(_ change: (inout SFTPDouble.Settings) -> Void = { _ in }) -> SFTPDouble {
        var settings = SFTPDouble.Settings()
        settings.asksOnlyWhenWoken = true
        change(&settings)
        return SFTPDouble(settings, files: ["/file": Data()])
    }

    private func lanes(_ sessions: [SFTPSession]) async throws -> [SFTPBulkWrite.Lane] {
        var lanes: [SFTPBulkWrite.Lane] = []
        for session in sessions { lanes.append((session, try await session.handle("/file", .write))) }
        return lanes
    }

    private func close(_ lanes: [SFTPBulkWrite.Lane]) { for lane in lanes { lane.session.close([lane.handle]) } }

    private func write(_ sessions: [SFTPSession], from source: PatternSource, at offset: Int64 = 0) async throws
        -> Int64
    {
        let lanes = try await lanes(sessions)
        defer { close(lanes) }
        return try await SFTPBulkWrite(lanes, from: source, at: offset).run()
    }

    @Test(arguments: [1, 3]) func `a hundred million bytes arrive`(laneCount: Int) async throws {
        let size = 100_000_001
        let double = double()
        try await withSessions(double, laneCount) { sessions async throws in
            #expect(try await write(sessions, from: PatternSource(size)) == Int64(size))
            #expect(double.isPattern("/file", size: size))
            #expect(double.counts.bytesWritten == size)
        }
    }

    @Test(arguments: [Readiness.atOnce, .later]) func `a source that has to be waited for gives all`(
        readiness: Readiness
    ) async throws {
        let double = double()
        try await withSessions(double, 2) { sessions async throws in
            let source = PatternSource(3_000_000, piece: 7_001, waitsEvery: 5, readiness: readiness)
            #expect(try await write(sessions, from: source) == 3_000_000)
            #expect(double.isPattern("/file", size: 3_000_000))
        }
    }

    @Test func `an empty source, answers in another order, and a place amid the file are all right`() async throws {
        let double = double { $0.answer = { $0.kind == .write ? [.shuffled(of: 5)] : [] } }
        try await withSessions(double, 2) { sessions async throws in
            #expect(try await write(sessions, from: PatternSource(0)) == 0)
            #expect(double.size("/file") == 0)
            #expect(try await write(sessions, from: PatternSource(5_000_000), at: 1_000) == 5_000_000)
            #expect(double.size("/file") == 5_001_000)
            #expect(double.bytes("/file", 1_000..<5_001_000) == SFTPDouble.pattern(0..<5_000_000))
        }
    }

    @Test func `the longest handle, and little room on the way, are enough`() async throws {
        let double = double {
            $0.handleLength = 256
            $0.maximumTake = 999
        }
        try await withSession(double) { session async throws in
            try await eventually { session.limits.write == 261_120 }
            #expect(try await write([session], from: PatternSource(1_000_000)) == 1_000_000)
            #expect(double.isPattern("/file", size: 1_000_000))
        }
    }

    @Test func `without limits, 32 KiB are sent, 64 at most without an answer`() async throws {
        let double = double {
            $0.extensions = []
            $0.latency = 0.01
        }
        try await withSession(double) { session async throws in
            #expect(try await write([session], from: PatternSource(8_000_000)) == 8_000_000)
            #expect(double.requests.map(\.length).max() == 32_768)
            #expect(double.counts.peakOutstanding <= 64)
        }
    }

    // MARK: Failing

    @Test func `a full disk ends the transfer and not the session`() async throws {
        let double = double { $0.answer = SFTPDouble.diskFull(at: 2_000_000) }
        try await withSessions(double, 2) { sessions async throws in
            let refusal = await #expect(throws: SFTPRefusal.self) {
                _ = try await write(sessions, from: PatternSource(9_000_000))
            }
            #expect(refusal?.status.message == "No space left on device")
            #expect(try await sessions[1].size("/file") != nil)
            #expect(double.counts.bytesWritten <= 2_000_000)
        }
    }

    @Test func `what the source throws, and another answer, end the transfer`() async throws {
        let double = double { $0.answer = { $0.kind == .write && $0.offset >= 4_000_000 ? [.type(103)] : [] } }
        try await withSession(double) { session async throws in
            await #expect(throws: Gatekeeper.Failure.self) {
                _ = try await write([session], from: PatternSource(3_000_000, piece: 10_000, failsAt: 1_000_000))
            }
            #expect(
                await code { _ = try await write([session], from: PatternSource(9_000_000)) } == .cannotParseResponse)
            // The second handle went with the session.
            try await eventually { double.counts.leakedHandles == 1 }
            double.resetCounts()
        }
    }

    @Test func `a transfer that is cancelled while its source sleeps comes back`() async throws {
        let double = double()
        try await withSession(double) { session async throws in
            let lanes = try await lanes([session])
            let source = PatternSource(9_000_000, waitsEvery: 3, readiness: .whenOpened)
            let bulk = SFTPBulkWrite(lanes, from: source, at: 0)
            let writing = Task { try await bulk.run() }
            try await eventually { source.isWaitedFor && !session.isWaiting }
            writing.cancel()
            await #expect(throws: CancellationError.self) { _ = try await writing.value }
            let written = double.counts.bytesWritten
            source.open()
            #expect(try await session.size("/file") == UInt64(written))
            #expect(double.counts.bytesWritten == written)
            close(lanes)
        }
    }

    @Test(arguments: [SFTPDouble.Cut.received(3_000_000), .sent(400), .requests(9)])
    func `a channel that ends takes the transfer with it`(cut: SFTPDouble.Cut) async throws {
        let double = double()
        try await withSession(double) { session async throws in
            let lanes = try await lanes([session])
            double.cut(cut)
            #expect(
                await code { _ = try await SFTPBulkWrite(lanes, from: PatternSource(.max), at: 0).run() }
                    == .networkConnectionLost)
            try await eventually { double.counts.openChannels == 0 }
            double.resetCounts()
        }
    }

    // MARK: Memory, fairness

    /// One answer that is missing keeps the window where it is, all of them keep it as it was at first.
    @Test(arguments: [(true, 15 << 20, 16 << 20), (false, 3 << 20, 4 << 20)])
    func `a server that does not answer gets no more than a window`(answersOthers: Bool, minCount: Int, maxCount: Int)
        async throws
    {
        let double = double {
            $0.answer = { $0.kind == .write && ($0.offset == 0 || !answersOthers) ? [.silenceAfterDoing] : [] }
        }
        try await withSessions(double, 2) { sessions async throws in
            let lanes = try await lanes(sessions)
            let writing = Task { try await SFTPBulkWrite(lanes, from: PatternSource(.max), at: 0).run() }
            try await eventually { double.counts.bytesWritten > minCount }
            #expect(try await sessions[0].size("/file") != nil)
            #expect(double.counts.bytesWritten <= maxCount)
            writing.cancel()
            await #expect(throws: CancellationError.self) { _ = try await writing.value }
            for session in sessions { session.end() }
            try await eventually { double.counts.openChannels == 0 }
            double.resetCounts()
        }
    }

    @Test func `where answers queue, less is on its way`() async throws {
        // One write after the other, each of 30 ms.
        let begin = LockedValue<ContinuousClock.Instant?>(nil)
        let double = double {
            $0.answer = { request in
                guard request.kind == .write else { return [] }
                let start = begin.update { begin in
                    begin = begin ?? .now
                    return begin ?? .now
                }
                let due = start + .milliseconds(30 * request.occurrence)
                return due > .now ? [.delay((due - .now) / .seconds(1))] : []
            }
        }
        try await withSession(double) { session async throws in
            #expect(try await write([session], from: PatternSource(24 << 20)) == 24 << 20)
            #expect(double.isPattern("/file", size: 24 << 20))
            // Sixteen at first, and more while answers come within a quarter of a second; 64 would wait for two.
            #expect(double.counts.peakOutstanding <= 40, "\(double.counts.peakOutstanding)")
        }
    }

    @Test func `a lane that comes late takes its share`() async throws {
        let double = double { $0.latency = 0.01 }
        try await withSessions(double, 3) { sessions async throws in
            let lanes = try await lanes(sessions)
            let source = PatternSource(60_000_000, waitsEvery: 20, readiness: .whenOpened)
            let bulk = SFTPBulkWrite(Array(lanes.prefix(1)), from: source, at: 0)
            #expect(bulk.add(lanes[1]))
            async let count = bulk.run()
            try await eventually { bulk.acknowledged > 0 }
            #expect(bulk.add(lanes[2]))
            source.open()
            #expect(try await count == 60_000_000)
            #expect(double.isPattern("/file", size: 60_000_000))
            #expect(!bulk.add(lanes[0]))
            #expect(Set(double.requests.filter { $0.kind == .write }.map(\.channel)) == [1, 2, 3])
            close(lanes)
        }
    }

    @Test func `a stat passes what a transfer has not made yet`() async throws {
        let double = double { $0.maximumTake = 65_536 }
        try await withSession(double) { session async throws in
            let lanes = try await lanes([session])
            let writing = Task { try await SFTPBulkWrite(lanes, from: PatternSource(.max), at: 0).run() }
            try await eventually { double.counts.bytesWritten > 2_000_000 }
            var ahead: [Int] = []
            for _ in 0..<15 {
                let before = double.requests.count
                #expect(try await session.size("/") != nil)
                let order = try #require(double.requests.lastIndex { $0.kind == .lstat })
                ahead.append(order - before)
            }
            // Those that were made before, and those that left while it was counted.
            #expect(ahead.sorted()[7] <= 6)
            writing.cancel()
            await #expect(throws: CancellationError.self) { _ = try await writing.value }
            close(lanes)
        }
    }
}
