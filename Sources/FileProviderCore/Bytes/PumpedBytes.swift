public import Foundation

/// Bytes in pieces, produced on demand: a task fills a bounded pipe. Leaving the loop early stops the task.
public struct PumpedBytes: AsyncSequence, Sendable {
    /// A piece, up to 1 MiB.
    public typealias Element = Data

    private let fill: @Sendable (BytePipe) async throws -> Void

    /// - Parameter fill: Writes everything into the pipe; called again for each loop.
    public init(_ fill: @escaping @Sendable (BytePipe) async throws -> Void) {
        self.fill = fill
    }

    /// Starts the task that fills the pipe.
    public func makeAsyncIterator() -> Iterator { Iterator(fill) }

    /// One loop over the bytes, with its own task and pipe.
    public final class Iterator: AsyncIteratorProtocol {
        private let pipe = BytePipe()
        private let task: Task<Void, Never>

        init(_ fill: @escaping @Sendable (BytePipe) async throws -> Void) {
            task = pipe.filling(by: fill)
        }

        deinit {
            pipe.abandon()
            task.cancel()
        }

        /// Returns the next piece; nil at the end.
        ///
        /// - Throws: The error that ended the bytes early.
        public func next() async throws -> Data? { try await pipe.next() }
    }
}
