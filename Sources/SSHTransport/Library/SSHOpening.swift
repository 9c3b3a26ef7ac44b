import CSSH2
import FileProviderCore

/// A channel that is being opened.
///
/// Unchecked: it is created and handed to the connection's thread; what is not constant is used only there, which debug
/// builds check.
final class SSHOpening: @unchecked Sendable {
    let answer = SSHAnswer<any ByteChannel>()
    private var steps: SSHChannelSteps
    private(set) var deadline: ContinuousClock.Instant?

    init(subsystem: String) {
        steps = SSHChannelSteps(request: "subsystem", message: subsystem)
    }

    var isOpen: Bool { steps.raw != nil }
    var raw: OpaquePointer? { steps.raw }

    /// Continues as far as possible. Returns the channel when it is open, and nil before.
    func turn(_ session: SSHSession, now: ContinuousClock.Instant) throws -> SSHChannel? {
        session.control.thread.assertIsCurrent()
        let limit = deadline ?? now + .clamped(seconds: session.options.timeouts.connect)
        deadline = limit
        if limit <= now { throw session.server.timedOut() }
        guard try steps.turn(session), let raw = steps.raw else { return nil }
        // Standard error is not part of the stream, and would fill the window.
        libssh2_channel_handle_extended_data2(raw, LIBSSH2_CHANNEL_EXTENDED_DATA_IGNORE)
        return SSHChannel(raw, of: session)
    }
}

/// Opens a channel and requests a program at its other end.
struct SSHChannelSteps {
    let request: String
    let message: String
    private(set) var raw: OpaquePointer?

    init(request: String, message: String) {
        self.request = request
        self.message = message
    }

    /// True once both are done.
    mutating func turn(_ session: SSHSession) throws -> Bool {
        if raw == nil {
            raw = libssh2_channel_open_ex(
                session.raw, "session", 7, UInt32(session.options.window), UInt32(LIBSSH2_CHANNEL_PACKET_DEFAULT), nil,
                0)
            guard raw != nil else {
                let code = libssh2_session_last_errno(session.raw)
                if code == LIBSSH2_ERROR_EAGAIN { return false }
                throw session.failed(code)
            }
        }
        let code = libssh2_channel_process_startup(
            raw, request, UInt32(request.utf8.count), message, UInt32(message.utf8.count))
        if code == LIBSSH2_ERROR_EAGAIN { return false }
        if code != 0 { throw session.failed(code) }
        return true
    }
}
