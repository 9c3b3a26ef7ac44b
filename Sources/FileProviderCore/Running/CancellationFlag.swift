import Synchronization

/// Tells work on a thread of ours that its task was cancelled.
public final class CancellationFlag: Sendable {
    private let cancelled = Atomic(false)

    /// Not cancelled.
    public init() {}

    /// Whether ``cancel()`` was called; safe on any thread.
    public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Takes effect at the work's next look. Calling it again changes nothing.
    public func cancel() { cancelled.store(true, ordering: .relaxed) }

    /// - Throws: `CancellationError` once ``cancel()`` was called.
    public func check() throws {
        if isCancelled { throw CancellationError() }
    }
}
