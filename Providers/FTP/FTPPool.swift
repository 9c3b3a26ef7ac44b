import CurlTransport
import FileProviderCore
import Foundation

/// Lends control connections, one caller to each, and keeps them: a login is not had for nothing, and servers count them.
final class FTPPool: Sendable {
    struct State {
        var idle: [FTPSession] = []
        /// Those lent, those idle, and those being opened.
        var count = 0
        /// Those whose transfer waits for its own sink or source, which may be another's of this pool: they do not count, or a download that
        /// feeds an upload would keep the connection that this one waits for.
        var held: Set<ObjectIdentifier> = []
        /// How many there may be in all: as many as the server takes.
        var cap: Int
        var limitedUntil: ContinuousClock.Instant?
        /// Whether somebody finds out whether the login is good; the others wait, or a wrong password would be tried many times.
        var isTrying = false
        var hasLoggedIn = false
        /// Why the last try failed, and how many did.
        var failure: (any Error)?
        var failures = 0
        var waiters: [FTPWaiter] = []
        var parked: [(id: ObjectIdentifier, evict: @Sendable () -> Void)] = []
        /// Those lent, and those being opened.
        var lent: [FTPSession] = []
        /// Counts the times that everything was closed.
        var closings = 0
        var isReaping = false
    }

    /// What a caller does next.
    private enum Step {
        case use(FTPSession)
        case open
        /// - Parameter failures: How many tries had failed before.
        case wait(FTPWaiter, failures: Int)
    }

    let state: Locked<State>
    private let most: Int
    private let patience: Duration
    private let open: @Sendable (_ begin: (FTPSession) -> Void) async throws -> FTPSession

    /// A server that took no more connections is asked for one more after so long.
    private static let relief = Duration.seconds(60)
    /// What was not used for so long is looked at before it is relied on.
    private static let trust = Duration.seconds(15)

    /// - Parameters:
    ///   - most: Connections at once.
    ///   - patience: How long a caller waits for one.
    ///   - open: Makes one that is logged in, and gives each that it makes to `begin` before anything is sent.
    init(most: Int, patience: Duration, open: @escaping @Sendable (_ begin: (FTPSession) -> Void) async throws -> FTPSession) {
        self.most = max(1, most)
        self.patience = patience
        self.open = open
        state = Locked(State(cap: 4 * max(1, most)))
    }

    /// Lends a connection to `body`; one that was lost meanwhile is not kept.
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

    /// A connection that nobody else has until it is given back.
    func take() async throws -> FTPSession {
        let deadline = ContinuousClock.now + patience
        let closings = state.value.closings
        while true {
            try Task.checkCancellation()
            if state.value.closings != closings { throw Self.closed() }
            switch next() {
            case .use(let session):
                if try await isGood(session, closings) { return session }
            case .open:
                do {
                    let session = try await open { begin($0, closings) }
                    opened()
                    return session
                } catch {
                    guard failedToOpen(error) else { throw error }
                }
            case .wait(let waiter, let failures):
                do { guard try await waiter.wait(until: deadline) else { throw Self.crowded() } } catch {
                    passOn(waiter)
                    throw error
                }
                if let session = waiter.given.value {
                    if try await isGood(session, closings) { return session }
                } else if let failure = state.value.failure(since: failures) {
                    // Whoever has waited for the first login has waited for its failure: a wrong password is not tried by everybody.
                    passOn(waiter)
                    throw failure
                }
            }
        }
    }

