import CSSH2
import FileProviderCore
import Foundation

/// A command on a separate channel.
///
/// Unchecked: it is created and handed to the connection's thread; what is not constant is used only there, which debug
/// builds check.
final class SSHCommandRun: @unchecked Sendable {
    let answer = SSHAnswer<SSHConnection.CommandResult>()
    private let limit: Int
    private let idle: Double
    private var steps: SSHChannelSteps
    private var stage = Stage.opening
    private var output: [UInt8] = []
    private var errors: [UInt8] = []
    private var quietSince = ContinuousClock.now
    /// Whether the caller no longer waits.
    var isAbandoned = false

    private enum Stage { case opening, closingInput, reading, closing, waiting }

    private static let maxErrorBytes = 4 << 10

    init(command: String, limit: Int, idle: Double) {
        self.limit = limit
        self.idle = idle
        steps = SSHChannelSteps(request: "exec", message: command)
    }

    var isOpen: Bool { steps.raw != nil }
    var raw: OpaquePointer? { steps.raw }
    var deadline: ContinuousClock.Instant { quietSince + .clamped(seconds: idle) }

    /// Continues as far as possible.
    ///
    /// - Returns: Whether the command has ended and the caller has its result.
    func turn(_ session: SSHSession, now: ContinuousClock.Instant) throws -> Bool {
        session.control.thread.assertIsCurrent()
        if deadline <= now { throw session.server.timedOut() }
        while true {
            switch stage {
            case .opening:
                guard try steps.turn(session) else { return false }
                (stage, quietSince) = (.closingInput, now)
            case .closingInput:
                guard try isThrough(libssh2_channel_send_eof(steps.raw), session: session) else { return false }
                stage = .reading
            case .reading:
                guard try read(session, now) else { return false }
                stage = .closing
            case .closing:
                guard try isThrough(libssh2_channel_close(steps.raw), session: session) else { return false }
                stage = .waiting
            case .waiting:
                guard try isThrough(libssh2_channel_wait_closed(steps.raw), session: session) else { return false }
                answer.give(.success((status: status(), output: output, errors: errors)))
                return true
            }
        }
    }

    private func isThrough(_ code: Int32, session: SSHSession) throws -> Bool {
        if code == LIBSSH2_ERROR_EAGAIN { return false }
        if code != 0 { throw session.failed(code) }
        return true
    }

    /// - Returns: Whether all output has arrived.
    private func read(_ session: SSHSession, _ now: ContinuousClock.Instant) throws -> Bool {
        let before = (output.count, errors.count)
        try read(stream: 0, session) { output += $0 }
        try read(stream: SSH_EXTENDED_DATA_STDERR, session) {
            errors += $0.prefix(max(0, Self.maxErrorBytes - errors.count))
        }
        guard output.count <= limit else {
            throw session.server.tooMuchOutput(limit)
        }
        if before != (output.count, errors.count) { quietSince = now }
        return libssh2_channel_eof(steps.raw) != 0
    }

    private func read(stream: Int32, _ session: SSHSession, _ take: (ArraySlice<UInt8>) -> Void) throws {
        var room = [UInt8](repeating: 0, count: 32 << 10)
        while output.count <= limit {
            let count = room.withUnsafeMutableBytes {
                libssh2_channel_read_ex(
                    steps.raw, stream, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
            }
            if count == Int(LIBSSH2_ERROR_EAGAIN) || count == 0 { return }
            if count < 0 { throw session.failed(Int32(count)) }
            take(room[..<count])
        }
    }

    /// The protocol gives a signal's name, not its number.
    private func status() -> Int32 {
        var name: UnsafeMutablePointer<CChar>?
        let isKilled = libssh2_channel_get_exit_signal(steps.raw, &name, nil, nil, nil, nil, nil) == 0 && name != nil
        return isKilled ? 128 : libssh2_channel_get_exit_status(steps.raw)
    }
}
