import FileProviderCore

/// Lets a few tasks work at once; others wait for their turn.
final class TurnLimit: Sendable {
    private let lanes: [Turns]
    private let last = LockedValue(0)

    /// - Parameter count: How many work at once, 1 or more.
    init(_ count: Int) { lanes = (0..<max(1, count)).map { _ in Turns() } }

    /// Runs `body` when it is its turn.
    ///
    /// - Throws: The error of `body`; `CancellationError` for a task that was cancelled while it waited.
    func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        let lane = last.update { last -> Int in
            last = (last + 1) % lanes.count
            return last
        }
        try await lanes[lane].begin()
        defer { lanes[lane].end() }
        return try await body()
    }
}
