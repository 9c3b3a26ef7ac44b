/// Sees that a transfer moves a least number of bytes in each minute in which it moves any.
package struct RateWatch: Sendable {
    /// Since when bytes are counted, and how many had moved by then; nil while none are due.
    private var minute: (start: ContinuousClock.Instant, moved: Int64)?
    private static let span = Duration.seconds(60)

    /// Counts nothing yet.
    package init() {}

    /// When the transfer has to be looked at again; `now` if it moved fewer than `least` bytes in the last minute.
    ///
    /// What does not move at all is the idle time's affair: a server may be busy for long before it answers.
    package mutating func deadline(moved: Int64, least: Int64, now: ContinuousClock.Instant) -> ContinuousClock.Instant
    {
        let begun = minute ?? (now, moved)
        minute = begun
        guard now - begun.start >= Self.span else { return begun.start + Self.span }
        if moved > begun.moved, moved - begun.moved < least { return now }
        minute = (now, moved)
        return now + Self.span
    }

    /// Begins a new minute with the next bytes: none were due, or this side was waited for.
    package mutating func pause() { minute = nil }
}
