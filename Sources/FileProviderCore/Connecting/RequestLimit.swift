/// The requests a second that may go to a server: one value for all connections of a provider, or of several.
///
/// A token bucket: up to ``burst`` requests go at once after a time of rest, then one each `1 / perSecond` seconds, in
/// the order in which they ask. Packets and bytes that belong to one transfer do not count.
public final class RequestLimit: Sendable {
    private struct State: Sendable {
        /// When the bucket is full again, after the requests that were let through or are waiting.
        var full = Duration.zero
    }

    /// Requests a second, over any longer time.
    public let perSecond: Double
    /// Requests that go at once after a time of rest.
    public let burst: Int
    private let interval: Duration
    private let now: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = LockedValue(State())

    /// - Parameters:
    ///   - perSecond: Between 0.001 and 1,000,000; what lies outside is taken for the nearer end.
    ///   - burst: 1 and more.
    ///   - clock: Tells the time, and is slept by.
    public init<Time: Clock & Sendable>(perSecond: Double, burst: Int = 1, clock: Time = ContinuousClock())
    where Time.Duration == Duration {
        self.perSecond = min(max(perSecond.isNaN ? 0 : perSecond, 0.001), 1_000_000)
        self.burst = min(max(1, burst), 1_000_000)
        interval = .seconds(1 / self.perSecond)
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
    }

    /// Waits until `count` more requests may go. Those that ask first go first.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled. Its turn goes to later requests if nobody
    ///   waits behind it; otherwise it passes unused, because those who wait know already when they go.
    public func take(_ count: Int = 1) async throws {
        try Task.checkCancellation()
        let cost = interval * min(max(1, count), 1_000_000)
        let (wait, end) = state.update { state in
            let time = now()
            state.full = max(state.full, time) + cost
            // The bucket holds the burst: what it lacks beyond that is waited for.
            return (state.full - time - interval * burst, state.full)
        }
        guard wait > .zero else { return }
        do { try await sleep(wait) } catch {
            state.update { if $0.full == end { $0.full -= cost } }
            throw error
        }
    }
}
