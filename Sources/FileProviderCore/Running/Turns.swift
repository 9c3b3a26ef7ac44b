import Synchronization

/// Admits one caller, or a few at once, in the order of their calls.
package final class Turns: Sendable {
    private struct State {
        var free: Int
        var next = 0
        var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    /// How many are admitted at once.
    package let count: Int
    private let state: Mutex<State>

    /// - Parameter count: How many are admitted at once; at least 1.
    package init(_ count: Int = 1) {
        self.count = max(1, count)
        state = Mutex(State(free: self.count))
    }

    /// Waits for a turn, which ``end()`` returns.
    /// - Throws: `CancellationError`, without the turn.
    package func begin() async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        let isIn = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.free == 0 {
                        state.waiting.append((number, continuation))
                        return nil
                    }
                    state.free -= 1
                    return true
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let left = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
            }
            left?.resume(returning: false)
        }
        guard isIn else { throw CancellationError() }
    }

    /// Admits the next caller.
    package func end() {
        let next = state.withLock { state in
            if state.waiting.isEmpty {
                state.free += 1
                return nil as CheckedContinuation<Bool, Never>?
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }

    /// Runs `body` during a turn.
    ///
    /// - Throws: The error of `body`; `CancellationError`, before `body` runs.
    package func take<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await begin()
        defer { end() }
        return try await body()
    }
}
