public import Foundation

/// Where bytes go, called on the thread that has them: a transport's own, or one of ``BlockingThreads``.
///
/// Calls come one after the other, never at the same time. A sink may block on a local disk, and on nothing else.
public protocol ByteSink: AnyObject, Sendable {
    /// Told once, before the first byte, what is about to come.
    func begin(_ extent: FileExtent) throws

    /// Takes all of `bytes`, which are valid during the call only.
    ///
    /// - Returns: `.wait` when the sink has enough for now: the caller gives no more before ``whenReady(_:)`` has
    ///   called back.
    /// - Throws: What makes further bytes pointless; the caller stops and passes the error on.
    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState

    /// Calls `resume` once, on any thread, as soon as the sink takes bytes again or has failed; at once if it does now.
    func whenReady(_ resume: @escaping @Sendable () -> Void)
}

/// Whether a sink wants more, and whether a source has more, now.
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

    /// Suspends until the sink takes bytes again or has failed.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled: a sink whose reader is asleep must not hold
    ///   it.
    public func waitUntilReady() async throws { try await Gate.wait { whenReady($0) } }

    /// Gives `piece` to the sink from a task, on a thread that may block, and suspends while the sink has enough.
    ///
    /// - Throws: An error of the sink; `CancellationError`.
    public func send(_ piece: Data) async throws {
        let flow = try await BlockingThreads.shared.run { try piece.withUnsafeBytes { try self.write($0) } }
        if flow == .wait { try await waitUntilReady() }
    }
}
