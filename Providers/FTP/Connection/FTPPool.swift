import CurlTransport
import FileProviderCore
import Foundation

/// Lends control connections to one caller at a time and keeps them open, because a login takes time and servers limit
/// the number of connections.
final class FTPPool: Sendable {
    /// A caller's next step.
    private enum Step {
        case use(FTPSession)
        case open
        /// - Parameter failures: The number of failed tries before the wait.
        case wait(FTPWaiter, failures: Int)
    }

    let state: LockedValue<State>
    private let maxCount: Int
    private let patience: Duration
    private let relief: Duration
    private let open: @Sendable (_ isAlone: Bool, _ begin: (FTPSession) -> Void) async throws -> FTPSession

    /// A connection that was unused for this long is checked before it is lent.
    private static let trust = Duration.seconds(15)
    /// A server may count a closed connection for `farewell`. During that time, it is asked again after `pause`.
    private static let (farewell, pause) = (Duration.seconds(5), Duration.milliseconds(500))

    /// - Parameters:
    ///   - maxCount: The maximum number of connections.
    ///   - patience: How long a caller waits while no bytes move on the lent connections and none is given back.
    ///   - relief: The time after which a server that refused another connection is asked again.
    ///   - open: Opens a connection and logs in. Passes each connection to `begin` before it sends anything. `isAlone`
    ///     is true if there is no other connection.
    init(
        maxCount: Int, patience: Duration, relief: Duration = .seconds(60),
        open: @escaping @Sendable (_ isAlone: Bool, _ begin: (FTPSession) -> Void) async throws -> FTPSession
    ) {
        self.maxCount = max(1, maxCount)
        self.patience = patience
        self.relief = relief
        self.open = open
        state = LockedValue(State(cap: 4 * max(1, maxCount)))
    }

    /// Lends a connection to `body`. A connection that was lost meanwhile is not kept.
    func withSession<Value: Sendable>(_ body: (FTPSession) async throws -> Value) async throws -> Value {
        let session = try await take()
        do {
            let value = try await body(session)
            giveBack(session)
            return value
        } catch {
            giveBack(session)
            throw error
        }
    }

    /// Like ``withSession(_:)``, for uploads. Leaves one connection for the readers of the sources.
    ///
    /// - Parameter mayGiveWay: Whether the upload can be restarted. If all connections are uploads that wait for their
    ///   sources, and another caller waits for a connection, one such upload is ended.
    /// - Throws: ``FTPGaveWay`` if this upload was ended.
    func withUpload<Value: Sendable>(
        mayGiveWay: Bool, _ body: @escaping @Sendable (FTPSession) async throws -> Value
    ) async throws -> Value {
        let session = try await take(forUpload: true)
        let id = ObjectIdentifier(session)
        let task = Task { try await body(session) }
        if mayGiveWay { state.update { $0.uploads[id]?.end = { task.cancel() } } }
        do {
            let value = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            giveBack(session)
            return value
        } catch {
            let gaveWay = state.value.uploads[id]?.isEnding == true
            giveBack(session)
            if gaveWay, !Task.isCancelled { throw FTPGaveWay() }
            throw error
        }
    }

    /// Takes a connection for exclusive use until ``giveBack(_:)``.
    func take(forUpload isUpload: Bool = false) async throws -> FTPSession {
        let asked = ContinuousClock.now
        let closings = state.value.closings
        while true {
            try Task.checkCancellation()
            if state.value.closings != closings { throw Self.closed() }
            switch next(isUpload) {
            case .use(let session):
                if try await isGood(session, closings) { return session }
            case .open:
                do {
                    let session = try await open(state.value.count == 1) { self.begin($0, closings) }
                    opened(session, isUpload)
                    return session
                } catch {
                    guard failedToOpen(error, isUpload: isUpload) else { throw error }
                }
            case .wait(let waiter, let failures):
                do {
                    guard try await waiter.wait(until: { self.deadline(since: asked) }) else { throw Self.crowded() }
                } catch {
                    passOn(waiter)
                    throw error
                }
                if let session = waiter.given.value {
                    if try await isGood(session, closings) { return session }
                } else if let failure = state.value.failure(since: failures) {
                    // The callers that waited for the first login share its failure, so that a wrong password is sent
                    // only once.
                    passOn(waiter)
                    throw failure
                }
            }
        }
    }

    /// The end of a caller's patience. It moves on while the lent connections make progress.
    private func deadline(since begin: ContinuousClock.Instant) -> ContinuousClock.Instant {
        let state = state.value
        return (state.lent.map(\.lastMove) + [begin, state.lastReturn ?? begin]).reduce(begin, max) + patience
    }

