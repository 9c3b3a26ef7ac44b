import Synchronization

/// Holds a run back and lets it go on.
public final class SyncControl: Sendable {
    private let state = Mutex((isPaused: false, waiting: [CheckedContinuation<Void, Never>]()))

    /// A run that is not held back.
    public init() {}

    /// Whether no further step begins.
    public var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Begins no further step; those that run end.
    public func pause() { state.withLock { $0.isPaused = true } }

    /// Goes on.
    public func resume() { release { $0 = false } }

    /// Has all who wait look again.
    private func release(_ change: (inout Bool) -> Void = { _ in }) {
        let waiting = state.withLock { state in
            change(&state.isPaused)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits while the run is held back.
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
