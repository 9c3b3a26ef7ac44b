import Foundation

/// Lets a thread that may block wait for asynchronous work, one piece after the other: for libraries that call back for
/// their bytes.
///
/// Never on Swift's shared threads, which the work needs.
package final class TaskWait: Sendable {
    private struct State: Sendable {
        var isCancelled = false
        var underWay: (task: Task<Void, Never>, done: DispatchSemaphore)?
    }

    private let state = LockedValue(State())

    package init() {}

    /// Runs `body` in a task and waits for it.
    ///
    /// - Parameter isCancelled: Asked every 50 ms, where cancelling reaches the thread as a flag alone; the task is
    ///   cancelled then.
    /// - Throws: What `body` throws; `CancellationError` after ``cancel()``, which does not wait for `body` to end.
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

    /// Ends the wait under way, even where its work goes on, and every one after it; called from any thread.
    package func cancel() {
        let underWay = state.update { state in
            state.isCancelled = true
            return state.underWay
        }
        underWay?.task.cancel()
        underWay?.done.signal()
    }
}
