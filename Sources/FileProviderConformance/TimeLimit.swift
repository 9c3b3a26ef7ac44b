import Synchronization

/// Bounds work that may never end, even if it ignores cancellation.
enum TimeLimit {
    /// Runs `body` for at most `limit`; then cancels and abandons it. Cancelling the caller cancels `body`.
    static func run<Value: Sendable>(
        _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) async -> Result<Value, any Error> {
        // Not a task group, which would wait at its end for the work that does not end.
        let race = Race<Value>()
        let work = Task {
            do { race.settle(.success(try await body())) } catch { race.settle(.failure(error)) }
        }
        let clock = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            race.settle(.failure(Unmet("Expected an end within \(limit), but it did not end.")))
            work.cancel()
        }
        let result = await withTaskCancellationHandler {
            await race.result()
        } onCancel: {
            work.cancel()
        }
        clock.cancel()
        return result
    }
}

/// The first of several results.
private final class Race<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiter: CheckedContinuation<Result<Value, any Error>, Never>?
    }

    private let state = Mutex(State())

    func settle(_ result: Result<Value, any Error>) {
        let waiter = state.withLock { state in
            guard state.result == nil else { return CheckedContinuation<Result<Value, any Error>, Never>?.none }
            state.result = result
            return state.waiter.take()
        }
        waiter?.resume(returning: result)
    }

    /// Awaited once.
    func result() async -> Result<Value, any Error> {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.waiter = continuation }
                return state.result
            }
            if let result { continuation.resume(returning: result) }
        }
    }
}
