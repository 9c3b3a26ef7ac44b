import Synchronization

/// Values that a task produces one by one on demand: it waits until the next one is requested. Leaving the loop early
/// stops the task.
public struct PushedValues<Element: Sendable>: AsyncSequence, Sendable {
    /// Produces the values: calls `send` for one after the other, which returns once the value was taken.
    public typealias Produce =
        @Sendable (_ send: @escaping @Sendable (Element) async throws -> Void) async throws -> Void

    private let produce: Produce

    /// - Parameter produce: Passes its values to `send`, which returns once each was taken; called again for each loop.
    public init(_ produce: @escaping Produce) {
        self.produce = produce
    }

    /// Starts the task that produces the values.
    public func makeAsyncIterator() -> Iterator { Iterator(produce) }

    /// One loop over the values, with its own task.
    public final class Iterator: AsyncIteratorProtocol {
        private let handover = Handover<Element>()
        private let task: Task<Void, Never>

        init(_ produce: @escaping Produce) {
            task = Task { [handover] in
                do {
                    try await produce { try await handover.give($0) }
                    handover.end(nil)
                } catch {
                    handover.end(error)
                }
            }
        }

        deinit {
            task.cancel()
            handover.abandon()
        }

        /// Returns the next value; nil at the end.
        ///
        /// - Throws: The error that ended the values early; `CancellationError` when the asking task is cancelled.
        public func next() async throws -> Element? {
            try await withTaskCancellationHandler { [handover] in
                try await handover.take()
            } onCancel: { [handover, task] in
                task.cancel()
                handover.abandon()
            }
        }
    }
}

/// Passes one value at a time from one task to another.
private final class Handover<Element: Sendable>: Sendable {
    private struct State {
        var value: Element?
        var end: Result<Void, any Error>?
        var taker: CheckedContinuation<Element?, any Error>?
        var giver: CheckedContinuation<Void, any Error>?
    }

    private let state = Mutex(State())

    /// Returns once the value was taken.
    func give(_ value: Element) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let (taker, isOver) = state.withLock { state in
                if state.end != nil { return (nil as CheckedContinuation<Element?, any Error>?, true) }
                if let taker = state.taker.take() { return (taker, false) }
                state.value = value
                state.giver = continuation
                return (nil, false)
            }
            if isOver { return continuation.resume(throwing: CancellationError()) }
            guard let taker else { return }
            taker.resume(returning: value)
            continuation.resume()
        }
    }

    func take() async throws -> Element? {
        try await withCheckedThrowingContinuation { continuation in
            let (giver, value, end) = state.withLock { state in
                let value = state.value.take()
                if value == nil, state.end == nil { state.taker = continuation }
                return (state.giver.take(), value, state.end)
            }
            giver?.resume()
            if let value {
                continuation.resume(returning: value)
            } else if let end {
                continuation.resume(with: end.map { nil })
            }
        }
    }

    func end(_ error: (any Error)?) {
        let result: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
        let (taker, end) = state.withLock { state in
            state.end = state.end ?? result
            return (state.taker.take(), state.end ?? result)
        }
        taker?.resume(with: end.map { nil })
    }

    /// Ends the handover: the waiting side gets `CancellationError`.
    func abandon() {
        let (taker, giver) = state.withLock { state in
            state.end = state.end ?? .failure(CancellationError())
            state.value = nil
            return (state.taker.take(), state.giver.take())
        }
        giver?.resume(throwing: CancellationError())
        taker?.resume(throwing: CancellationError())
    }
}
