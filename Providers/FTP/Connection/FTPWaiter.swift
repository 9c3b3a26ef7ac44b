import FileProviderCore

/// Somebody who waits for a turn.
final class FTPWaiter: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Bool, Never>)
        case done(Bool)
    }

    private let state = LockedValue(State.new)
    /// Whether it is to send a file.
    let isUpload: Bool
    /// The connection that whoever woke this one has given.
    let given = LockedValue<FTPSession?>(nil)

    init(isUpload: Bool = false) { self.isUpload = isUpload }

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

    /// False when `deadline` came first, which is asked for again when it has come: it may have moved on.
    ///
    /// - Throws: `CancellationError`.
    func wait(until deadline: @escaping @Sendable () -> ContinuousClock.Instant) async throws -> Bool {
        let timer = Task {
            while case let time = deadline(), time > .now { try await Task.sleep(until: time) }
            _ = end(false)
        }
        defer { timer.cancel() }
        let isWoken = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.update { state in
                    if case .done(let value) = state {
                        continuation.resume(returning: value)
                    } else {
                        state = .waiting(continuation)
                    }
                }
            }
        } onCancel: {
            _ = end(false)
        }
        try Task.checkCancellation()
        return isWoken
    }
}

/// An upload was ended because its connection was needed by somebody who reads, perhaps what is to be sent; it is begun
/// anew.
struct FTPGaveWay: Error {}
