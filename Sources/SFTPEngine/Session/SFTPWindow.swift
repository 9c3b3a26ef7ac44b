/// How many bytes of a transfer may be on their way: as many as the line takes without long waits.
struct SFTPWindow {
    private(set) var allowed: Int
    private let minCount: Int
    private let maxCount: Int
    /// The shortest time from a request to its answer.
    private var quickest = Duration.seconds(60)

    init(first: Int, minCount: Int, maxCount: Int) {
        allowed = first
        self.minCount = minCount
        self.maxCount = maxCount
    }

    /// Allows more at once while answers come soon, and less where they queue: small requests would wait behind them.
    mutating func adapt(to delay: Duration, count: Int) {
        quickest = min(quickest, delay)
        if delay < quickest + .milliseconds(250) {
            allowed = min(maxCount, allowed + count)
        } else if delay > quickest + .milliseconds(500) {
            allowed = max(minCount, allowed - count / 2)
        }
    }
}
