import FileProviderCore
import Foundation
import Synchronization

/// What the thread of a connection is told from outside.
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
        /// Why the connection is to end, or has.
        var end: (any Error)?
    }

    let event: WakeEvent
    /// The connection's, on which its session, its channels and what opens them are used.
    let thread = OwningThread()
    private let inbox = Mutex(Inbox())

    init() throws { event = try WakeEvent() }

    /// Leaves a command.
    ///
    /// - Throws: Why the connection has ended.
    func post(_ command: Command) throws {
        try inbox.withLock { inbox in
            if let end = inbox.end { throw end }
            inbox.commands.append(command)
        }
        event.signal()
    }

    /// Has the thread end; the first reason counts.
    func stop(_ error: any Error) {
        inbox.withLock { $0.end = $0.end ?? error }
        event.signal()
    }

    /// Why the connection is to end, or has; nil while it is to go on.
    var end: (any Error)? { inbox.withLock { $0.end } }

    func take() -> [Command] {
        inbox.withLock { inbox in
            defer { inbox.commands.removeAll() }
            return inbox.commands
        }
    }

    /// Waits for `socket`, as long as the connection is to go on.
    ///
    /// - Parameter events: As poll(2) has them; none to wait for the deadline alone.
    /// - Returns: What happened to the socket; none where the deadline came first or the thread was told something.
    /// - Throws: Why the connection is to end; ``SSHExit`` where the process ends.
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

    /// - Throws: Why the connection is to end; ``SSHExit`` where the process ends.
    func check() throws {
        if TransportThread.isExiting { throw SSHExit() }
        if let end { throw end }
    }
}

/// The process ends: nobody is told.
struct SSHExit: Error {}

/// Gives its value to one task, whichever of two threads brings one first.
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
