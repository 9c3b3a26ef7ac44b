import Foundation

/// Lets a thread that may block wait for asynchronous work, one piece after the other, for libraries that request bytes
/// by callbacks.
///
/// Never use it on Swift's shared threads, which the work needs.
package final class TaskWait: Sendable {
    private struct State: Sendable {
        var isCancelled = false
        var underWay: (task: Task<Void, Never>, done: DispatchSemaphore)?
    }

    private let state = LockedValue(State())

    package init() {}

    /// Runs `body` in a task and waits for it.
    ///
    /// - Parameter isCancelled: Called every 50 ms, for a thread that learns of a cancellation only by a flag. If it
    ///   returns true, the task is cancelled.
    /// - Throws: The error of `body`; `CancellationError` after ``cancel()``, which does not wait for `body` to end.
    package func value<Value: Sendable>(
        isCancelled: (() -> Bool)? = nil, of body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let result = LockedValue<Result<Value, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let task = Task {
            do {
                let value = try await body()
                result.update { $0 = .success(value) }
            } catch {
                result.update { $0 = .failure(error) }
            }
            done.signal()
        }
        let wasCancelled = state.update { state in
            state.underWay = (task, done)
            return state.isCancelled
        }
        // Cancelled before the task was known to `cancel()`.
        if wasCancelled {
            task.cancel()
            throw CancellationError()
        }
        if let isCancelled {
            while done.wait(timeout: .now() + .milliseconds(50)) == .timedOut {
                if isCancelled() { task.cancel() }
            }
        } else {
            done.wait()
        }
        guard let result = result.value else { throw CancellationError() }
        return try result.get()
    }

    /// Ends the present wait, even if its work goes on, and every later one. Call it from any thread.
    package func cancel() {
        let underWay = state.update { state in
            state.isCancelled = true
            return state.underWay
        }
        underWay?.task.cancel()
        underWay?.done.signal()
    }
}
