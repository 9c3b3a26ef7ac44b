import Carrel

/// A question to a watch for its next changes. It outlasts the caller's pauses: if each pause cut it off, a look that
/// takes longer than a pause would never end.
struct Question: Sendable {
    private let answer: Task<[FileEvent]?, any Error>
    /// A value for each pause that is over; ends when the answer is there.
    private let pauses: AsyncStream<Void>
    private let pauseEnds: AsyncStream<Void>.Continuation

    init(to watch: any FileWatch) {
        let (pauses, pauseEnds) = AsyncStream.makeStream(of: Void.self)
        (self.pauses, self.pauseEnds) = (pauses, pauseEnds)
        answer = Task {
            defer { pauseEnds.finish() }
            return try await watch.next()
        }
    }

    /// Waits for the answer, for `pause` seconds at most where there are any.
    ///
    /// - Throws: `CancellationError` when the task is cancelled; the question stands then as after a pause.
    func isAnswered(within pause: Double?) async throws -> Bool {
        let timer = pause.map { pause in
            Task { [pauseEnds] in
                try await Task.sleep(for: .seconds(pause))
                pauseEnds.yield()
            }
        }
        defer { timer?.cancel() }
        for await _ in pauses { return false }
        try Task.checkCancellation()
        return true
    }

    /// The answer; waits for it. Nil when the watch has ended.
    var events: [FileEvent]? {
        get async throws { try await answer.value }
    }

    /// Takes the question back; the watch is no longer asked when it returns.
    func cancel() async {
        answer.cancel()
        _ = await answer.result
    }
}
