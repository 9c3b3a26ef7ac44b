package import FileProviderCore
import Foundation
import Synchronization

/// Writes a source to a file, with as many `WRITE`s in flight as the server accepts.
///
/// Several sessions may share the work, each with a separate handle. Blocks go wherever there is room.
package final class SFTPBulkWrite: SFTPBulk {
    /// A session and its handle of the file.
    package typealias Lane = SFTPBulkRead.Lane

    /// The maximum number of `WRITE`s in flight on one session.
    private static let maxCount = 64
    /// The maximum distance between the first byte that the server does not have and the last byte that was sent. If a
    /// transfer is interrupted, gaps are no further than this from the file's end.
    package static let spread: Int64 = 16 << 20
    /// The initial number of bytes in flight, which is that of 20 ms at 200 MB/s, and the minimum if replies queue.
    private static let first = (usual: 4 << 20, minCount: 1 << 20)

    fileprivate struct State {
        var lanes: [Lane]
        /// The offset of the next byte of the source.
        var next: Int64
        /// The offset of the first byte that the server has not acknowledged.
        var acknowledged: Int64
        /// Acknowledged ranges after that offset.
        var ahead: [Int64: Int] = [:]
        /// The unacknowledged `WRITE`s of each session, and their bytes.
        var unanswered: [ObjectIdentifier: (writes: Int, bytes: Int)] = [:]
        /// Bytes that may be in flight.
        var line = SFTPWindow(
            first: SFTPBulkWrite.first.usual, minCount: SFTPBulkWrite.first.minCount,
            maxCount: Int(SFTPBulkWrite.spread))
        var isAtEnd = false
        var isSourceDry = false
        var outcome: Result<Int64, any Error>?
        var waiter: CheckedContinuation<Int64, any Error>?
        /// Whether a session has ended, so that its replies are lost.
        var hasLostSession = false
        /// Waits for the pending replies.
        var settler: CheckedContinuation<Void, Never>?
    }

    private let source: any ByteSource
    private let start: Int64
    private let state: Mutex<State>

    /// - Parameters:
    ///   - lanes: At least one.
    ///   - source: Its first byte is written at `offset`.
    package init(_ lanes: [Lane], from source: any ByteSource, at offset: Int64) {
        self.source = source
        start = offset
        state = Mutex(State(lanes: lanes, next: offset, acknowledged: offset))
    }

    /// Writes until the source has ended and the server has acknowledged everything.
    ///
    /// - Returns: The number of bytes written.
    /// - Throws: An ``SFTPRefusal`` with the server's status; the source's error; the error that ended a session;
    ///   `CancellationError`, at once.
    package func run() async throws -> Int64 {
        defer { leave() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.waiter = continuation }
                    return state.outcome
                }
                if let outcome { return continuation.resume(with: outcome) }
                join()
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    /// Adds another session, unless everything was sent.
    ///
    /// - Returns: Whether it takes part. The handle is used until ``run()`` has returned.
    package func add(_ lane: Lane) -> Bool {
        let isWanted = state.withLock { state in
            guard state.outcome == nil, !state.isAtEnd else { return false }
            state.lanes.append(lane)
            return true
        }
        guard isWanted else { return false }
        lane.session.add(self)
        // The transfer may have ended meanwhile.
        if state.withLock({ $0.outcome == nil }) { return true }
        lane.session.remove(self)
        return false
    }

    private func join() { for lane in state.withLock({ $0.lanes }) { lane.session.add(self) } }

    private func leave() { for lane in state.withLock({ $0.lanes }) { lane.session.remove(self) } }

    /// The offset up to which the server has acknowledged everything.
    package var acknowledged: Int64 { state.withLock { $0.acknowledged } }

    /// The offset after the last byte that was sent.
    package var end: Int64 { state.withLock { $0.next } }

    /// After a failed ``run()``, waits until the server has answered every `WRITE` under way, or the session has ended.
    /// ``acknowledged`` is final then.
    ///
    /// Ignores cancellation. The session's own limits end the wait for a silent server.
    package func settle() async {
        finish(.failure(CancellationError()))
        // A session reports its end only to the transfers that it knows.
        join()
        defer { leave() }
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                if !state.isSettled { state.settler = continuation }
                return state.isSettled
            }
            if isSettled { continuation.resume() }
        }
    }

    private func resumeSettler() {
        state.withLock { $0.isSettled ? $0.settler.take() : nil }?.resume()
    }

    private func finish(_ outcome: Result<Int64, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Int64, any Error>? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            return state.waiter.take()
        }
        waiter?.resume(with: outcome)
    }

    // MARK: Sending

    func putPacket(into room: UnsafeMutableRawBufferPointer, for session: SFTPSession) -> Int {
        guard let handle = state.withLock({ $0.lanes.first { $0.session === session }?.handle }) else { return 0 }
        // Length, type, number, handle, offset, length of the data.
        let head = 4 + 1 + 4 + 4 + handle.bytes.count + 8 + 4
        let data = UnsafeMutableRawBufferPointer(rebasing: room[head..<head + session.limits.write])
        guard let part = nextPart(into: data, for: session) else { return 0 }
        var writer = SFTPWriter()
        writer.put(UInt32(head - 4 + part.count))
        writer.put(SFTPPacketType.write.rawValue)
        writer.put(session.register(self, part))
        writer.put(string: handle.bytes)
        writer.put(UInt64(part.offset))
        writer.put(UInt32(part.count))
        room.copyBytes(from: writer.bytes)
        return head + part.count
    }

    /// Fills `data` from the source. Its bytes are used in order, whichever session asks.
    private func nextPart(into data: UnsafeMutableRawBufferPointer, for session: SFTPSession) -> SFTPPart? {
        let lane = ObjectIdentifier(session)
        var hasRunDry = false
        let (part, end) = state.withLock { state -> (SFTPPart?, Result<Int64, any Error>?) in
            guard state.outcome == nil, !state.isAtEnd, !state.isSourceDry,
                state.mayWrite(data.count, lane: lane, maxCount: Self.maxCount),
                state.next - state.acknowledged + Int64(data.count) <= Self.spread
            else { return (nil, nil) }
            var count = 0
            do {
                while count < data.count, !state.isAtEnd, !state.isSourceDry {
                    switch try source.read(into: UnsafeMutableRawBufferPointer(rebasing: data[count...])) {
                    case .bytes(let more): count += more
                    case .wait:
                        state.isSourceDry = true
                        hasRunDry = true
                    case .end: state.isAtEnd = true
                    }
                }
            } catch {
                return (nil, .failure(error))
            }
            guard count > 0 else { return (nil, state.ending(from: start)) }
            let part = SFTPPart(offset: state.next, count: count)
            state.next += Int64(count)
            let before = state.unanswered[lane] ?? (0, 0)
            state.unanswered[lane] = (before.writes + 1, before.bytes + count)
            return (part, nil)
        }
        if let end { finish(end) }
        if hasRunDry { wakeWhenReady() }
        return part
    }

    private func wakeWhenReady() {
        source.whenReady { [weak self] in
            guard let self else { return }
            state.withLock { $0.isSourceDry = false }
            for lane in state.withLock({ $0.lanes }) { lane.session.wake() }
        }
    }

    // MARK: Taking

    func take(_ type: UInt8, _ decoder: inout SFTPDecoder, for part: SFTPPart, of session: SFTPSession) throws {
        guard SFTPPacketType(rawValue: type) == .status else { throw SFTPProtocolError.unexpected(type) }
        let status = try SFTPReply.status(&decoder)
        defer { resumeSettler() }
        guard status.isOK else {
            state.withLock { $0.answered(part, lane: ObjectIdentifier(session)) }
            return finish(.failure(SFTPRefusal(status: status)))
        }
        let (end, others) = state.withLock { state -> (Result<Int64, any Error>?, [Lane]) in
            state.answered(part, lane: ObjectIdentifier(session))
            state.line.adapt(to: .now - part.sent, count: part.count)
            state.ahead[part.offset] = part.count
            while let count = state.ahead.removeValue(forKey: state.acknowledged) { state.acknowledged += Int64(count) }
            return (state.ending(from: start), state.lanes.count > 1 ? state.lanes : [])
        }
        if let end { return finish(end) }
        // The other sessions may have waited for this, because of the limited spread.
        for lane in others where lane.session !== session { lane.session.wake() }
    }

    func sessionEnded(with error: any Error) {
        finish(.failure(error))
        state.withLock { $0.hasLostSession = true }
        resumeSettler()
    }
}

extension SFTPBulkWrite.State {
    /// Whether a session may send so many more bytes. Each has its share; otherwise the slowest session would take all.
    fileprivate func mayWrite(_ count: Int, lane: ObjectIdentifier, maxCount: Int) -> Bool {
        let (writes, bytes) = unanswered[lane] ?? (0, 0)
        return writes == 0 || writes < maxCount && bytes + count <= line.allowed / lanes.count
    }

    fileprivate mutating func answered(_ part: SFTPPart, lane: ObjectIdentifier) {
        let before = unanswered[lane] ?? (1, part.count)
        unanswered[lane] = (before.writes - 1, before.bytes - part.count)
    }

    /// Whether no reply is pending.
    fileprivate var isSettled: Bool { hasLostSession || unanswered.values.allSatisfy { $0.writes <= 0 } }

    /// The outcome, once everything was sent and answered.
    fileprivate func ending(from start: Int64) -> Result<Int64, any Error>? {
        isAtEnd && acknowledged == next ? .success(next - start) : nil
    }
}
