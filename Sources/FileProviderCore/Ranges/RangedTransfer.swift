import Foundation

/// Transfers a file in one stream, and the rest of it in several ranges at once if that is faster.
///
/// The first stream goes straight into the sink. Each range is held until it is whole, and goes into the sink after
/// everything in front of it. The first stream ends only once the range behind it has begun: if a server refuses a
/// second range, or shows another version there, one stream transfers everything.
final class RangedTransfer: Sendable {
    private enum Step: Sendable {
        /// The first stream, or the last one; nil if the first was ended at its boundary.
        case streamed(FileExtent?)
        /// The number of ranges has changed.
        case paced
        case allowed(ConcurrentRanges?)
        case fetched(RangeBuffer)
        case refused(RangeBuffer)
        case delivered(RangeBuffer)
    }

    /// The state of the transfer's task.
    private struct Run {
        /// Nil while one stream transfers everything.
        var allowed: ConcurrentRanges?
        /// Whether the first stream runs.
        var isStreaming = true
        var isDelivering = false
        var inFlight: [RangeBuffer] = []
        /// Ranges that arrived whole, by their offsets.
        var fetched: [Int64: RangeBuffer] = [:]
        /// Ranges that failed, to be requested again.
        var refused: [Range<Int64>] = []
        /// How many ranges failed.
        var losses = 0
        /// Where the next range begins.
        var next: Int64 = 0
        /// The sink's offset, once the first stream is over.
        var position: Int64 = 0
        /// Bytes of ranges that the sink does not have yet.
        var held: Int64 = 0
    }

    private typealias Group = ThrowingTaskGroup<Step, any Error>

    private let reader: any FileReader
    private let sink: any ByteSink
    private let limits: RangePace.Limits
    private let start = ContinuousClock.now
    private let state = LockedValue(State())
    private let signals = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// How often to request the rest in one stream if that fails before its first byte: another connection may lead to
    /// the version of the first one.
    private static let maxTries = 3
    /// How many ranges may fail before fewer are requested at once.
    private static let maxLosses = 8

    init(_ reader: any FileReader, into sink: any ByteSink, limits: RangePace.Limits) {
        self.reader = reader
        self.sink = sink
        self.limits = limits
    }

    /// - Parameter part: The whole file, or from an offset on.
    /// - Throws: As ``FileReader/stream(_:into:)``.
    func run(_ part: FilePart) async throws -> FileExtent {
        try await withThrowingTaskGroup(of: Step.self) { group in
            group.addTask { try await self.streamHead(part) }
            group.addTask { await self.nextSignal() }
            var run = Run()
            while let step = try await group.next() {
                if case .streamed(let extent?) = step {
                    group.cancelAll()
                    return extent
                }
                try Task.checkCancellation()
                take(step, &run, &group)
                if !run.isStreaming, let extent = state.value.extent, run.position == extent.offset + extent.count {
                    group.cancelAll()
                    return extent
                }
                proceed(&run, &group)
            }
            throw CancellationError()
        }
    }

    private func take(_ step: Step, _ run: inout Run, _ group: inout Group) {
        switch step {
        case .streamed:
            run.isStreaming = false
            run.position = state.value.position
        case .paced:
            group.addTask { await self.nextSignal() }
            if state.value.pace?.isWanting == true { group.addTask { await self.look() } }
        case .allowed(let ranges):
            run.allowed = ranges
            state.update { $0.pace?.grow(to: ranges?.maxCount ?? 1) }
        case .fetched(let buffer):
            run.inFlight.removeAll { $0 === buffer }
            if !buffer.isDropped { run.fetched[buffer.range.lowerBound] = buffer }
        case .refused(let buffer):
            run.inFlight.removeAll { $0 === buffer }
            if buffer.isDropped { return }
            if buffer.hasBegun, run.losses < Self.maxLosses {
                run.losses += 1
            } else {
                if state.update({ $0.leaveToHead() }) { return drop(&run) }
                state.update { $0.pace?.reduce() }
            }
            run.refused.append(buffer.range)
        case .delivered(let buffer):
            run.isDelivering = false
            run.position = buffer.range.upperBound
            run.held -= Int64(buffer.range.count)
        }
    }

    /// Starts the ranges that may start now.
    private func proceed(_ run: inout Run, _ group: inout Group) {
        guard let allowed = run.allowed, let extent = state.value.extent else { return }
        let end = extent.offset + extent.count
        if run.isStreaming {
            if run.next == 0 { setBoundary(allowed, end: end, &run) }
            // The first stream was faster than the range behind it, or little is left.
            if state.value.boundary == nil { return drop(&run) }
        } else if !run.isDelivering {
            if let buffer = run.fetched.removeValue(forKey: run.position) {
                run.isDelivering = true
                group.addTask { try await self.deliver(buffer) }
            } else if state.value.pace?.count == 1,
                !run.inFlight.contains(where: { $0.range.lowerBound == run.position })
            {
                let position = run.position
                group.addTask { try await self.streamRest(from: position) }
                return drop(&run)
            }
        }
        guard let pace = state.value.pace, pace.count > 1 else { return }
        while run.inFlight.count + (run.isStreaming ? 1 : 0) < pace.count {
            if let range = run.refused.popLast() {
                fetch(range, of: extent.size, &run, &group)
                continue
            }
            let size = size(pace, allowed, left: end - run.next)
            guard size > 0, run.held == 0 || run.held + size <= limits.maxHeld else { return }
            let range = run.next..<run.next + size
            run.next += size
            run.held += size
            fetch(range, of: extent.size, &run, &group)
        }
    }

