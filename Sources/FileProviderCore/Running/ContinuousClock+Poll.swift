extension ContinuousClock.Instant {
    /// The time that is left until then in milliseconds, rounded up, as poll(2) takes it.
    package var millisecondsLeft: Int32 {
        let left = (self - .now) / .milliseconds(1)
        return left <= 0 ? 0 : Int32(min(left, 1e9)) + 1
    }
}
