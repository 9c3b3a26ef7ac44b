import FileProviderCore

extension EventLoop {
    /// Runs the transfer that `make` makes, and gives back its answer.
    ///
    /// - Parameter make: Makes a transfer that calls the second closure once, at its end.
    /// - Throws: What the transfer ends with; `CancellationError`, within milliseconds, when the task is cancelled.
    func run<Answer: Sendable>(
        _ make: (
            _ resume: @escaping @Sendable (Transfer, Transfer.Side) -> Void,
            _ done: @escaping @Sendable (Result<Answer, any Error>) -> Void
        ) -> Transfer
    ) async throws -> (answer: Answer, transfer: Transfer?) {
        try Task.checkCancellation()
        let exchange = Exchange()
        let answer: Answer = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let transfer = make({ [self] in goOn($0, $1) }, { continuation.resume(with: $0) })
                exchange.made(transfer)
                start(transfer)
                if exchange.hasStarted() { cancel(transfer) }
            }
        } onCancel: {
            if let transfer = exchange.cancelled() { cancel(transfer) }
        }
        return (answer, exchange.transfer)
    }
}

/// Sees that a cancellation reaches its transfer, whichever of the two comes first.
private final class Exchange: Sendable {
    private let state = LockedValue((transfer: Transfer?.none, isStarted: false, isCancelled: false))

    var transfer: Transfer? { state.value.transfer }

    func made(_ transfer: Transfer) { state.update { $0.transfer = transfer } }

    /// True when the task was cancelled before.
    func hasStarted() -> Bool {
        state.update { state in
            state.isStarted = true
            return state.isCancelled
        }
    }

    /// The transfer to cancel; nil before it is one that the loop knows.
    func cancelled() -> Transfer? {
        state.update { state in
            state.isCancelled = true
            return state.isStarted ? state.transfer : nil
        }
    }
}
