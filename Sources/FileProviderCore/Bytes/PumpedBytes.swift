public import Foundation

/// Bytes in pieces, brought as they are asked for: a task fills a bounded pipe. Leaving the loop early stops the task.
public struct PumpedBytes: AsyncSequence, Sendable {
    /// A piece, up to 1 MiB.
    public typealias Element = Data

    private let fill: @Sendable (BytePipe) async throws -> Void

    /// - Parameter fill: Writes everything into the pipe; run anew for each loop.
    public init(_ fill: @escaping @Sendable (BytePipe) async throws -> Void) {
        self.fill = fill
    }

    /// Starts the task that fills the pipe.
    public func makeAsyncIterator() -> Iterator { Iterator(fill) }

    /// One loop over the bytes, with a task and a pipe of its own.
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

        /// The next piece; nil at the end.
        ///
        /// - Throws: What ended the bytes early.
        public func next() async throws -> Data? { try await pipe.next() }
    }
}