    /// Drops all ranges: one stream transfers their bytes.
    private func drop(_ run: inout Run) {
        for buffer in run.inFlight + run.fetched.values { buffer.drop() }
        run.fetched = [:]
        run.allowed = nil
    }

    /// Sets the offset at which the first stream is to end, if there is enough behind it.
    private func setBoundary(_ allowed: ConcurrentRanges, end: Int64, _ run: inout Run) {
        let boundary: Int64? = state.update { state in
            guard let pace = state.pace, pace.count > 1 else { return nil }
            let lead = max(allowed.minSize, Int64(min(pace.rate * pace.lead, Double(end))))
            // Files over 4 EiB are not split, so nothing overflows.
            guard end < Int64.max / 2 else { return nil }
            let boundary = max(state.position + lead, allowed.minOffset)
            if end - boundary < allowed.minSize { return nil }
            state.boundary = boundary
            return boundary
        }
        if let boundary { run.next = boundary } else { state.update { $0.pace?.settle(for: 1) } }
    }

    /// Returns about as many bytes as a stream delivers in a second, and at most its share of the rest.
    private func size(_ pace: RangePace, _ allowed: ConcurrentRanges, left: Int64) -> Int64 {
        let share = min(pace.rate, Double(left)) / Double(pace.count)
        let size = min(max(Int64(share), allowed.minSize), allowed.maxSize, left)
        return left - size < allowed.minSize ? left : size
    }

    private var time: Double { (ContinuousClock.now - start) / .seconds(1) }

    // MARK: The first stream

    private func streamHead(_ part: FilePart) async throws -> Step {
        do { return .streamed(try await reader.stream(part, into: Head(sink, self))) } catch {
            guard state.value.isCut else { throw error }
            if state.value.isFull { try await sink.waitUntilReady() }
            return .streamed(nil)
        }
    }

    func begin(_ extent: FileExtent) {
        let latency = time
        state.update { state in
            state.extent = extent
            state.position = extent.offset
            if extent.count >= limits.minFileSize {
                state.pace = RangePace(limits: limits, latency: latency, at: latency)
            }
        }
    }

    /// Returns how many of the next `count` bytes of the first stream the sink gets.
    func wanted(of count: Int) -> Int {
        let wanted: Int? = state.update { state in
            if let wanted = state.wanted(of: count) { return wanted }
            _ = state.leaveToHead()
            return nil
        }
        if wanted == nil { signals.continuation.yield() }
        return wanted ?? count
    }

    func passed(_ count: Int, isEnd: Bool, isFull: Bool) {
        let time = time
        let isPaced = state.update { state in
            state.position += Int64(count)
            (state.isCut, state.isFull) = (isEnd, isEnd && isFull)
            return state.came(count, at: time)
        }
        if isPaced { signals.continuation.yield() }
    }

    // MARK: Ranges

    private func nextSignal() async -> Step {
        for await _ in signals.stream { break }
        return .paced
    }

    /// Asks whether the reader allows several ranges, which it knows by now.
    private func look() async -> Step { .allowed((try? await reader.attributes())?.concurrentRanges) }

    private func fetch(_ range: Range<Int64>, of size: Int64, _ run: inout Run, _ group: inout Group) {
        let buffer = RangeBuffer(range, of: size) { [self] count, isFirst in
            let time = time
            let isPaced = state.update { state in
                if isFirst { state.began(at: time) }
                return state.came(count, at: time)
            }
            if isPaced { signals.continuation.yield() }
        }
        run.inFlight.append(buffer)
        state.update { if $0.boundary == range.lowerBound { $0.successor = buffer } }
        group.addTask { await self.fetch(buffer) }
    }

    /// - Returns: Whether the whole range arrived, and is known to be of the right version.
    private func fetch(_ buffer: RangeBuffer) async -> Step {
        defer { if buffer.hasBegun { state.update { $0.active -= 1 } } }
        do {
            // A refused range is not retried: fewer are requested.
            _ = try await RetryPolicy.$isOff.withValue(true) {
                try await reader.stream(.range(buffer.range), into: buffer)
            }
            let isProven = try await reader.attributes().concurrentRanges != nil
            // The answer did not show its version: use one stream for the rest.
            if !isProven { state.update { $0.pace?.settle(for: 1) } }
            return buffer.isWhole && isProven ? .fetched(buffer) : .refused(buffer)
        } catch { return .refused(buffer) }
    }

    private func deliver(_ buffer: RangeBuffer) async throws -> Step {
        var pieces = buffer.take()[...]
        while !pieces.isEmpty {
            try Task.checkCancellation()
            let (now, sink) = (pieces, sink)
            let (count, flow) = try await BlockingThreads.shared.run { () -> (Int, FlowState) in
                for (index, piece) in now.enumerated() {
                    if try piece.withUnsafeBytes({ try sink.write($0) }) == .wait { return (index + 1, .wait) }
                }
                return (now.count, .ready)
            }
            pieces = pieces.dropFirst(count)
            if flow == .wait { try await sink.waitUntilReady() }
        }
        return .delivered(buffer)
    }

    /// Transfers the rest in one stream.
    private func streamRest(from position: Int64) async throws -> Step {
        let rest = TappedSink(sink, isAnnounced: true)
        var tries = 0
        while true {
            tries += 1
            do {
                _ = try await reader.stream(.from(position), into: rest)
                guard let extent = state.value.extent, position + rest.count == extent.offset + extent.count else {
                    throw FileError.changedWhileReading(reader.path)
                }
                return .streamed(extent)
            } catch let error where tries < Self.maxTries && rest.count == 0 && rest.failure == nil {
                if error.isCancellation { throw error }
            }
        }
    }
}
