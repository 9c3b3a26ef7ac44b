import Foundation

/// The two clocks of each side: one for the time in messages, one for measuring durations.
///
/// A peer's clock is never compared with these.
public protocol TimeSource: Sendable {
    /// Seconds since 1970 of the wall clock; may stop or go back.
    var wallClock: Double { get }
    /// Seconds since some moment; never goes back. Stops while the machine sleeps.
    var elapsed: Double { get }
    /// Waits for `seconds`.
    /// - Throws: `CancellationError`.
    func sleep(seconds: Double) async throws
}

/// The clocks of this machine.
public struct SystemTime: TimeSource {
    private static let start = SuspendingClock.now

    /// Creates a source with this machine's clocks.
    public init() {}

    /// The time of `Date`.
    public var wallClock: Double { Date().timeIntervalSince1970 }
    /// The time since the first use, without the time asleep: after a sleep, no peer seems to have been silent.
    public var elapsed: Double { Self.start.duration(to: .now) / .seconds(1) }

    /// Waits on the same clock.
    public func sleep(seconds: Double) async throws { try await Task.sleep(for: .seconds(seconds), clock: .suspending) }
}