    private func next() -> Step {
        let (step, evict): (Step, (@Sendable () -> Void)?) = state.update { state in
            if let until = state.limitedUntil, until < .now {
                state.cap = min(4 * most, state.cap + 1)
                state.limitedUntil = state.cap < 4 * most ? .now + Self.relief : nil
            }
            if let session = state.idle.popLast() {
                state.lent.append(session)
                return (.use(session), nil)
            }
            if state.count - state.held.count < most, state.count < state.cap, state.hasLoggedIn || !state.isTrying {
                state.count += 1
                if !state.hasLoggedIn { state.isTrying = true }
                return (.open, nil)
            }
            let waiter = FTPWaiter()
            state.waiters.append(waiter)
            return (.wait(waiter, failures: state.failures), state.parked.isEmpty ? nil : state.parked.removeFirst().evict)
        }
        evict?()
        return step
    }

    /// Woken at the last moment, perhaps: then it is the next one's turn.
    private func passOn(_ waiter: FTPWaiter) {
        if let session = waiter.given.value { giveBack(session) } else { state.update { $0.wakeOne() } }
    }

    /// Whether a connection that was lent can be used; one that cannot is dropped.
    private func isGood(_ session: FTPSession, _ closings: Int) async throws -> Bool {
        let isAlive = await isAlive(session)
        if isAlive, state.value.closings == closings { return true }
        drop(session)
        if state.value.closings != closings { throw Self.closed() }
        return false
    }

    private func note(_ session: ObjectIdentifier, isHeld: Bool) {
        state.update { state in
            if !isHeld { state.held.remove(session) } else if state.held.insert(session).inserted { state.wakeOne() }
        }
    }

    /// One that is being opened is ended with those that are lent.
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

    /// Takes a connection back that ``take()`` gave.
    func giveBack(_ session: FTPSession) {
        guard session.isUsable else { return drop(session) }
        state.update { state in
            // To who has waited longest, and not past them to who comes next.
            while !state.waiters.isEmpty { if state.waiters.removeFirst().wake(giving: session) { return } }
            state.lent.removeAll { $0 === session }
            state.idle.append(session)
        }
        startReaping()
    }

    private func drop(_ session: FTPSession) {
        session.abort()
        state.update { state in
            state.lent.removeAll { $0 === session }
            state.held.remove(ObjectIdentifier(session))
            state.count -= 1
            state.wakeOne()
        }
    }

    private func opened() {
        state.update { state in
            state.isTrying = false
            state.lent.removeAll { $0.isAborted }
            if !state.hasLoggedIn {
                state.hasLoggedIn = true
                state.wakeAll()
            }
        }
    }

    /// True when the server merely takes no more connections than there are.
    private func failedToOpen(_ error: any Error) -> Bool {
        state.update { state in
            state.count -= 1
            state.isTrying = false
            state.lent.removeAll { $0.isAborted }
            if !state.hasLoggedIn, !error.isCancellation {
                state.failure = error
                state.failures += 1
                state.wakeAll()
                return false
            }
            defer { state.wakeOne() }
            guard state.hasLoggedIn, state.count > 0, Self.isCap(error) else { return false }
            state.cap = max(1, state.count)
            state.limitedUntil = .now + Self.relief
            return true
        }
    }

    private static func isCap(_ error: any Error) -> Bool {
        guard let code = (error as? FTPFailure)?.outcome.last?.code else { return false }
        return code == 421 || code == 530
    }

    private static func closed() -> URLError { FileError.make(.cancelled, url: nil, sentence: "The provider was closed.") }

    private static func crowded() -> URLError {
        // Not a time-out of the network's: whoever tries again waits as long again.
        FileError.make(
            .resourceUnavailable, url: nil, sentence: "All connections that the server allows are in use, and none became free in time.")
    }

    deinit {
        for session in state.value.idle { session.close() }
    }
}

extension FTPPool.State {
    /// Why nobody is logged in, where that was found out after so many failures.
    fileprivate func failure(since failures: Int) -> (any Error)? { hasLoggedIn || failures == self.failures ? nil : failure }

    mutating func wakeOne() {
        while !waiters.isEmpty { if waiters.removeFirst().wake() { return } }
    }

    mutating func wakeAll() {
        for waiter in waiters { _ = waiter.wake() }
        waiters = []
    }
}
