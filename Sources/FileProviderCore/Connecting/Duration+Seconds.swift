extension Duration {
    /// Returns a duration from 0 to 1e9 seconds, about thirty years: a limit may be given as infinite or NaN.
    package static func clamped(seconds: Double) -> Duration {
        seconds.isNaN ? .zero : .seconds(min(max(0, seconds), 1e9))
    }
}
