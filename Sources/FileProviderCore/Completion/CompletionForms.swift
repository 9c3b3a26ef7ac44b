public import Foundation

/// Called when an operation without a result ends; `error` is nil on success.
public typealias SimpleCompletionHandler = (@Sendable (_ error: (any Error)?) -> Void)?

/// The one adapter from an `async` operation to the form with a `Progress` and a completion handler.
///
/// The handler is called exactly once, on a private serial queue, in the order in which operations end. Cancelling the
/// `Progress` cancels the task; the handler then gets `CocoaError(.userCancelled)`, as it does when the provider's
/// delegate forbids the operation.
public enum CompletionForm {
    static let queue = DispatchQueue(label: "carrel.completion")

    /// Runs `body` on the queue of handlers and delegates, after those that were queued before it.
    static func onQueue<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body()) } }
    }

    /// Starts `body` as an operation of `provider`, whose delegate may forbid it and receives its reports.
    ///
    /// - Parameters:
    ///   - unitCount: The number of units, until `body` reports a better one; 0 while it is unknown.
    ///   - completion: Called exactly once, also when the `Progress` was cancelled before anything began.
    public static func start<Value: Sendable>(
        _ operation: FileOperationType, of provider: any FileProviderBasic, kind: Progress.FileOperationKind? = nil,
        unitCount: Int64 = 1,
        body: @escaping @Sendable (ProgressReporter) async throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Progress {
        let progress = OperationProgress(operation, kind: kind, unitCount: unitCount)
        let reports = DelegateReports(operation, of: provider)
        let consent = OperationConsent(provider: provider)
        let id = UUID()
        // Holds the task back until the `Progress` and the list of operations know it.
        let gate = Gate()
        let task = Task {
            await gate.wait()
            let result: Result<Value, any Error>
            do {
                try Task.checkCancellation()
                try await consent.ask(for: operation)
                let reporter = ProgressReporter(progress) { reports.moved(progress) }
                result = .success(try await OperationConsent.$current.withValue(consent) { try await body(reporter) })
                progress.finish()
            } catch {
                if error.isCancellation, !progress.isCancelled { progress.cancel() }
                let isToldAlready = (error as? CocoaError)?.code == .userCancelled
                result = .failure(
                    error.isCancellation && !isToldAlready
                        ? FileError.make(.userCancelled, path: operation.source) : error)
            }
            RunningOperations.shared.remove(id, of: provider)
            queue.async {
                reports.ended(result.failure)
                completion(result)
            }
        }
        RunningOperations.shared.add(task, id: id, of: provider)
        progress.cancellationHandler = { task.cancel() }
        gate.open()
        return progress
    }
}
