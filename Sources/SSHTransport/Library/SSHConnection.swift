import CSSH2
package import FileProviderCore
import Foundation

/// One connection to an SSH server by libssh2, with its channels, driven by a dedicated thread.
///
/// It ends with ``close()`` or when its last reference is released. Its channels don't retain it.
package final class SSHConnection: Sendable {
    /// The algorithms agreed with the server.
    package struct Agreement: Sendable {
        /// The server's version text, such as `SSH-2.0-OpenSSH_9.2`.
        package let serverVersion: String
        package let keyExchange: String
        package let hostKey: String
        /// From this side and to it, and the MACs beside them.
        package let ciphers: [String]
        package let macs: [String]
    }

    package let server: SSHServer
    package let agreement: Agreement
    private let control: SSHControl
    private let options: SSHOptions

    init(_ session: SSHSession) {
        server = session.server
        control = session.control
        options = session.options
        agreement = Agreement(
            serverVersion: session.banner, keyExchange: session.method(LIBSSH2_METHOD_KEX),
            hostKey: session.method(LIBSSH2_METHOD_HOSTKEY),
            ciphers: [session.method(LIBSSH2_METHOD_CRYPT_CS), session.method(LIBSSH2_METHOD_CRYPT_SC)],
            macs: [session.method(LIBSSH2_METHOD_MAC_CS), session.method(LIBSSH2_METHOD_MAC_SC)])
    }

    deinit {
        control.stop(server.closed())
    }

    /// Connects and logs in: about seven round trips with a password, one more with a key.
    ///
    /// - Throws: `URLError` for a failed connection, `.userAuthenticationRequired` for a refused login;
    ///   ``SSHProxyRefusal`` if a proxy requires a login; the error of ``SSHOptions/checkHostKey``;
    ///   `CancellationError`, at once, when the task is cancelled.
    package static func connect(to server: SSHServer, login: SSHLogin, options: SSHOptions) async throws
        -> SSHConnection
    {
        try SSHLibrary.start()
        let control = try SSHControl()
        let answer = SSHAnswer<SSHConnection>()
        // Removed by the thread, which would otherwise keep the secrets as long as it runs.
        let login = LockedValue<SSHLogin?>(login)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                answer.ask(continuation)
                do {
                    try TransportThread.start(name: "carrel.ssh", wake: control.event.signal) { thread in
                        run(on: thread, to: server, login: login, options: options, control: control, answer: answer)
                    }
                } catch {
                    answer.give(.failure(error))
                }
            }
        } onCancel: {
            // The thread may be in a call that cannot be interrupted.
            control.stop(CancellationError())
            answer.give(.failure(CancellationError()))
        }
    }

    private static func run(
        on thread: TransportThread, to server: SSHServer, login: LockedValue<SSHLogin?>, options: SSHOptions,
        control: SSHControl,
        answer: SSHAnswer<SSHConnection>
    ) {
        do {
            if let end = control.end { throw end }
            let session = try SSHSession(server: server, options: options, control: control)
            if let login = login.update({ $0.take() }) { try session.logIn(login) }
            let loop = SSHLoop(session)
            answer.give(.success(SSHConnection(session)))
            loop.run()
        } catch is SSHExit {
        } catch {
            control.stop(error)
            answer.give(.failure(error))
        }
        thread.end()
    }

    /// Why the connection has ended; nil while it is open.
    package var end: (any Error)? { control.end }

    /// Opens a channel to a subsystem in two round trips. Several channels can be open at once.
    ///
    /// - Throws: `URLError(.resourceUnavailable)` if the server refuses; the error that ended the connection;
    ///   `CancellationError`, at once.
    package func channel(subsystem: String) async throws -> any ByteChannel {
        let opening = SSHOpening(subsystem: subsystem)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                opening.answer.ask(continuation)
                do { try control.post(.open(opening)) } catch { opening.answer.give(.failure(error)) }
            }
        } onCancel: {
            // libssh2 finishes what it has begun; the channel is then closed.
            opening.answer.give(.failure(CancellationError()))
        }
    }

    /// The result of a command.
    package typealias CommandResult = (status: Int32, output: [UInt8], errors: [UInt8])

    /// Runs a command in the account's shell, without input.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes of output. Of standard error, the first 4 KiB are kept.
    ///   - idle: Seconds that the command may be silent; nil for the connection's limit.
    /// - Returns: The exit status; 128 or more if a signal ended the command.
    /// - Throws: `URLError(.dataLengthExceedsMaximum)` for more output, `.timedOut`; as ``channel(subsystem:)``.
    package func run(_ command: String, limit: Int, idle: Double? = nil) async throws -> CommandResult {
        let run = SSHCommandRun(command: command, limit: limit, idle: idle ?? options.timeouts.idle)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                run.answer.ask(continuation)
                do { try control.post(.run(run)) } catch { run.answer.give(.failure(error)) }
            }
        } onCancel: {
            run.answer.give(.failure(CancellationError()))
            try? control.post(.abandon(run))
        }
    }

    /// Ends the connection and its channels with `URLError(.cancelled)`. Returns without waiting.
    package func close() { control.stop(server.closed()) }
}
