import Synchronization

/// Work that several tasks wait for, done once.
///
/// Each waiting task can be cancelled by itself. The owner of the flight counts users with ``join()`` and ``leave()``,
/// under the lock that guards the flight, and cancels it after the last one; ``LazyValue`` does that.
package final class SingleFlight<Value: Sendable>: Sendable {
    private struct State {
        var outcome: Result<Value, any Error>?
        var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
        var nextWaiter = 0
        var users = 0
        var work: Task<Void, Never>?
        var isCancelled = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Starts the work. The creator of the flight calls it, once.
    package func start(_ body: @escaping @Sendable () async throws -> Value) {
        let task = Task {
            do {
                finish(.success(try await body()))
            } catch {
                finish(.failure(error))
            }
        }
        let isCancelled = state.withLock { state in
            state.work = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    private func finish(_ outcome: Result<Value, any Error>) {
        let waiters = state.withLock { state in
            state.outcome = outcome
            state.work = nil
            defer { state.waiters = [:] }
            return state.waiters.values.map { $0 }
        }
        for waiter in waiters { waiter.resume(with: outcome) }
    }

    /// Adds a user.
    package func join() { state.withLock { $0.users += 1 } }

    /// Removes a user.
    ///
    /// - Returns: Whether no user is left.
    package func leave() -> Bool {
        state.withLock { state in
            state.users -= 1
            return state.users == 0
        }
    }

    /// Stops the work if it still runs.
    package func cancel() {
        let work = state.withLock { state in
            state.isCancelled = true
            return state.work
        }
        work?.cancel()
    }

    /// Returns the result of the work.
    ///
    /// - Throws: The error of the work; `CancellationError` at once when the calling task is cancelled.
    package func value() async throws -> Value {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known: Result<Value, any Error>? = state.withLock { state in
                    if let outcome = state.outcome { return outcome }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters[id] = continuation
                    return nil
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }
}
