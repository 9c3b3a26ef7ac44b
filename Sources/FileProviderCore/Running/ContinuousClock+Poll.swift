extension ContinuousClock.Instant {
    /// The milliseconds left until this instant, rounded up, as poll(2) takes them.
    package var millisecondsLeft: Int32 {
        let left = (self - .now) / .milliseconds(1)
        return left <= 0 ? 0 : Int32(min(left, 1e9)) + 1
    }
}
