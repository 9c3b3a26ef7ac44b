import FileProviderCore
import Foundation
import Synchronization

extension SFTPSession: ByteChannelUser {
    /// There is always room: no more arrives than was requested, and a packet that is too long ends the session.
    package func roomToReceive() -> UnsafeMutableRawBufferPointer {
        thread.assertIsCurrent()
        return inbox.room
    }

    package func received(_ count: Int) throws {
        thread.assertIsCurrent()
        inbox.take(count)
        do {
            while let packet = try inbox.packet() { try take(packet) }
        } catch let error as SFTPProtocolError {
            throw error.error
        }
        // A transfer may have waited for this reply, and VERSION is followed by a request for the limits.
        if state.withLock({ !$0.bulks.isEmpty || !$0.queue.isEmpty }) { channel.wake() }
    }

    package func bytesToSend() -> UnsafeRawBufferPointer {
        thread.assertIsCurrent()
        if outbox.wantsMore { fill() }
        return outbox.bytes
    }

    package func sent(_ count: Int) {
        thread.assertIsCurrent()
        outbox.drop(count)
    }

    package var isWaiting: Bool { state.withLock { !$0.pending.isEmpty || $0.opening != nil } }

    package func ended(with error: any Error) {
        let (opening, pending, bulks, held) = state.withLock { state in
            state.ending = error
            defer {
                state.opening = nil
                state.pending = [:]
                state.queue = SFTPQueue()
                state.bulks = []
                state.held = []
            }
            return (state.opening, state.pending, state.bulks, state.held)
        }
        opening?.resume(throwing: error)
        for resume in held { resume() }
        room.forget(self)
        for case .call(let call, _) in pending.values.map(\.owner) { call.fail(error) }
        for bulk in bulks { bulk.sessionEnded(with: error) }
    }

    // MARK: Sending

    /// Single requests come before those that carry data and before transfers, which take turns.
    private func fill() {
        var (busy, hasHeavy, held) = state.withLock { state in
            while outbox.wantsMore, let packet = state.queue.takeLight() { outbox.append(packet) }
            // The first one is the last one next time.
            if let first = state.bulks.first { state.bulks = state.bulks.dropFirst() + [first] }
            return (state.bulks, state.queue.hasHeavy, state.takeHeld())
        }
        while outbox.wantsMore, hasHeavy || !busy.isEmpty {
            if hasHeavy {
                (hasHeavy, held) = state.withLock { state in
                    if let packet = state.queue.takeHeavy() { outbox.append(packet) }
                    return (state.queue.hasHeavy, held + state.takeHeld())
                }
            }
            busy.removeAll { bulk in
                guard outbox.wantsMore else { return false }
                let count = bulk.putPacket(into: outbox.room(), for: self)
                outbox.add(count)
                return count == 0
            }
        }
        for resume in held { resume() }
    }

    // MARK: Receiving

    private func take(_ packet: UnsafeRawBufferPointer) throws {
        var decoder = SFTPDecoder(packet)
        let type = try decoder.byte()
        guard state.withLock({ $0.isOpen }) else { return try begin(type, &decoder) }
        let id = try decoder.uint32()
        let isGranted = SFTPPacketType(rawValue: type) == .handle
        let (pending, isStuck, earlier) = state.withLock { state -> (Pending?, Bool, Int) in
            guard let pending = state.pending.removeValue(forKey: id) else { return (nil, false, 0) }
            let earlier = pending.effect == .opens && !isGranted ? state.openings(before: id) : 0
            return (pending, state.isStuck(after: pending, patience: patience), earlier)
        }
        guard let pending else { throw SFTPProtocolError.unasked(id) }
        let crowd = count(pending, isGranted: isGranted, earlier: earlier)
        do {
            if isStuck {
                throw FileError.make(
                    .timedOut, url: nil, sentence: "The server did not answer a request for \(patience).")
            }
            try give(type, &decoder, to: pending.owner, crowd)
        } catch {
            // The end of the session tells its caller the reason.
            state.withLock { $0.pending[id] = pending }
            throw error
        }
    }

    /// - Returns: The other handles at a refused opening.
    private func count(_ pending: Pending, isGranted: Bool, earlier: Int) -> SFTPHandleRoom.Crowd? {
        switch pending.effect {
        case .opens: return room.answered(self, isGranted: isGranted, earlier: earlier)
        case .closes: room.closed(self)
        case nil: break
        }
        return nil
    }

    private func give(
        _ type: UInt8, _ decoder: inout SFTPDecoder, to owner: Pending.Owner, _ crowd: SFTPHandleRoom.Crowd?
    ) throws {
        switch owner {
        case .call(let call, let index):
            call.take(try SFTPReply(type: type, decoder: &decoder), at: index, beside: crowd)
        case .bulk(let bulk, let part): try bulk.take(type, &decoder, for: part, of: self)
        case .limits:
            // A server that announces its limits and does not report them gets the default ones.
            guard case .extended(let reply) = try SFTPReply(type: type, decoder: &decoder),
                let limits = try? SFTPLimits(reply: reply)
            else {
                return
            }
            state.withLock { $0.limits = limits }
        }
    }

    /// `SSH_FXP_VERSION`, which lists the extensions (draft section 4).
    private func begin(_ type: UInt8, _ decoder: inout SFTPDecoder) throws {
        guard type == SFTPPacketType.version.rawValue else { throw SFTPProtocolError.unexpected(type) }
        let version = try decoder.uint32()
        guard version == 3 else { throw SFTPProtocolError.version(version) }
        var extensions: [String: [UInt8]] = [:]
        while decoder.count > 0 {
            let name = String(decoding: try decoder.string(), as: UTF8.self)
            extensions[name] = Array(try decoder.string())
        }
        let opening = state.withLock { state in
            state.isOpen = true
            state.extensions = extensions
            if extensions[SFTPExtension.limits.rawValue] != nil {
                // No caller waits for the reply, so it costs no time.
                state.queue.append([SFTPRequest.limits.packet(id: state.register(Pending(owner: .limits, sent: .now)))])
            }
            return state.opening.take()
        }
        opening?.resume()
    }
}
