/// Verifies that a transfer moves a minimum number of bytes in each minute in which it is due to move any.
package struct RateWatch: Sendable {
    /// The start of the count, and the bytes that had moved by then; nil while none are due.
    private var minute: (start: ContinuousClock.Instant, moved: Int64)?
    private static let span = Duration.seconds(60)

    /// Creates a watch that counts nothing yet.
    package init() {}

    /// The time of the next check; `now` if fewer than `least` bytes moved in the last minute.
    ///
    /// A transfer that doesn't move at all is left to the idle time, because a server may be busy for long before it
    /// answers.
    package mutating func deadline(moved: Int64, least: Int64, now: ContinuousClock.Instant) -> ContinuousClock.Instant
    {
        let begun = minute ?? (now, moved)
        minute = begun
        guard now - begun.start >= Self.span else { return begun.start + Self.span }
        if moved > begun.moved, moved - begun.moved < least { return now }
        minute = (now, moved)
        return now + Self.span
    }

    /// Restarts the minute with the next bytes, because none were due, or the transfer waited for this side.
    package mutating func pause() { minute = nil }
}
