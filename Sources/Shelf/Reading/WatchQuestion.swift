import FileProviderCore

/// A question to a watch for its next changes. It outlasts the caller's pauses: if each pause ended it, a look that
/// takes longer than a pause would never end.
struct WatchQuestion: Sendable {
    private let answer: Task<[FileEvent]?, any Error>
    /// A value for each pause that is over; ends with the answer.
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

    /// Waits for the answer, but no longer than `pause` seconds.
    ///
    /// - Parameter pause: `nil` waits as long as it takes.
    /// - Throws: `CancellationError` if the task is cancelled; the question stands, as after a pause.
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

    /// The answer; waits for it. `nil` if the watch has ended.
    var events: [FileEvent]? {
        get async throws { try await answer.value }
    }

    /// Withdraws the question. The watch isn't asked any more when it returns.
    func cancel() async {
        answer.cancel()
        _ = await answer.result
    }
}

extension WatchOptions {
    /// The longest time between two attempts, in seconds.
    var longestPause: Double { 16 * maxInterval }

    /// Seconds until the next attempt after so many failures in a row, or longer if the server said so. Half of it is
    /// random, so that many clients don't come back at the same moment.
    func pause(after failures: Int, error: (any Error)? = nil) -> Double {
        let backoff = min(longestPause, minInterval * Double(1 << min(max(0, failures - 1), 16)))
        let asked = (error as? any RetryAfterError)?.retryAfter ?? 0
        return min(longestPause, max(asked, backoff * Double.random(in: 0.5...1)))
    }
}
