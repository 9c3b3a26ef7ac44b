import Foundation
import Synchronization

import ReaderApplication
import ReaderDriver
import ReaderMessages

/// Clocks that a test turns by hand.
///
/// Whoever sleeps wakes when ``advance(by:)`` brings the clock to the time. Sleeps that are no longer than `passing`
/// wait for nobody: each tells `step`, where a test lets its peer act, and the clock goes on by itself. So what polls
/// runs as fast as it can, and limits on calls that hang, being longer, stay under the test's control.
final class ManualTime: TimeSource {
    private struct Sleeper {
        let number: Int
        let end: Double
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var elapsed = 0.0
        var wallClock: Double
        var next = 0
        var sleepers: [Sleeper] = []
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var step: (@Sendable (Double) async -> Void)?
    }

    private let state: Mutex<State>
    private let passing: Double

    /// - Parameter passing: The longest sleep in seconds that passes by itself; none unless told.
    init(wallClock: Double = 1_700_000_000, passing: Double = 0) {
        state = Mutex(State(wallClock: wallClock))
        self.passing = passing
    }

    var elapsed: Double { state.withLock { $0.elapsed } }

    /// Goes along with ``elapsed``, unless it is set.
    var wallClock: Double {
        get { state.withLock { $0.wallClock } }
        set { state.withLock { $0.wallClock = newValue } }
    }

    /// Called before each sleep that passes by itself, with the seconds so far.
    func onStep(_ step: @escaping @Sendable (Double) async -> Void) { state.withLock { $0.step = step } }

    /// Lets time go by, and wakes whose time has come.
    func advance(by seconds: Double) { wake { $0 += seconds } }

    private func wake(_ change: (inout Double) -> Void) {
        let woken = state.withLock { state in
            let before = state.elapsed
            change(&state.elapsed)
            state.wallClock += state.elapsed - before
            let woken = state.sleepers.filter { $0.end <= state.elapsed }
            state.sleepers.removeAll { $0.end <= state.elapsed }
            return woken.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Lets time go by until the first one wakes; waits for one that sleeps where there is none.
    func wakeFirst() async {
        await waitForSleepers()
        guard let end = state.withLock({ $0.sleepers.map(\.end).min() }) else { return }
        wake { $0 = max($0, end) }
    }

    /// Waits until so many sleep at the same time.
    func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.waiting.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func sleep(seconds: Double) async throws {
        try Task.checkCancellation()
        if seconds <= passing {
            await state.withLock { $0.step }?(elapsed)
            try Task.checkCancellation()
            return advance(by: seconds)
        }
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(Sleeper(number: number, end: elapsed + seconds, continuation: continuation))
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.sleepers.firstIndex { $0.number == number }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func add(_ sleeper: Sleeper) {
        // The handler may have run already, and found nobody.
        if Task.isCancelled { return sleeper.continuation.resume(throwing: CancellationError()) }
        let ready = state.withLock { state in
            state.sleepers.append(sleeper)
            let ready = state.waiting.filter { $0.count <= state.sleepers.count }
            state.waiting.removeAll { $0.count <= state.sleepers.count }
            return ready.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
        // It may also have run between the two.
        guard Task.isCancelled else { return }
        let mine = state.withLock { state in
            state.sleepers.firstIndex { $0.number == sleeper.number }.map { state.sleepers.remove(at: $0) }
        }
        mine?.continuation.resume(throwing: CancellationError())
    }
}
