import CSSH2
import FileProviderCore
import Foundation

extension SSHLoop {
    /// Gives every channel a turn, starting with another one in each round.
    ///
    /// - Returns: Whether anything has moved.
    /// - Throws: The error that ends the whole connection.
    func turnAll(_ now: ContinuousClock.Instant) throws -> Bool {
        var hasMoved = false
        var over: [(channel: SSHChannel, error: any Error)] = []
        first = channels.isEmpty ? 0 : (first + 1) % channels.count
        for channel in channels[first...] + channels[..<first] {
            switch channel.turn(now) {
            case .moved: hasMoved = true
            case .idle: if let deadline = channel.deadline, deadline <= now { over.append((channel, try timeOut(now))) }
            case .over(let error): over.append((channel, error))
            }
            if let failure = session.failure { throw failure }
        }
        for (channel, error) in over { end(channel, error) }
        return hasMoved || !over.isEmpty
    }

    /// - Throws: The same error, if nothing has arrived at all: then the connection is dead.
    private func timeOut(_ now: ContinuousClock.Instant) throws -> URLError {
        let error = session.server.timedOut()
        if session.wire.lastReceived + .clamped(seconds: session.options.timeouts.idle) <= now { throw error }
        return error
    }

    /// Continues opening channels and running commands.
    ///
    /// - Returns: Whether one was opened, has ended or failed.
    func turnOthers(_ now: ContinuousClock.Instant) throws -> Bool {
        // libssh2 opens one at a time.
        var mayOpen = true
        let before = openings.count + commands.count
        openings = try openings.filter { opening in
            guard opening.isOpen || mayOpen else { return true }
            defer { mayOpen = mayOpen && opening.isOpen }
            return try !turn(opening, now)
        }
        commands = try commands.filter { run in
            guard run.isOpen || mayOpen else { return true }
            defer { mayOpen = mayOpen && run.isOpen }
            return try !turn(run, now)
        }
        return before != openings.count + commands.count
    }

    /// - Returns: Whether it is finished.
    private func turn(_ opening: SSHOpening, _ now: ContinuousClock.Instant) throws -> Bool {
        do {
            guard let channel = try opening.turn(session, now: now) else { return false }
            if opening.answer.give(.success(channel)) { channels.append(channel) } else { closing.append(channel.raw) }
        } catch {
            if let failure = session.failure { throw failure }
            if let raw = opening.raw { closing.append(raw) }
            opening.answer.give(.failure(error))
        }
        return true
    }

    private func turn(_ run: SSHCommandRun, _ now: ContinuousClock.Instant) throws -> Bool {
        do {
            guard try run.turn(session, now: now) || run.isAbandoned && run.isOpen else { return false }
        } catch {
            if let failure = session.failure { throw failure }
            run.answer.give(.failure(error))
        }
        if let raw = run.raw { closing.append(raw) }
        return true
    }

    /// The earliest time at which a wait is too long.
    func nextDeadline(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let all = channels.compactMap(\.deadline) + openings.compactMap(\.deadline) + commands.map(\.deadline)
        return all.min()
    }
}
