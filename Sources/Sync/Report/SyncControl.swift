import Synchronization

/// Pauses and resumes a run.
public final class SyncControl: Sendable {
    private let state = Mutex((isPaused: false, waiting: [CheckedContinuation<Void, Never>]()))

    /// Creates a control that is not paused.
    public init() {}

    /// Whether the run is paused.
    public var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Pauses the run: no further step begins; steps under way finish.
    public func pause() { state.withLock { $0.isPaused = true } }

    /// Resumes the run.
    public func resume() { release { $0 = false } }

    /// Wakes all waiting tasks, which check the state again.
    private func release(_ change: (inout Bool) -> Void = { _ in }) {
        let waiting = state.withLock { state in
            change(&state.isPaused)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits while the run is paused.
    ///
    /// - Throws: `CancellationError`.
    func pass() async throws {
        while isPaused {
            try Task.checkCancellation()
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isFree = state.withLock { state in
                        if !state.isPaused || Task.isCancelled { return true }
                        state.waiting.append(continuation)
                        return false
                    }
                    if isFree { continuation.resume() }
                }
            } onCancel: {
                release()
            }
        }
        try Task.checkCancellation()
    }
}
