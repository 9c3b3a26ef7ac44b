package import FileProviderCore
import Foundation
import Synchronization

/// SFTP version 3 (draft-ietf-secsh-filexfer-02) over a channel: any number of requests at once, answered in any order.
///
/// Unchecked: what is not behind the lock is used by the channel's thread only, which debug builds check.
package final class SFTPSession: @unchecked Sendable {
    struct Pending {
        enum Owner {
            case call(SFTPCall, index: Int)
            case bulk(any SFTPBulk, SFTPPart)
            case limits
        }

        let owner: Owner
        let sent: ContinuousClock.Instant
        /// What the request does to the number of open handles.
        var effect: Effect?
    }

    enum Effect {
        case opens
        case closes

        init?(_ type: SFTPPacketType) {
            switch type {
            case .open, .opendir: self = .opens
            case .close: self = .closes
            default: return nil
            }
        }
    }

    struct State {
        var queue = SFTPQueue()
        /// Who waits until less waits to leave.
        var held: [@Sendable () -> Void] = []
        var pending: [UInt32: Pending] = [:]
        var lastID: UInt32 = 0
        var bulks: [any SFTPBulk] = []
        var opening: CheckedContinuation<Void, any Error>?
        var isOpen = false
        var extensions: [String: [UInt8]] = [:]
        var limits = SFTPLimits.usual
        var ending: (any Error)?
        var lastLook = ContinuousClock.now
        var lastAnswer = ContinuousClock.now
        /// The shortest time that an answer took.
        var quickest: Duration?
    }

    let state = Mutex(State())
    let channel: any ByteChannel
    /// The channel's.
    let thread = OwningThread()
    /// How long one request may stay without an answer while others, which were sent later, have theirs.
    let patience: Duration
    /// Counts the handles of this session beside those of others.
    package let room: SFTPHandleRoom
    var inbox = SFTPInbox()
    var outbox = SFTPOutbox()

    init(_ channel: any ByteChannel, patience: Duration, room: SFTPHandleRoom = SFTPHandleRoom()) {
        self.channel = channel
        self.patience = patience
        self.room = room
    }

    /// Begins a session: one round trip.
    ///
    /// - Parameters:
    ///   - channel: Was not started yet. It keeps the session until it ends: by ``end(with:)`` at the latest.
    ///   - patience: How long an answer may take; what the channel's own silence means, the channel knows.
    ///   - room: Counts the handles of all sessions with the host.
    /// - Throws: `URLError(.cannotParseResponse)` for what is no SFTP; `URLError(.unsupportedURL)` for another version;
    ///   why the channel ended.
    package static func open(
        over channel: any ByteChannel, patience: Duration = .seconds(60), room: SFTPHandleRoom = SFTPHandleRoom()
    ) async throws -> SFTPSession {
        let session = SFTPSession(channel, patience: patience, room: room)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var writer = SFTPWriter()
                writer.put(UInt32(5))
                writer.put(SFTPPacketType.initialize.rawValue)
                writer.put(UInt32(3))
                session.state.withLock { state in
                    state.opening = continuation
                    state.queue.append([writer.bytes])
                }
                channel.start(session)
            }
        } onCancel: {
            channel.end(with: CancellationError())
        }
        return session
    }

    /// Whether the server announced `name`.
    package func has(_ name: SFTPExtension) -> Bool { state.withLock { $0.extensions[name.rawValue] != nil } }

    /// The names that the server announced, those without a name in ``SFTPExtension`` among them.
    package var extensions: [String] { state.withLock { Array($0.extensions.keys) } }

    /// What the server takes at most. Known soon after ``open(over:patience:)``; before that, what every server takes.
    package var limits: SFTPLimits { state.withLock { $0.limits } }

    /// The shortest time that an answer took, which is a round trip and little else; nil before the first.
    package var roundTrip: Duration? { state.withLock { $0.quickest } }

    /// How long ago the last answer came.
    package var silence: Duration { state.withLock { .now - $0.lastAnswer } }

    /// Why the session ended; nil while it lives.
    package var ending: (any Error)? { state.withLock { $0.ending } }

    /// Sends a request.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled: what was sent is done all the same, and a
    ///   handle that comes is closed. Why the session ended.
    /// - Complexity: One round trip.
    package func send(_ request: SFTPRequest) async throws -> SFTPReply {
        // A call for one request has one reply.
        try await sendTogether([request])[0]
    }

    /// Sends requests one behind the other, without waiting for an answer in between.
    ///
    /// Servers may work on them in any order, but for those of one handle.
    ///
    /// - Returns: The replies in the order of the requests.
    /// - Throws: As ``send(_:)``.
    /// - Complexity: One round trip.
    package func sendTogether(_ requests: [SFTPRequest]) async throws -> [SFTPReply] {
        try Task.checkCancellation()
        if requests.contains(where: \.isHeavy) {
            while state.withLock({ $0.isFull }) { try await waitForRoom() }
        }
        return try await begin(requests).value()
    }

    /// Bytes that may wait to leave before those who ask for more wait themselves.
    static let enough = 4 << 20

    private func waitForRoom() async throws {
        try await Gate.wait { resume in
            let mustWait = state.withLock { state in
                if state.isFull { state.held.append(resume) }
                return state.isFull
            }
            if !mustWait { resume() }
        }
    }

    /// Sends requests; the answers are waited for elsewhere.
    ///
    /// - Parameter ticket: An admitted one of ``room``, for the openings among them; those of which nobody asked for
    ///   room are counted, too.
    package func begin(_ requests: [SFTPRequest], ticket: SFTPHandleRoom.Ticket? = nil) -> SFTPCall {
        let call = SFTPCall(requests.count) { [weak self] handles in
            self?.close(handles)
        } abandon: { [weak self] call in
            self?.abandon(call)
        }
        guard requests.allSatisfy({ $0.body.count < SFTPOutbox.maxPacketLength - 16 }) else {
            if let ticket { room.withdraw(ticket) }
            call.fail(
                FileError.make(.fileWriteInvalidFileName, path: "", sentence: "A name is too long for one SFTP packet.")
            )
            return call
        }
        let openings = requests.count(where: \.opens)
        let ending = state.withLock { state -> (any Error)? in
            if let ending = state.ending { return ending }
            if openings > 0 { room.sent(openings, ticket, self) }
            let now = ContinuousClock.now
            state.queue.append(
                requests.enumerated().map { index, request in
                    let pending = Pending(owner: .call(call, index: index), sent: now, effect: Effect(request.type))
                    return request.packet(id: state.register(pending))
                })
            return nil
        }
        if let ending {
            if let ticket { room.withdraw(ticket) }
            call.fail(ending)
        } else {
            channel.wake()
        }
        return call
    }

    /// Nobody waits for the answers any more: of what has not left, only what changes something else than bytes does.
    private func abandon(_ call: SFTPCall) {
        state.withLock { state in
            if state.queue.isEmpty { return }
            let own = state.pending.filter {
                if case .call(let owner, _) = $0.value.owner { owner === call } else { false }
            }
            for id in state.queue.drop(Set(own.keys)) { state.pending[id] = nil }
        }
        channel.wake()
    }

    /// Closes handles without waiting for the answers.
    package func close(_ handles: [SFTPHandle]) { _ = begin(handles.map { .close($0) }) }

    /// Ends the session and its channel; what is not answered fails with `error`.
    package func end(with error: any Error = URLError(.cancelled)) { channel.end(with: error) }

    // MARK: Transfers

    func add(_ bulk: any SFTPBulk) {
        let ending = state.withLock { state -> (any Error)? in
            if state.ending == nil, !state.bulks.contains(where: { $0 === bulk }) { state.bulks.append(bulk) }
            return state.ending
        }
        if let ending { bulk.sessionEnded(with: ending) } else { channel.wake() }
    }

    func remove(_ bulk: any SFTPBulk) { state.withLock { state in state.bulks.removeAll { $0 === bulk } } }

    /// A transfer has something to send again.
    func wake() { channel.wake() }

    /// A number for a packet of `bulk`, which will get the reply.
    func register(_ bulk: any SFTPBulk, _ part: SFTPPart) -> UInt32 {
        state.withLock { $0.register(Pending(owner: .bulk(bulk, part), sent: .now)) }
    }

    /// How many transfers share the session.
    var sharers: Int { state.withLock { max(1, $0.bulks.count) } }
}
