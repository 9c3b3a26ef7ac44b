import Foundation

/// What an operation without a result calls when it is over; nil on success. Seed 004's form.
public typealias SimpleCompletionHandler = (@Sendable (_ error: (any Error)?) -> Void)?

/// The one adapter from an `async` operation to the form with a `Progress` and a completion handler.
///
/// The handler is called exactly once, on a private serial queue, in the order in which operations end. Cancelling the `Progress`
/// cancels the task; the handler then gets `CocoaError(.userCancelled)`.
enum CompletionForm {
    static let queue = DispatchQueue(label: "carrel.completion")

    /// Starts `body` as an operation of `provider`.
    static func start<Value: Sendable>(
        _ operation: FileOperationType, of provider: any FileProviderBasic, kind: Progress.FileOperationKind? = nil, unitCount: Int64 = 1,
        body: @escaping @Sendable (ProgressReporter) async throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) -> Progress {
        let progress = OperationProgress(operation, kind: kind, unitCount: unitCount)
        let id = UUID()
        // Holds the task back until the `Progress` and the list of operations know it.
        let gate = Gate()
        let task = Task {
            await gate.wait()
            let result: Result<Value, any Error>
            do {
                try Task.checkCancellation()
                result = .success(try await body(ProgressReporter { progress.follow(completed: $0, total: $1) }))
                progress.finish()
            } catch {
                if error.isCancellation, !progress.isCancelled { progress.cancel() }
                result = .failure(error.isCancellation ? FileError.make(.userCancelled, path: operation.source) : error)
            }
            RunningOperations.shared.remove(id, of: provider)
            queue.async { completion(result) }
        }
        RunningOperations.shared.add(task, id: id, of: provider)
        progress.cancellationHandler = { task.cancel() }
        gate.open()
        return progress
    }
}
