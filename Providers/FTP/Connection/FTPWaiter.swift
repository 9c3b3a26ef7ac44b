import FileProviderCore

/// A caller that waits for its turn.
final class FTPWaiter: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Bool, Never>)
        case done(Bool)
    }

    private let state = LockedValue(State.new)
    /// Whether the caller wants to upload.
    let isUpload: Bool
    /// The connection that was passed to ``wake(giving:)``.
    let given = LockedValue<FTPSession?>(nil)

    init(isUpload: Bool = false) { self.isUpload = isUpload }

    /// Ends the wait. Returns false if it has ended already.
    func wake(giving session: FTPSession? = nil) -> Bool { end(true, giving: session) }

    /// Whether ``wake(giving:)`` ended the wait.
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

    /// Waits until ``wake(giving:)`` or `deadline`, and returns false for the latter. Evaluates `deadline` again when
    /// it has passed, because it may have moved on.
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

/// Thrown by an upload that was ended because a reader, perhaps that of the upload's own source, needed the connection.
/// The upload starts again.
struct FTPGaveWay: Error {}
