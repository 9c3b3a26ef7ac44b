import FileProviderCore

/// Somebody who waits for a turn.
final class FTPWaiter: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Bool, Never>)
        case done(Bool)
    }

    private let state = Locked(State.new)
    /// The connection that whoever woke this one has given.
    let given = Locked<FTPSession?>(nil)

    /// False when there is nobody to wake any more.
    func wake(giving session: FTPSession? = nil) -> Bool { end(true, giving: session) }

    /// Whether it was somebody's call that ended the wait.
    var wasWoken: Bool { if case .done(true) = state.value { true } else { false } }

    private func end(_ value: Bool, giving session: FTPSession? = nil) -> Bool {
        state.update { state in
            if case .done = state { return false }
            given.update { $0 = session }
            if case .waiting(let continuation) = state { continuation.resume(returning: value) }
            state = .done(value)
            return true
        }
    }

    /// False when `deadline` came first.
    ///
    /// - Throws: `CancellationError`.
    func wait(until deadline: ContinuousClock.Instant) async throws -> Bool {
        let timer = Task {
            try await Task.sleep(until: deadline)
            _ = end(false)
        }
        defer { timer.cancel() }
        let isWoken = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.update { state in
                    if case .done(let value) = state { continuation.resume(returning: value) } else { state = .waiting(continuation) }
                }
            }
        } onCancel: {
            _ = end(false)
        }
        try Task.checkCancellation()
        return isWoken
    }
}
