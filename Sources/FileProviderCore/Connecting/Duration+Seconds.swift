extension Duration {
    /// So many seconds, from none to about thirty years: what is given for a limit may be infinite, or no number.
    package static func clamped(seconds: Double) -> Duration {
        seconds.isNaN ? .zero : .seconds(min(max(0, seconds), 1e9))
    }
}
