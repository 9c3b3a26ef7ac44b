public import Foundation

/// A destination of bytes, called on the thread that has them: a transport's own, or one of ``BlockingThreads``.
///
/// Calls come one after the other, never at the same time. A sink may block on a local disk, and on nothing else.
public protocol ByteSink: AnyObject, Sendable {
    /// Called once, before the first byte, with the extent of the bytes that follow.
    func begin(_ extent: FileExtent) throws

    /// Takes all of `bytes`, which are valid during the call only.
    ///
    /// - Returns: `.wait` when the sink has enough for now: the caller gives no more before ``whenReady(_:)`` has
    ///   called back.
    /// - Throws: An error that makes further bytes pointless; the caller stops and passes it on.
    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState

    /// Calls `resume` once, on any thread, when the sink accepts more bytes or fails; at once if it does so now.
    func whenReady(_ resume: @escaping @Sendable () -> Void)
}

/// Whether a sink accepts more bytes, or a source has more, now.
public enum FlowState: Sendable {
    /// More at once.
    case ready
    /// Nothing before `whenReady` has called back.
    case wait
}

extension ByteSink {
    /// The default does not ask.
    public func begin(_ extent: FileExtent) throws {}

    /// A sink that never has enough is always ready.
    public func whenReady(_ resume: @escaping @Sendable () -> Void) { resume() }

    /// Suspends until the sink accepts more bytes or fails.
    ///
    /// - Throws: `CancellationError` at once when the task is cancelled, even while the sink accepts nothing.
    public func waitUntilReady() async throws { try await Gate.wait { whenReady($0) } }

    /// Gives `piece` to the sink from a task, on a thread that may block, and suspends while the sink has enough.
    ///
    /// - Throws: An error of the sink; `CancellationError`.
    public func send(_ piece: Data) async throws {
        let flow = try await BlockingThreads.shared.run { try piece.withUnsafeBytes { try self.write($0) } }
        if flow == .wait { try await waitUntilReady() }
    }
}
