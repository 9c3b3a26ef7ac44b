import Foundation

/// The decisions of an operation's delegate, for the code that carries it out.
package struct OperationConsent: Sendable {
    /// The consent of the completion form that the current task carries out; nil elsewhere.
    @TaskLocal static var current: OperationConsent?

    let provider: any FileProviderBasic

    /// - Throws: `CocoaError(.userCancelled)` after a veto.
    func ask(for operation: FileOperationType) async throws {
        if case .fetch = operation { return }
        guard let delegate = ProviderDelegates.shared.of(provider).operationDelegate else { return }
        let mayDo = await CompletionForm.onQueue { delegate.fileProvider(provider, shouldDoOperation: operation) }
        if !mayDo {
            throw FileError.make(
                .userCancelled, path: operation.source,
                sentence: "\(operation) was refused by the provider's delegate.")
        }
    }

    /// Whether the operation goes on although one of its items failed.
    package static func proceeds(after error: any Error, operation: FileOperationType) async -> Bool {
        guard !error.isCancellation, let provider = current?.provider,
            let delegate = ProviderDelegates.shared.of(provider).operationDelegate
        else { return false }
        return await CompletionForm.onQueue {
            delegate.fileProvider(provider, shouldProceedAfterError: error, operation: operation)
        }
    }
}
