import Synchronization

/// Tells work on a thread of ours that its task was cancelled.
public final class CancellationFlag: Sendable {
    private let cancelled = Atomic(false)

    public init() {}

    public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    public func cancel() { cancelled.store(true, ordering: .relaxed) }

    /// - Throws: `CancellationError` once ``cancel()`` was called.
    public func check() throws {
        if isCancelled { throw CancellationError() }
    }
}
