import CSSH2
import FileProviderCore
import Foundation

/// One channel of a connection.
///
/// Unchecked: everything but constants is used only on the connection's thread, which debug builds check.
final class SSHChannel: ByteChannel, @unchecked Sendable {
    /// The result of a turn on the connection's thread.
    enum Turn {
        case moved, idle
        case over(any Error)
    }

    private let control: SSHControl
    let raw: OpaquePointer
    private unowned let session: SSHSession
    private(set) var user: (any ByteChannelUser)?
    /// When the user began to wait without progress.
    private var quietSince = ContinuousClock.now
    /// Why the channel ended before it began.
    private(set) var earlyEnd: (any Error)?

    /// Bytes of one channel in each direction before another channel has its turn.
    private static let share = 1 << 20

    init(_ raw: OpaquePointer, of session: SSHSession) {
        self.raw = raw
        self.session = session
        control = session.control
    }

    // MARK: From any thread

    func start(_ user: any ByteChannelUser) {
        do { try control.post(.start(self, user)) } catch {
            // The thread has ended or is about to, so no other thread calls the user.
            user.ended(with: error)
        }
    }

    func wake() { control.event.signal() }

    func end(with error: any Error) { try? control.post(.end(self, error)) }

    // MARK: On the connection's thread

    func begin(_ user: any ByteChannelUser) {
        control.thread.assertIsCurrent()
        self.user = user
        quietSince = .now
    }

    /// libssh2's channel was freed.
    func tell(_ error: any Error) {
        control.thread.assertIsCurrent()
        earlyEnd = earlyEnd ?? error
        user.take()?.ended(with: error)
    }

    /// Moves what can be moved without waiting.
    func turn(_ now: ContinuousClock.Instant) -> Turn {
        control.thread.assertIsCurrent()
        guard let user else { return drain() }
        do {
            let hasReceived = try receive(user)
            let hasSent = try send(user)
            if hasReceived || hasSent || !user.isWaiting { quietSince = now }
            return hasReceived || hasSent ? .moved : .idle
        } catch {
            return .over(error)
        }
    }

    /// The time at which the wait is too long, if nothing moves until then; nil if the user is not waiting.
    var deadline: ContinuousClock.Instant? {
        guard let user, user.isWaiting else { return nil }
        return quietSince + .clamped(seconds: session.options.timeouts.idle)
    }

    private func receive(_ user: any ByteChannelUser) throws -> Bool {
        var total = 0
        while total < Self.share {
            let room = user.roomToReceive()
            if room.isEmpty {
                quietSince = .now
                if total == 0, case .over(let error) = drain() { throw error }
                break
            }
            let count = libssh2_channel_read_ex(
                raw, 0, room.baseAddress?.assumingMemoryBound(to: CChar.self), min(room.count, Self.share))
            if count == Int(LIBSSH2_ERROR_EAGAIN) { break }
            if count < 0 { throw session.failed(Int32(count)) }
            if count == 0 {
                if libssh2_channel_eof(raw) != 0 { throw ended() }
                break
            }
            try user.received(count)
            total += count
        }
        return total > 0
    }

    private func send(_ user: any ByteChannelUser) throws -> Bool {
        var total = 0
        while total < Self.share, session.wire.isFlushed {
            let bytes = try user.bytesToSend()
            if bytes.isEmpty { break }
            let count = libssh2_channel_write_ex(
                raw, 0, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
            if count == Int(LIBSSH2_ERROR_EAGAIN) || count == 0 { break }
            if count < 0 { throw session.failed(Int32(count)) }
            user.sent(count)
            total += count
        }
        return total > 0
    }

    /// Lets libssh2 read what has arrived into its own memory, up to the windows, because it may be for other channels.
    private func drain() -> Turn {
        let count = libssh2_channel_read_ex(raw, 0, nil, 0)
        return count < 0 && count != Int(LIBSSH2_ERROR_EAGAIN) ? .over(session.failed(Int32(count))) : .idle
    }

    private func ended() -> URLError {
        let status = libssh2_channel_get_exit_status(raw)
        let host = session.server.host
        return FileError.make(
            .networkConnectionLost, url: session.server.url,
            sentence: status == 0
                ? "“\(host)” ended the channel." : "“\(host)” ended the channel with status \(status).")
    }
}
