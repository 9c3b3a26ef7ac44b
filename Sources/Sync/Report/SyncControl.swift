import Synchronization

/// Pauses and resumes a run.
public final class SyncControl: Sendable {
    private struct State {
        var isPaused = false
        /// Runs that wait until they may go on.
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// Steps under way.
        var steps = 0
        /// Tasks that wait until no step is under way.
        var waitingForSteps: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

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

    /// Notes that a step begins.
    func beginStep() { state.withLock { $0.steps += 1 } }

    /// Notes that a step has ended, well or not.
    func endStep() {
        let waiting = state.withLock { state in
            state.steps -= 1
            guard state.steps == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waitingForSteps = [] }
            return state.waitingForSteps
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Pauses the run and waits until no step is under way. To cancel the run then loses no step. A run that only looks
    /// at both sides has no step under way.
    package func pauseBetweenSteps() async {
        pause()
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.steps == 0 { return true }
                state.waitingForSteps.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }
}
