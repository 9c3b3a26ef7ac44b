import CSSH2
import FileProviderCore
import Foundation

/// Drives a connection's channels, on its thread only.
///
/// In each round every channel has a turn. If none moves, the thread sleeps until data arrives, there is room to send,
/// or a command is left.
final class SSHLoop {
    let session: SSHSession
    private let control: SSHControl
    var channels: [SSHChannel] = []
    var openings: [SSHOpening] = []
    var commands: [SSHCommandRun] = []
    /// libssh2's channels that this side has closed and the other side has not.
    var closing: [OpaquePointer] = []
    /// The channel with the first turn.
    var first = 0
    private var counted: (received: Int64, sent: Int64) = (0, 0)
    private var keepAlive: SSHKeepAlive

    /// `POLLRDHUP` of poll(2).
    private static let hangUp: Int16 = 0x2000

    init(_ session: SSHSession) {
        self.session = session
        control = session.control
        keepAlive = SSHKeepAlive(interval: session.options.keepAlive)
    }

    /// Runs until the connection ends, and then notifies all callers.
    func run() {
        control.thread.assertIsCurrent()
        do { while true { try round() } } catch is SSHExit {} catch { end(with: error) }
    }

    private func end(with error: any Error) {
        control.stop(error)
        takeCommands()
        session.disconnect()
        count()
        for opening in openings { opening.answer.give(.failure(error)) }
        for command in commands { command.answer.give(.failure(error)) }
        for channel in channels { channel.tell(error) }
        channels = []
    }

    private func round() throws {
        let now = ContinuousClock.now
        let before = session.wire.received
        takeCommands()
        session.wire.allowance = SSHSession.share
        session.wire.flush()
        var hasMoved = try turnOthers(now)
        if try turnAll(now) { hasMoved = true }
        closing.removeAll { libssh2_channel_free($0) != LIBSSH2_ERROR_EAGAIN }
        session.wire.flush()
        session.wire.note(now, since: before)
        hasMoved = hasMoved || session.wire.received != before
        // Only after everything that arrived before the end was read.
        session.wire.mayEnd = !hasMoved
        count()
        try endIfLost()
        if hasMoved { return try control.check() }
        let deadline = nextDeadline(now)
        let next = try stayAlive(now, isWaitedFor: deadline != nil)
        try wait([deadline, next].compactMap(\.self).min())
    }

    private func wait(_ deadline: ContinuousClock.Instant?) throws {
        // Without channels, arriving data is not needed.
        let takes = !(channels.isEmpty && openings.isEmpty && commands.isEmpty && closing.isEmpty)
        if !openings.isEmpty { session.wire.acknowledgeSoon() }
        let events = Self.hangUp | (takes ? Int16(POLLIN) : 0) | (session.wire.isFlushed ? 0 : Int16(POLLOUT))
        let seen = try control.wait(for: session.wire.socket, events: events, until: deadline)
        if !takes, seen & (Self.hangUp | Int16(POLLHUP) | Int16(POLLERR)) != 0 {
            throw session.server.lost(session.wire.lastWords)
        }
    }

    /// A connection's failure shows first in whichever channel meets it.
    private func endIfLost() throws {
        guard session.wire.hasEnded, session.wire.mayEnd else { return }
        throw session.server.lost(session.wire.lastWords, session.cause(LIBSSH2_ERROR_SOCKET_DISCONNECT))
    }

    /// - Returns: When to look again; nil while no channel is open, when replies are not read.
    private func stayAlive(_ now: ContinuousClock.Instant, isWaitedFor: Bool) throws -> ContinuousClock.Instant? {
        guard !channels.isEmpty else { return nil }
        switch keepAlive.step(now, lastReceived: session.wire.lastReceived, isWaitedFor: isWaitedFor) {
        case .wait(let due): return due
        case .giveUp: throw session.server.lost("it no longer answers")
        case .ask(let wantsAnswer):
            // libssh2's clock has whole seconds, so this loop measures the time.
            libssh2_keepalive_config(session.raw, wantsAnswer ? 1 : 0, 2)
            var next: Int32 = 0
            _ = libssh2_keepalive_send(session.raw, &next)
            session.wire.flush()
            return now
        }
    }

    private func count() {
        let wire = session.wire
        if wire.received > counted.received { session.options.counters.add(.bytesIn, wire.received - counted.received) }
        if wire.sent > counted.sent { session.options.counters.add(.bytesOut, wire.sent - counted.sent) }
        counted = (wire.received, wire.sent)
    }

    // MARK: Commands

    private func takeCommands() {
        for command in control.take() {
            switch command {
            case .open(let opening): openings.append(opening)
            case .run(let run): commands.append(run)
            case .start(let channel, let user): start(channel, user)
            case .end(let channel, let error): end(channel, error)
            case .abandon(let run): run.isAbandoned = true
            }
        }
    }

    private func start(_ channel: SSHChannel, _ user: any ByteChannelUser) {
        if let error = channel.earlyEnd { return user.ended(with: error) }
        channel.begin(user)
    }

    func end(_ channel: SSHChannel, _ error: any Error) {
        guard let index = channels.firstIndex(where: { $0 === channel }) else { return }
        channels.remove(at: index)
        closing.append(channel.raw)
        channel.tell(error)
    }
}
