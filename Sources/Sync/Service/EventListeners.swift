import FileProviderCore

/// Passes the events of a service on to its sequences.
package final class EventListeners<Event: Sendable>: Sendable {
    private typealias Continuation = AsyncStream<Event>.Continuation

    private struct State {
        var continuations: [Int: Continuation] = [:]
        /// Sequences made so far.
        var count = 0
    }

    private let state = LockedValue(State())

    /// Events that wait in one sequence.
    private static var maxWaiting: Int { 1_000 }

    package init() {}

    deinit { finish() }

    /// Returns a sequence of the events from now on. It ends with ``finish()``, or when this object is released.
    package func stream() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(Self.maxWaiting))
        let number = state.update { state in
            state.count += 1
            state.continuations[state.count] = continuation
            return state.count
        }
        continuation.onTermination = { [state] _ in state.update { $0.continuations[number] = nil } }
        return stream
    }

    /// Passes `event` on to every sequence.
    package func tell(_ event: Event) {
        for continuation in state.value.continuations.values { continuation.yield(event) }
    }

    /// Ends every sequence.
    package func finish() {
        let continuations = state.update { state in
            defer { state.continuations = [:] }
            return state.continuations
        }
        for continuation in continuations.values { continuation.finish() }
    }
}
