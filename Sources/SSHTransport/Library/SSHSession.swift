import CSSH2
import FileProviderCore
import Foundation

/// Owns a libssh2 session, on the connection's thread only. Source: libssh2_session_*(3).
final class SSHSession {
    let raw: OpaquePointer
    let wire: SSHWire
    let server: SSHServer
    let control: SSHControl
    let options: SSHOptions
    /// The error that ended the whole connection.
    private(set) var failure: URLError?

    /// Errors after which the other channels continue.
    private static let channelErrors = [
        LIBSSH2_ERROR_CHANNEL_FAILURE, LIBSSH2_ERROR_CHANNEL_REQUEST_DENIED, LIBSSH2_ERROR_CHANNEL_CLOSED,
        LIBSSH2_ERROR_CHANNEL_EOF_SENT,
        LIBSSH2_ERROR_REQUEST_DENIED,
    ]

    /// Bytes that libssh2 reads from the socket at once, few enough that decrypted bytes are still in the processor's
    /// cache when they are passed on.
    static let share = 256 << 10

    /// Connects, agrees on keys, and has the server's key checked.
    init(server: SSHServer, options: SSHOptions, control: SSHControl) throws {
        control.thread.assertIsCurrent()
        let deadline = ContinuousClock.now + .clamped(seconds: options.timeouts.connect)
        wire = SSHWire(
            socket: try SSHSocket(
                server: server, proxy: options.proxy, control: control, deadline: deadline, idle: options.timeouts.idle
            ).connect())
        guard let raw = wire.makeSession() else {
            throw FileError.make(.fileReadUnknown, path: "", sentence: "There is no memory for an SSH session.")
        }
        self.raw = raw
        self.server = server
        self.control = control
        self.options = options
        options.counters.add(.connections)
        libssh2_session_set_blocking(raw, 0)
        for (method, names) in SSHAlgorithms.preferences(knownHostKeys: options.hostKeyTypes) {
            try check(libssh2_session_method_pref(raw, method, names.joined(separator: ",")))
        }
        try check(perform(until: deadline) { libssh2_session_handshake(raw, wire.socket) })
        try checkHostKey()
    }

    deinit {
        // Makes libssh2 find a closed socket where it waits for the other side.
        wire.shut()
        for _ in 0..<1000 where libssh2_session_free(raw) != LIBSSH2_ERROR_EAGAIN { return }
    }

    /// Sends a disconnect message, as far as that is possible without waiting.
    func disconnect() {
        _ = libssh2_session_disconnect_ex(raw, SSH_DISCONNECT_BY_APPLICATION, "Bye", "")
        wire.flush()
    }

    private func checkHostKey() throws {
        var length = 0
        var type: Int32 = 0
        guard let bytes = libssh2_session_hostkey(raw, &length, &type),
            let key = HostKey(blob: UnsafeRawBufferPointer(start: bytes, count: length))
        else {
            throw FileError.make(.badServerResponse, url: server.url, sentence: "“\(server.host)” shows no host key.")
        }
        try options.checkHostKey(key)
    }

    /// The server's version text.
    var banner: String {
        libssh2_session_banner_get(raw).map { SSHText.line(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? ""
    }

    func method(_ number: Int32) -> String { libssh2_session_methods(raw, number).map { String(cString: $0) } ?? "" }

    // MARK: Steps

    /// Calls `step` until it has finished.
    ///
    /// - Returns: Its last result, which may be an error.
    /// - Throws: `URLError(.timedOut)`; what ``SSHControl/wait(for:events:until:)`` throws.
    func perform(until deadline: ContinuousClock.Instant, _ step: () -> Int32) throws -> Int32 {
        control.thread.assertIsCurrent()
        var deadline = deadline
        while true {
            let before = wire.received
            wire.allowance = Self.share
            let result = step()
            deadline += wire.takeTimeAway()
            wire.flush()
            if result != LIBSSH2_ERROR_EAGAIN { return result }
            if deadline <= .now { throw server.timedOut() }
            wire.acknowledgeSoon()
            let mayHaveMore = wire.allowance <= 0 && wire.received > before
            let events = Int16(POLLIN) | (wire.isFlushed ? 0 : Int16(POLLOUT))
            _ = try control.wait(for: wire.socket, events: events, until: mayHaveMore ? .now : deadline)
        }
    }

    func check(_ result: Int32) throws { if result != 0 { throw failed(result) } }

    /// libssh2's result as a Foundation error. Stored as ``failure`` unless it concerns one channel only.
    func failed(_ result: Int32) -> URLError {
        control.thread.assertIsCurrent()
        let error = server.error(cause(result), lastWords: wire.lastWords)
        if !Self.channelErrors.contains(result) { failure = failure ?? error }
        return error
    }

    func cause(_ result: Int32) -> SSHError {
        var text: UnsafeMutablePointer<CChar>?
        var length: Int32 = 0
        // The message of an earlier failure would mislead.
        let isOwn = libssh2_session_last_error(raw, &text, &length, 0) == result
        let words = text.map { SSHText.line(UnsafeRawBufferPointer(start: $0, count: Int(length))) } ?? ""
        return SSHError(code: Int(result), text: isOwn && !words.isEmpty ? words : "libssh2 error \(result)")
    }
}
