package import FileProviderCore
import Foundation
import Synchronization

/// Reads a part of a file into a sink, with as many `READ`s in flight as keep the line full.
///
/// Several sessions may share the work, each with a separate handle. Blocks that arrive too early are held, up to 8
/// MiB.
package final class SFTPBulkRead: SFTPBulk {
    /// A session and its handle of the file.
    package typealias Lane = (session: SFTPSession, handle: SFTPHandle)

    /// The usual number of requests in flight, for a server that does not report its limit.
    private static let usualRequests = 64

    private let sink: any ByteSink
    private let start: Int64
    private let state: Mutex<State>

    /// - lanes: At least one.
    ///   - lanes: One at least.
    ///   - range: Offsets in the file. If the file ends earlier, ``run()`` returns fewer bytes.
    ///   - sink: Receives the bytes in order.
    package init(_ lanes: [Lane], range: Range<Int64>, into sink: any ByteSink) {
        self.sink = sink
        start = range.lowerBound
        state = Mutex(State(lanes: lanes, next: range.lowerBound, delivered: range.lowerBound, end: range.upperBound))
    }

    /// Reads the range. After the return, the sink is no longer used.
    ///
    /// - Returns: The number of bytes in the sink: fewer than requested if the file ends first.
    /// - Throws: An ``SFTPRefusal`` with the server's status; the sink's error; the error that ended a session;
    ///   `CancellationError`, at once except for a write to the sink that continues.
    package func run() async throws -> Int64 {
        defer { leave() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Lanes that were added before may have begun, and finished.
                let outcome = state.withLock { state -> Result<Int64, any Error>? in
                    if state.outcome == nil, state.delivered >= state.end {
                        state.outcome = .success(state.delivered - start)
                    }
                    if state.outcome != nil, !state.isDelivering { return state.outcome }
                    state.waiter = continuation
                    return nil
                }
                if let outcome { return continuation.resume(with: outcome) }
                join()
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    /// Adds another session, unless everything is done.
    ///
    /// - Returns: Whether it takes part. The handle is used until ``run()`` has returned.
    package func add(_ lane: Lane) -> Bool {
        let isWanted = state.withLock { state in
            guard state.outcome == nil else { return false }
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

    /// The first outcome counts.
    private func finish(_ outcome: Result<Int64, any Error>) {
        settle { state in
            guard state.outcome == nil else { return }
            state.outcome = outcome
            state.held = [:]
        }
    }

    /// Called after a write to the sink.
    private func endDelivery() { settle { $0.isDelivering = false } }

    /// Changes the state, and resumes the waiter if everything has ended and the sink is idle.
    private func settle(_ change: (inout State) -> Void) {
        let (waiter, outcome) = state.withLock {
            state -> (CheckedContinuation<Int64, any Error>?, Result<Int64, any Error>?) in
            change(&state)
            guard state.outcome != nil, !state.isDelivering else { return (nil, nil) }
            return (state.waiter.take(), state.outcome)
        }
        if let outcome { waiter?.resume(with: outcome) }
    }

    // MARK: Asking

    func putPacket(into room: UnsafeMutableRawBufferPointer, for session: SFTPSession) -> Int {
        let (limits, sharers) = (session.limits, session.sharers)
        let isUnknown = limits.handles == nil
        let asked = state.withLock { state -> (SFTPHandle, SFTPPart)? in
            guard state.outcome == nil, !state.isSinkFull, let handle = state.handle(of: session) else { return nil }
            guard state.missing.isEmpty else {
                guard let part = state.takeMissing() else { return nil }
                state.asked(session, for: part.count)
                return (handle, part)
            }
            let maxCount = min(state.line.allowed, State.window / sharers)
            let ahead = Int(state.next - state.delivered)
            guard state.next < state.end, ahead == 0 || ahead + limits.read <= maxCount,
                state.mayAsk(session, for: limits.read, of: maxCount),
                !isUnknown || state.requests < Self.usualRequests * state.lanes.count
            else { return nil }
            let part = SFTPPart(offset: state.next, count: Int(min(Int64(limits.read), state.end - state.next)))
            state.next += Int64(part.count)
            state.asked(session, for: part.count)
            return (handle, part)
        }
        guard let (handle, part) = asked else { return 0 }
        let request = SFTPRequest.read(handle, at: UInt64(part.offset), count: UInt32(part.count))
        let packet = request.packet(id: session.register(self, part))
        room.copyBytes(from: packet)
        return packet.count
    }

    // MARK: Taking

    func take(_ type: UInt8, _ decoder: inout SFTPDecoder, for part: SFTPPart, of session: SFTPSession) throws {
        switch SFTPPacketType(rawValue: type) {
        case .data:
            let data = try decoder.string()
            guard (1...part.count).contains(data.count) else {
                throw SFTPProtocolError.wrongCount(data.count, asked: part.count)
            }
            took(data, for: part, of: session)
            wakeOthers(than: session)
        case .status:
            let status = try SFTPReply.status(&decoder)
            guard status.isEndOfFile else { return finish(.failure(SFTPRefusal(status: status))) }
            state.withLock { state in
                state.answered(session, part)
                state.end = min(state.end, max(part.offset, state.delivered))
            }
            finishIfDone()
        default: throw SFTPProtocolError.unexpected(type)
        }
    }

    private func took(_ data: UnsafeRawBufferPointer, for part: SFTPPart, of session: SFTPSession) {
        let isNext = state.withLock { state -> Bool in
            state.answered(session, part)
            guard state.outcome == nil else { return false }
            if data.count < part.count {
                state.missing.append(SFTPPart(offset: part.offset + Int64(data.count), count: part.count - data.count))
            }
            state.line.adapt(to: .now - part.sent, count: data.count)
            if part.offset == state.delivered, !state.isDelivering, !state.isSinkFull {
                state.isDelivering = true
                return true
            }
            state.held[part.offset] = Array(data)
            return false
        }
        // Held pieces may follow it.
        if isNext { give(data) }
        deliverHeld()
    }

    /// Sends held pieces to the sink, as far as they are next in order.
    private func deliverHeld() {
        while true {
            let data = state.withLock { state -> [UInt8]? in
                guard state.outcome == nil, !state.isDelivering, !state.isSinkFull,
                    let data = state.held.removeValue(forKey: state.delivered)
                else { return nil }
                state.isDelivering = true
                return data
            }
            guard let data else { return finishIfDone() }
            data.withUnsafeBytes { give($0) }
        }
    }

    /// For the caller that has set `isDelivering`.
    private func give(_ data: UnsafeRawBufferPointer) {
        defer { endDelivery() }
        let flow: FlowState
        do { flow = try sink.write(data) } catch { return finish(.failure(error)) }
        state.withLock { state in
            state.delivered += Int64(data.count)
            state.isSinkFull = flow == .wait
        }
        if flow == .wait {
            sink.whenReady { [weak self] in
                guard let self else { return }
                state.withLock { $0.isSinkFull = false }
                // If no more replies arrive, the held pieces continue from here.
                deliverHeld()
                wakeAll()
            }
        }
    }

    private func finishIfDone() {
        let count = state.withLock { state -> Int64? in
            guard state.delivered >= state.end, !state.isDelivering, !state.isSinkFull else { return nil }
            return state.delivered - start
        }
        if let count { finish(.success(count)) }
    }

    /// A reply may have made room for the other sessions.
    private func wakeOthers(than session: SFTPSession) {
        for lane in state.withLock({ $0.lanes }) where lane.session !== session { lane.session.wake() }
    }

    private func wakeAll() { for lane in state.withLock({ $0.lanes }) { lane.session.wake() } }

    func sessionEnded(with error: any Error) { finish(.failure(error)) }
}
