public import Foundation

/// Where bytes come from, called on the thread that needs them.
///
/// Calls come one after the other, never at the same time. A source may block on a local disk, and on nothing else.
public protocol ByteSource: AnyObject, Sendable {
    /// Fills the front of `buffer`, which is never empty.
    ///
    /// - Throws: What ended the source early; the caller stops and passes the error on.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep

    /// Calls `resume` once, on any thread, as soon as the source has bytes, its end or an error to give; at once if it does now.
    func whenReady(_ resume: @escaping @Sendable () -> Void)
}

/// What a ``ByteSource`` gave.
public enum SourceStep: Sendable, Hashable {
    /// So many bytes, at least one.
    case bytes(Int)
    /// Nothing now; ``ByteSource/whenReady(_:)`` calls back.
    case wait
    /// Nothing, and nothing will come.
    case end
}

extension ByteSource {
    /// A source that always has something is always ready.
    public func whenReady(_ resume: @escaping @Sendable () -> Void) { resume() }

    /// Suspends until the source has bytes, its end or an error to give.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled: a source that is asleep must not hold it.
    public func waitUntilReady() async throws { try await Gate.wait { whenReady($0) } }

    /// The next piece, of `count` bytes at most, read on a thread that may block; nil at the end.
    ///
    /// - Throws: An error of the source; `CancellationError`.
    public func next(upTo count: Int = 256 << 10) async throws -> Data? {
        while true {
            try Task.checkCancellation()
            let (step, piece) = try await BlockingThreads.shared.run {
                var piece = Data(count: count)
                return (try piece.withUnsafeMutableBytes { try self.read(into: $0) }, piece)
            }
            switch step {
            case .bytes(let count): return piece.prefix(count)
            case .end: return nil
            case .wait: try await waitUntilReady()
            }
        }
    }
}
