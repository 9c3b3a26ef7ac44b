package import Foundation

/// The form with a `Progress` and a completion handler for operations of a layer above the providers, which no delegate
/// follows.
package enum LayeredOperation {
    /// Starts `body`. The completion is called once, on the queue of the providers' completion handlers; cancelling the
    /// `Progress` cancels the task.
    package static func start(
        _ operation: FileOperationType, kind: Progress.FileOperationKind? = nil,
        body: @escaping @Sendable (ProgressReporter) async throws -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> Progress {
        let progress = OperationProgress(operation, kind: kind, unitCount: -1)
        // Holds the task back until the `Progress` knows it.
        let gate = Gate()
        let task = Task {
            await gate.wait()
            var failure: (any Error)?
            do {
                try Task.checkCancellation()
                try await body(ProgressReporter { progress.follow(completed: $0, total: $1) })
                progress.finish()
            } catch {
                failure = error.isCancellation ? FileError.make(.userCancelled, path: operation.source) : error
                if error.isCancellation, !progress.isCancelled { progress.cancel() }
            }
            let result = failure
            CompletionForm.queue.async { completion(result) }
        }
        progress.cancellationHandler = { task.cancel() }
        gate.open()
        return progress
    }
}
