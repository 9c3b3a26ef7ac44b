import Foundation
import Synchronization

/// Reports one operation to a provider's delegate. Skips reports of progress that a newer one has overtaken.
final class DelegateReports: Sendable {
    private let provider: any FileProviderBasic
    private let operation: FileOperationType
    private let isWaiting = Atomic(false)

    init(_ operation: FileOperationType, of provider: any FileProviderBasic) {
        self.operation = operation
        self.provider = provider
    }

    private var delegate: (any FileProviderDelegate)? { ProviderDelegates.shared.of(provider).delegate }

    func moved(_ progress: OperationProgress) {
        guard delegate != nil, !isWaiting.exchange(true, ordering: .acquiringAndReleasing) else { return }
        CompletionForm.queue.async { [self] in
            isWaiting.store(false, ordering: .releasing)
            delegate?.fileproviderProgress(provider, operation: operation, progress: Float(progress.share))
        }
    }

    /// Called on the queue.
    func ended(_ failure: (any Error)?) {
        guard let delegate else { return }
        if let failure {
            delegate.fileproviderFailed(provider, operation: operation, error: failure)
        } else {
            delegate.fileproviderSucceed(provider, operation: operation)
        }
    }
}
