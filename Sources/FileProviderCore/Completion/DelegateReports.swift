import Foundation
import Synchronization

/// Tells a provider's delegate of one operation. Reports of progress that it has not come to yet are left out.
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