    private func next(_ isUpload: Bool) -> Step {
        let isRelieved = state.value.limitedUntil.map { $0 <= .now } ?? false
        let (step, evict): (Step, (@Sendable () -> Void)?) = state.update { state in
            if let until = state.limitedUntil, until <= .now {
                state.cap = min(4 * maxCount, state.cap + 1)
                state.limitedUntil = state.cap < 4 * maxCount ? .now + relief : nil
            }
            let isAllowed = state.mayLend(forUpload: isUpload)
            if isAllowed, let session = state.idle.popLast() {
                state.lend(session, forUpload: isUpload)
                return (.use(session), nil)
            }
            if isAllowed, state.count - state.held.count < maxCount, state.count < state.cap,
                state.hasLoggedIn || !state.isTrying
            {
                state.count += 1
                if isUpload { state.openingUploads += 1 }
                if !state.hasLoggedIn { state.isTrying = true }
                return (.open, nil)
            }
            // A caller that was woken but may not have a connection now passes the wake-up on.
            if !isAllowed, !state.idle.isEmpty || state.count < state.cap { state.wakeOne() }
            let waiter = FTPWaiter(isUpload: isUpload)
            state.waiters.append(waiter)
            let evict = !isAllowed ? nil : state.parked.isEmpty ? state.endUpload() : state.parked.removeFirst().evict
            return (.wait(waiter, failures: state.failures), evict)
        }
        evict?()
        if isRelieved { relieve() }
        return step
    }

    /// If the waiter was woken just before it gave up, passes its turn to the next.
    private func passOn(_ waiter: FTPWaiter) {
        state.update { state in state.waiters.removeAll { $0 === waiter } }
        if let session = waiter.given.value { giveBack(session) } else { state.update { $0.wakeOne() } }
    }

    /// Whether a lent connection can be used. Drops it if not.
    private func isGood(_ session: FTPSession, _ closings: Int) async throws -> Bool {
        let isAlive = await isAlive(session)
        if isAlive, state.value.closings == closings { return true }
        drop(session)
        if state.value.closings != closings { throw Self.closed() }
        return false
    }

    private func note(_ session: ObjectIdentifier, isHeld: Bool) {
        let end: (@Sendable () -> Void)? = state.update { state in
            guard isHeld ? state.held.insert(session).inserted : state.held.remove(session) != nil else { return nil }
            if state.count < state.cap || !state.idle.isEmpty { state.wakeOne() }
            return isHeld ? state.endUpload() : nil
        }
        end?()
    }

    /// Lists a connection that is being opened among the lent ones, so that ``closeAll()`` ends it too.
    private func begin(_ session: FTPSession, _ closings: Int) {
        let id = ObjectIdentifier(session)
        session.whenHeld { [weak self] in self?.note(id, isHeld: $0) }
        let isWanted = state.update { state in
            state.lent.append(session)
            return state.closings == closings
        }
        if !isWanted { session.abort() }
    }

    private func isAlive(_ session: FTPSession) async -> Bool {
        guard session.isUsable else { return false }
        if session.idleTime < Self.trust { return true }
        return (try? await session.send([FTPCommand("NOOP")])["NOOP"]) != nil
    }

    /// Accepts a connection that ``take(forUpload:)`` lent.
    func giveBack(_ session: FTPSession) {
        guard session.isUsable else { return drop(session) }
        state.update { state in
            state.takeBack(session)
            // To the waiter that has waited longest, and not to a caller that comes later.
            while let waiter = state.nextWaiter() {
                if waiter.wake(giving: session) { return state.lend(session, forUpload: waiter.isUpload) }
            }
            state.idle.append(session)
        }
        startReaping()
    }

    private func drop(_ session: FTPSession) {
        session.abort()
        state.update { state in
            state.takeBack(session)
            state.count -= 1
            state.lastDrop = .now
            state.wakeOne()
        }
    }

    private func opened(_ session: FTPSession, _ isUpload: Bool) {
        state.update { state in
            state.isTrying = false
            state.lent.removeAll { $0.isAborted }
            if isUpload {
                state.openingUploads -= 1
                state.uploads[ObjectIdentifier(session)] = Upload()
            }
            if !state.hasLoggedIn {
                state.hasLoggedIn = true
                state.wakeAll()
            }
        }
    }

    /// Returns true if the server only refuses more connections than there are.
    private func failedToOpen(_ error: any Error, isUpload: Bool) -> Bool {
        let isCap = state.update { state in
            state.count -= 1
            if isUpload { state.openingUploads -= 1 }
            state.isTrying = false
            state.lent.removeAll { $0.isAborted }
            // A password that was accepted once and is refused now is also tried by one caller alone.
            if state.count == 0, FTPAccess.isRefusal(error) { state.hasLoggedIn = false }
            if !state.hasLoggedIn, !error.isCancellation {
                state.failure = error
                state.failures += 1
                state.wakeAll()
                return false
            }
            defer { state.wakeOne() }
            guard state.hasLoggedIn, state.count > 0, Self.isCap(error) else { return false }
            state.cap = max(1, state.count)
            let hasDropped = state.lastDrop.map { .now - $0 < Self.farewell } ?? false
            state.limitedUntil = .now + (hasDropped ? min(relief, Self.pause) : relief)
            return true
        }
        relieve()
        return isCap
    }

    private static func isCap(_ error: any Error) -> Bool {
        guard let code = (error as? FTPFailure)?.outcome.last?.code else { return false }
        return code == 421 || code == 530
    }

    private static func closed() -> URLError {
        FileError.make(.cancelled, url: nil, sentence: "The provider was closed.")
    }

    private static func crowded() -> URLError {
        // Not `timedOut`, which would be retried: a retry would wait as long again.
        FileError.make(
            .resourceUnavailable, url: nil,
            sentence: "All connections that the server allows are in use, and none became free in time.")
    }

    deinit {
        for session in state.value.idle { session.close() }
    }
}
