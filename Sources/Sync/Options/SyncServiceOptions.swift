public import FileProviderCore

/// When a service brings its two folders in step. All times are seconds.
public struct SyncServiceOptions: Sendable, Hashable {
    /// How long nothing more has to change before a run begins. It doubles, up to ``longestWait``, while one run after
    /// the other finds something to do: what a run writes is told as a change, too, and a storage may change it again.
    public var quiet: Double
    /// How long a change waits at most, however much follows it.
    public var longestWait: Double
    /// After how long a run begins in any case: for what no watch tells.
    public var rescan: Double
    /// The pause after the first of several failures; it doubles from one to the next.
    public var firstPause: Double
    /// The longest pause between two tries.
    public var longestPause: Double
    /// How both sides are watched. Where nobody tells of one's changes, a run begins after
    /// ``FileProviderCore/WatchOptions/minInterval``, and while runs find nothing ever more seldom, down to every
    /// ``FileProviderCore/WatchOptions/maxInterval`` or a fifth of the time.
    public var watch: WatchOptions

    /// The defaults: two seconds after the last change and half a minute after the first one, at least once an hour;
    /// what failed is tried again after 5 seconds, and ever more seldom down to every ten minutes.
    public init(
        quiet: Double = 2, longestWait: Double = 30, rescan: Double = 3600, firstPause: Double = 5,
        longestPause: Double = 600,
        watch: WatchOptions = WatchOptions()
    ) {
        self.quiet = quiet
        self.longestWait = longestWait
        self.rescan = rescan
        self.firstPause = firstPause
        self.longestPause = longestPause
        self.watch = watch
    }

    /// Seconds until the next try after so many failures in a row.
    func pause(after failures: Int, error: (any Error)?) -> Double {
        RetryPolicy(firstPause: firstPause, longestPause: longestPause).pause(before: failures, after: error)
    }
}
