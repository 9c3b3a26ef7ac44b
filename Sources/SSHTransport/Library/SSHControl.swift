import FileProviderCore
import Foundation
import Synchronization

/// Carries commands from other threads to a connection's thread.
final class SSHControl: Sendable {
    enum Command: Sendable {
        case open(SSHOpening)
        case run(SSHCommandRun)
        case start(SSHChannel, any ByteChannelUser)
        case end(SSHChannel, any Error)
        case abandon(SSHCommandRun)
    }

    private struct Inbox {
        var commands: [Command] = []
        /// Why the connection is to end or has ended.
        var end: (any Error)?
    }

    let event: WakeEvent
    /// The connection's thread, on which its session, its channels and their openings are used.
    let thread = OwningThread()
    private let inbox = Mutex(Inbox())

    init() throws { event = try WakeEvent() }

    /// Leaves a command for the thread.
    ///
    /// - Throws: The reason if the connection has ended.
    func post(_ command: Command) throws {
        try inbox.withLock { inbox in
            if let end = inbox.end { throw end }
            inbox.commands.append(command)
        }
        event.signal()
    }

    /// Tells the thread to end. The first reason counts.
    func stop(_ error: any Error) {
        inbox.withLock { $0.end = $0.end ?? error }
        event.signal()
    }

    /// Why the connection is to end or has ended; nil while it continues.
    var end: (any Error)? { inbox.withLock { $0.end } }

    func take() -> [Command] {
        inbox.withLock { inbox in
            defer { inbox.commands.removeAll() }
            return inbox.commands
        }
    }

    /// Waits for `socket`, while the connection continues.
    ///
    /// - Parameter events: The events of poll(2); none to wait only for the deadline.
    /// - Returns: The socket's events; none if the deadline was reached or a command was left.
    /// - Throws: The reason if the connection is to end; ``SSHExit`` if the process exits.
    func wait(for socket: Int32, events: Int16, until deadline: ContinuousClock.Instant?) throws -> Int16 {
        var entries = [
            pollfd(fd: socket, events: events, revents: 0),
            pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&entries, 2, deadline?.millisecondsLeft ?? -1)
        event.clear()
        try check()
        return count > 0 ? entries[0].revents : 0
    }

    /// - Throws: The reason if the connection is to end; ``SSHExit`` if the process exits.
    func check() throws {
        if TransportThread.isExiting { throw SSHExit() }
        if let end { throw end }
    }
}

/// Thrown when the process exits. No caller is notified then.
struct SSHExit: Error {}

/// Passes a value to one task. Two threads may try; the first one counts.
final class SSHAnswer<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        var early: Result<Value, any Error>?
        var isGiven = false
    }

    private let state = Mutex(State())

    func ask(_ continuation: CheckedContinuation<Value, any Error>) {
        let early = state.withLock { state in
            if state.early == nil { state.continuation = continuation }
            return state.early.take()
        }
        if let early { continuation.resume(with: early) }
    }

    /// - Returns: Whether this was the first call, which counts.
    @discardableResult
    func give(_ result: Result<Value, any Error>) -> Bool {
        let (isFirst, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Value, any Error>?) in
            if state.isGiven { return (false, nil) }
            state.isGiven = true
            if state.continuation == nil { state.early = result }
            return (true, state.continuation.take())
        }
        continuation?.resume(with: result)
        return isFirst
    }
}
