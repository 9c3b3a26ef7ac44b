/// The number of bytes of a transfer that may be in flight: as many as the line carries without queueing.
struct SFTPWindow {
    private(set) var allowed: Int
    private let minCount: Int
    private let maxCount: Int
    /// The shortest time from a request to its reply.
    private var quickest = Duration.seconds(60)

    init(first: Int, minCount: Int, maxCount: Int) {
        allowed = first
        self.minCount = minCount
        self.maxCount = maxCount
    }

    /// Grows while replies arrive soon, and shrinks while they queue, because small requests would have to wait.
    mutating func adapt(to delay: Duration, count: Int) {
        quickest = min(quickest, delay)
        if delay < quickest + .milliseconds(250) {
            allowed = min(maxCount, allowed + count)
        } else if delay > quickest + .milliseconds(500) {
            allowed = max(minCount, allowed - count / 2)
        }
    }
}
