package import FileProviderCore

/// A clock that goes on only by what is slept, or as it is told.
package final class SteppedClock: Clock {
    package struct Instant: InstantProtocol {
        package var offset: Duration
        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct State: Sendable {
        var now = Duration.zero
        var slept: [Duration] = []
    }

    private let state = LockedValue(State())
    /// Whether sleeping ends as in a task that is cancelled.
    package let refuses = LockedValue(false)

    package init() {}

    package var now: Instant { Instant(offset: state.value.now) }
    package var minimumResolution: Duration { .nanoseconds(1) }
    /// What was slept, one entry each time.
    package var slept: [Duration] { state.value.slept }

    package func advance(by duration: Duration) { state.update { $0.now += duration } }

    package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        if refuses.value { throw CancellationError() }
        state.update { state in
            state.slept.append(deadline.offset - state.now)
            state.now = max(state.now, deadline.offset)
        }
    }
}
