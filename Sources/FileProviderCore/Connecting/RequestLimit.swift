/// A limit on the requests a second to a server; one value serves all connections of a provider, or of several.
///
/// A token bucket: after a rest, up to ``burst`` requests are sent at once, then one every `1 / perSecond` seconds, in
/// the order of the calls. Packets and bytes of one transfer do not count.
public final class RequestLimit: Sendable {
    private struct State: Sendable {
        /// When the bucket is full again, counting the requests that were sent or are waiting.
        var full = Duration.zero
    }

    /// Requests a second on average.
    public let perSecond: Double
    /// Requests that are sent at once after a rest.
    public let burst: Int
    private let interval: Duration
    private let now: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = LockedValue(State())

    /// - Parameters:
    ///   - perSecond: Between 0.001 and 1,000,000; values outside are clamped.
    ///   - burst: 1 or more.
    ///   - clock: The clock to read and to sleep by.
    public init<Time: Clock & Sendable>(perSecond: Double, burst: Int = 1, clock: Time = ContinuousClock())
    where Time.Duration == Duration {
        self.perSecond = min(max(perSecond.isNaN ? 0 : perSecond, 0.001), 1_000_000)
        self.burst = min(max(1, burst), 1_000_000)
        interval = .seconds(1 / self.perSecond)
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
    }

    /// Waits until `count` more requests may be sent, in the order of the calls.
    ///
    /// - Throws: `CancellationError` at once when the task is cancelled. If no caller waits behind it, later requests
    ///   get its turn; otherwise the turn passes unused, because those behind already have theirs.
    public func take(_ count: Int = 1) async throws {
        try Task.checkCancellation()
        let cost = interval * min(max(1, count), 1_000_000)
        let (wait, end) = state.update { state in
            let time = now()
            state.full = max(state.full, time) + cost
            // The bucket holds the burst; wait for what is missing beyond that.
            return (state.full - time - interval * burst, state.full)
        }
        guard wait > .zero else { return }
        do { try await sleep(wait) } catch {
            state.update { if $0.full == end { $0.full -= cost } }
            throw error
        }
    }
}
