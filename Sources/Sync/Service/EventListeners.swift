import FileProviderCore

/// Those who hear the events of a service as a sequence.
final class EventListeners: Sendable {
    private typealias Continuation = AsyncStream<SyncService.Event>.Continuation

    private struct State {
        var continuations: [Int: Continuation] = [:]
        /// How many there were so far.
        var count = 0
    }

    private let state = LockedValue(State())

    /// Events that wait for one listener.
    private static let maxWaiting = 1_000

    /// What is told from now on.
    func stream() -> AsyncStream<SyncService.Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SyncService.Event.self, bufferingPolicy: .bufferingNewest(Self.maxWaiting))
        let number = state.update { state in
            state.count += 1
            state.continuations[state.count] = continuation
            return state.count
        }
        continuation.onTermination = { [state] _ in state.update { $0.continuations[number] = nil } }
        return stream
    }

    /// Passes `event` on to everybody.
    func tell(_ event: SyncService.Event) {
        for continuation in state.value.continuations.values { continuation.yield(event) }
    }

    /// Ends everybody's sequence.
    func finish() {
        let continuations = state.update { state in
            defer { state.continuations = [:] }
            return state.continuations
        }
        for continuation in continuations.values { continuation.finish() }
    }
}
