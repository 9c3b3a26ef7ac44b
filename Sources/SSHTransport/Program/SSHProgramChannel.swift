package import FileProviderCore
import Foundation
import Synchronization

/// A channel over the ssh program's standard input and output.
package final class SSHProgramChannel: ByteChannel {
    private struct State {
        /// Why the channel is to end or has ended.
        var end: (any Error)?
        var outcome: (status: Int32?, errors: [UInt8])?
    }

    private let program: SSHProgram
    private let arguments: [String]
    private let hasInput: Bool
    private let event: WakeEvent
    private let state = Mutex(State())

    /// A channel to a subsystem. ``start(_:)`` starts the program; its failure ends the channel.
    ///
    /// - Throws: `URLError(.badURL)` for an invalid host or user.
    package convenience init(_ program: SSHProgram, subsystem: String) throws {
        try self.init(program, arguments: program.arguments(subsystem: subsystem), hasInput: true)
    }

    init(_ program: SSHProgram, arguments: [String], hasInput: Bool) throws {
        // exit(3) runs handlers in reverse order: OpenSSL's must run after the one that ends our threads.
        try SSHLibrary.start()
        self.program = program
        self.arguments = arguments
        self.hasInput = hasInput
        event = try WakeEvent()
    }

    package func start(_ user: any ByteChannelUser) {
        do {
            try TransportThread.start(name: "carrel.sshpipe", wake: event.signal) { [self] thread in
                run(user)
                thread.end()
            }
        } catch {
            end(with: error)
            user.ended(with: error)
        }
    }

    package func wake() { event.signal() }

    package func end(with error: any Error) {
        state.withLock { $0.end = $0.end ?? error }
        event.signal()
    }

    /// How the program ended; nil if it runs, or if this side ended it.
    var outcome: (status: Int32?, errors: [UInt8])? { state.withLock { $0.outcome } }

    // MARK: On the thread

    private func run(_ user: any ByteChannelUser) {
        Self.ignorePipeSignals()
        let error: any Error
        do {
            if let end = state.withLock({ $0.end }) { throw end }
            let path = try program.path()
            let isForNew = arguments.contains(SSHProgram.noKnownHostsCommand)
            let known = isForNew ? SSHProgramVersion.of(path)?.known(arguments) ?? arguments : arguments
            let child = try Subprocess(path: path, arguments: known)
            program.counters.add(.connections)
            if !hasInput { child.closeInput() }
            var pump = SSHPipePump(child: child, user: user, program: program, event: event)
            try pump.run { state.withLock { $0.end } }
            // The program has closed its output, and its exit status follows in a moment.
            let status = child.end(after: 2)
            state.withLock { $0.outcome = (status, child.complaints) }
            error = program.error(status: status, errors: child.complaints, hasReceived: pump.hasReceived)
        } catch is SSHExit {
            return
        } catch let failure {
            error = failure
        }
        end(with: error)
        user.ended(with: state.withLock { $0.end } ?? error)
    }

    /// Writing to a program that has ended fails with EPIPE; the signal would end this process.
    private static func ignorePipeSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

/// Moves bytes between a child's pipes and a channel's user; on the channel's thread.
struct SSHPipePump {
    private let child: Subprocess
    private let user: any ByteChannelUser
    private let program: SSHProgram
    private let event: WakeEvent
    private var quietSince = ContinuousClock.now
    private var isFull = false
    /// Whether the other side has sent anything.
    private(set) var hasReceived = false

    /// Bytes in one direction before the other direction has its turn.
    private static let share = 1 << 20

    init(child: Subprocess, user: any ByteChannelUser, program: SSHProgram, event: WakeEvent) {
        self.child = child
        self.user = user
        self.program = program
        self.event = event
    }

    /// Returns once the child has closed its output.
    ///
    /// - Throws: The error in `end`; the user's error; `URLError(.timedOut)`; ``SSHExit``.
    mutating func run(end: () -> (any Error)?) throws {
        while true {
            if TransportThread.isExiting { throw SSHExit() }
            if let error = end() { throw error }
            let (received, isOver) = try receive()
            if isOver { return }
            let sent = try send()
            child.listen()
            program.counters.add(.bytesIn, Int64(received))
            program.counters.add(.bytesOut, Int64(sent.count))
            if received + sent.count > 0 || isFull || !user.isWaiting { quietSince = .now }
            var deadline: ContinuousClock.Instant?
            if user.isWaiting, !isFull {
                let limit = quietSince + .clamped(seconds: program.timeouts.idle)
                if limit <= .now { throw program.server.timedOut() }
                deadline = limit
            }
            wait(until: received + sent.count > 0 ? .now : deadline, isBlocked: sent.isBlocked)
        }
    }

    private mutating func receive() throws -> (count: Int, isOver: Bool) {
        var total = 0
        isFull = false
        while total < Self.share {
            let room = user.roomToReceive()
            if room.isEmpty {
                isFull = true
                break
            }
            let count = read(child.output, room.baseAddress, min(room.count, Self.share))
            if count == 0 { return (total, true) }
            if count > 0 {
                try user.received(count)
                hasReceived = true
                total += count
            } else if errno == EAGAIN {
                break
            } else if errno != EINTR {
                return (total, true)
            }
        }
        return (total, false)
    }

    private func send() throws -> (count: Int, isBlocked: Bool) {
        var total = 0
        while total < Self.share, child.input >= 0 {
            let bytes = try user.bytesToSend()
            if bytes.isEmpty { break }
            let count = write(child.input, bytes.baseAddress, min(bytes.count, Self.share))
            if count > 0 {
                user.sent(count)
                total += count
            } else if errno == EAGAIN {
                return (total, true)
            } else if errno != EINTR {
                // It no longer reads. Its remaining output comes first, and then the reason.
                child.closeInput()
            }
        }
        return (total, false)
    }

    private func wait(until deadline: ContinuousClock.Instant?, isBlocked: Bool) {
        var entries = [
            pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: isFull ? -1 : child.output, events: Int16(POLLIN), revents: 0),
            pollfd(fd: isBlocked ? child.input : -1, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: child.errors, events: Int16(POLLIN), revents: 0),
        ]
        poll(&entries, UInt(entries.count), deadline?.millisecondsLeft ?? -1)
        event.clear()
    }
}
