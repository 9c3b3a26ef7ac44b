package import FileProviderCore
import Foundation
import Synchronization

/// SFTP version 3 (draft-ietf-secsh-filexfer-02) over a channel: any number of requests at once, answered in any order.
///
/// Unchecked: what is not behind the lock is used only by the channel's thread, which debug builds check.
package final class SFTPSession: @unchecked Sendable {
    struct Pending {
        enum Owner {
            case call(SFTPCall, index: Int)
            case bulk(any SFTPBulk, SFTPPart)
            case limits
        }

        let owner: Owner
        let sent: ContinuousClock.Instant
        /// How the request changes the number of open handles.
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
        /// Callers that wait until less is waiting to be sent.
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
        /// The shortest time from a request to its reply.
        var quickest: Duration?
    }

    let state = Mutex(State())
    let channel: any ByteChannel
    /// The channel's thread.
    let thread = OwningThread()
    /// How long a request may have no reply while later ones have theirs.
    let patience: Duration
    /// Counts the handles of all sessions, including this one.
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
    ///   - channel: A channel that was not started. It retains the session until it ends, at the latest by
    ///     ``end(with:)``.
    ///   - patience: How long a reply may take. The channel has its own limit for a silent server.
    ///   - room: Counts the handles of all sessions with the host.
    /// - Throws: `URLError(.cannotParseResponse)` if the server does not answer with SFTP; `URLError(.unsupportedURL)`
    ///   for another version; the error that ended the channel.
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

    /// The names that the server announced, including those that are not in ``SFTPExtension``.
    package var extensions: [String] { state.withLock { Array($0.extensions.keys) } }

    /// The server's limits. Known soon after ``open(over:patience:)``; before that, the limits that every server
    /// supports.
    package var limits: SFTPLimits { state.withLock { $0.limits } }

    /// The shortest time from a request to its reply, about one round trip; nil before the first reply.
    package var roundTrip: Duration? { state.withLock { $0.quickest } }

    /// The time since the last reply.
    package var silence: Duration { state.withLock { .now - $0.lastAnswer } }

    /// Why the session ended; nil while it is open.
    package var ending: (any Error)? { state.withLock { $0.ending } }

    /// Sends a request.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled: a sent request is completed all the same,
    ///   and a handle that arrives is closed. The error that ended the session.
    /// - Complexity: One round trip.
    package func send(_ request: SFTPRequest) async throws -> SFTPReply {
        // A call for one request has one reply.
        try await sendTogether([request])[0]
    }

    /// Sends requests one after the other, without waiting for replies in between.
    ///
    /// Servers may handle them in any order, except for those of one handle.
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

    /// Bytes that may be waiting to be sent before further callers wait.
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

    /// Sends requests. The replies are awaited through the returned call.
    ///
    /// - Parameter ticket: An admitted ticket of ``room`` for the openings among them. Openings without a ticket are
    ///   counted too.
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

    /// Called when a caller no longer waits for its replies. Removes unsent requests that only look or write bytes.
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

    /// Closes handles without waiting for the replies.
    package func close(_ handles: [SFTPHandle]) { _ = begin(handles.map { .close($0) }) }

    /// Ends the session and its channel. Unanswered requests fail with `error`.
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

    /// Called when a transfer has something to send again.
    func wake() { channel.wake() }

    /// A number for a packet of `bulk`, which will receive the reply.
    func register(_ bulk: any SFTPBulk, _ part: SFTPPart) -> UInt32 {
        state.withLock { $0.register(Pending(owner: .bulk(bulk, part), sent: .now)) }
    }

    /// The number of transfers that share the session.
    var sharers: Int { state.withLock { max(1, $0.bulks.count) } }
}
