import Synchronization

/// Signals to work on another thread that its task was cancelled.
public final class CancellationFlag: Sendable {
    private let cancelled = Atomic(false)

    /// Not cancelled.
    public init() {}

    /// Whether ``cancel()`` was called; safe on any thread.
    public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Sets the flag, which the work sees at its next check. Calling it again changes nothing.
    public func cancel() { cancelled.store(true, ordering: .relaxed) }

    /// - Throws: `CancellationError` once ``cancel()`` was called.
    public func check() throws {
        if isCancelled { throw CancellationError() }
    }
}
