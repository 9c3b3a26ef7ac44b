public import Foundation

/// A supply of bytes, called on the thread that needs them.
///
/// Calls come one after the other, never at the same time. A source may block on a local disk, and on nothing else.
public protocol ByteSource: AnyObject, Sendable {
    /// Fills the front of `buffer`, which is never empty.
    ///
    /// - Throws: The error that ended the source early; the caller stops and passes it on.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep

    /// Calls `resume` once, on any thread, when the source has bytes, an end or an error to give; at once if it has one
    /// now.
    func whenReady(_ resume: @escaping @Sendable () -> Void)
}

/// The outcome of a read from a ``ByteSource``.
public enum SourceStep: Sendable, Hashable {
    /// The number of bytes read, at least one.
    case bytes(Int)
    /// Nothing now; ``ByteSource/whenReady(_:)`` calls back.
    case wait
    /// Nothing, now or later.
    case end
}

extension ByteSource {
    /// A source that always has something is always ready.
    public func whenReady(_ resume: @escaping @Sendable () -> Void) { resume() }

    /// Suspends until the source has bytes, an end or an error to give.
    ///
    /// - Throws: `CancellationError` at once when the task is cancelled, even while the source has nothing.
    public func waitUntilReady() async throws { try await Gate.wait { whenReady($0) } }

    /// Returns the next piece, at most `count` bytes, read on a thread that may block; nil at the end.
    ///
    /// - Throws: An error of the source; `CancellationError`.
    public func next(upTo count: Int = 256 << 10) async throws -> Data? {
        if count == 0 { return Data() }
        while true {
            try Task.checkCancellation()
            let (data, step) = try await BlockingThreads.shared.run { try self.take(upTo: count) }
            if !data.isEmpty { return data }
            if step == .end { return nil }
            try await waitUntilReady()
        }
    }

    /// Returns the next `count` bytes, fewer only at the end, read on a thread that may block.
    ///
    /// - Parameter count: The most bytes to read; memory for all of them is allocated first.
    /// - Throws: An error of the source; `CancellationError`.
    public func bytes(upTo count: Int) async throws -> Data {
        var all = Data()
        while true {
            try Task.checkCancellation()
            let missing = count - all.count
            let (data, step) = try await BlockingThreads.shared.run { try self.take(upTo: missing, fully: true) }
            if all.isEmpty { all = data } else { all += data }
            if step == .end || all.count == count { return all }
            try await waitUntilReady()
        }
    }

    /// Reads what the source has now into an uninitialised block of `count` bytes, which spares clearing it.
    private func take(upTo count: Int, fully: Bool = false) throws -> (Data, SourceStep) {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        var taken = 0
        var step = SourceStep.bytes(0)
        do {
            while taken < count, case .bytes = step {
                step = try read(into: UnsafeMutableRawBufferPointer(rebasing: block[taken...]))
                if case .bytes(let count) = step {
                    // A source that claims more has written past the block; one that claims 0 would be asked forever.
                    precondition(
                        (1...block.count - taken).contains(count),
                        "A ByteSource has to return at least one byte, and no more than fit in the buffer.")
                    taken += count
                }
                if taken > 0, !fully { break }
            }
        } catch {
            block.deallocate()
            throw error
        }
        guard taken > 0, let start = block.baseAddress else {
            block.deallocate()
            return (Data(), step)
        }
        return (Data(bytesNoCopy: start, count: taken, deallocator: .custom { start, _ in start.deallocate() }), step)
    }
}
