import FileProviderCore

/// The statements of one call, and the task that waits for their rows.
final class PostgresRequest: Sendable {
    typealias Answer = Result<[PostgresRows], any Error>

    private struct State: Sendable {
        var isAnswered = false
        /// The answer, until the task waits for it.
        var early: Answer?
        var waiter: CheckedContinuation<[PostgresRows], any Error>?
    }

    let statements: [PostgresStatement]
    /// About as many bytes as are sent.
    let size: Int
    private let state = LockedValue(State())

    init(_ statements: [PostgresStatement]) {
        self.statements = statements
        size = statements.reduce(0) { $0 + $1.size }
    }

    /// Whether no task waits any more.
    var isAnswered: Bool { state.value.isAnswered }

    /// Waits for the answer.
    ///
    /// - Throws: The error that was given; `CancellationError` as soon as the task is cancelled.
    func rows() async throws -> [PostgresRows] {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let early: Answer? = state.update { state in
                    if state.early == nil { state.waiter = continuation }
                    return state.early.take()
                }
                if let early { continuation.resume(with: early) }
            }
        } onCancel: {
            give(.failure(CancellationError()))
        }
    }

    /// Answers the task. The first answer counts.
    func give(_ answer: Answer) {
        let waiter: CheckedContinuation<[PostgresRows], any Error>? = state.update { state in
            if state.isAnswered { return nil }
            state.isAnswered = true
            if state.waiter == nil { state.early = answer }
            return state.waiter.take()
        }
        waiter?.resume(with: answer)
    }
}
