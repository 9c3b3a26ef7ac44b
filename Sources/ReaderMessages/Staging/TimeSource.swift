import Foundation

/// The clocks that both sides live by: one that tells what stands in messages, one that measures how long things take.
///
/// What a peer's clock says is never compared with these.
public protocol TimeSource: Sendable {
    /// Seconds since 1970 as people see them; may stand still or go back.
    var wallClock: Double { get }
    /// Seconds since some moment; never goes back. Stands still while the machine sleeps.
    var elapsed: Double { get }
    /// Waits.
    /// - Throws: `CancellationError`.
    func sleep(seconds: Double) async throws
}

/// The clocks of this machine.
public struct SystemTime: TimeSource {
    private static let start = SuspendingClock.now

    /// The clocks of this machine.
    public init() {}

    /// By `gettimeofday`.
    public var wallClock: Double { Date().timeIntervalSince1970 }
    /// Time asleep does not count: whoever wakes finds the others where they were, and nobody has kept silent.
    public var elapsed: Double { Self.start.duration(to: .now) / .seconds(1) }

    /// Waits by the same clock.
    public func sleep(seconds: Double) async throws { try await Task.sleep(for: .seconds(seconds), clock: .suspending) }
}
