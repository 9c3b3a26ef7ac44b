public import FileProviderCore

/// The timing of a service. All times are in seconds.
public struct SyncServiceOptions: Sendable, Hashable {
    /// The quiet time after the last change before a run begins. It doubles, up to ``longestWait``, while consecutive
    /// runs find something to do: the service's own writes are reported as changes too, and a storage may change files
    /// again.
    public var quiet: Double
    /// The longest time that a change waits, even if more changes follow.
    public var longestWait: Double
    /// The time after which a run always begins, to catch changes that no watch reports.
    public var rescan: Double
    /// The pause after the first failure. It doubles with each further failure.
    public var firstPause: Double
    /// The longest pause between two tries.
    public var longestPause: Double
    /// Options for watching both sides. If a side doesn't report its changes, a run begins after
    /// ``/FileProviderCore/WatchOptions/minInterval``. While runs find nothing, the interval grows up to
    /// ``/FileProviderCore/WatchOptions/maxInterval``. Looking takes at most a fifth of the time.
    public var watch: WatchOptions

    /// Creates options. By default a run begins two seconds after the last change, at most half a minute after the
    /// first one, and at least once an hour. Failed runs are tried again after 5 seconds, then at growing intervals up
    /// to ten minutes.
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

    /// Returns the seconds until the next try after `failures` failures in a row.
    func pause(after failures: Int, error: (any Error)?) -> Double {
        RetryPolicy(firstPause: firstPause, longestPause: longestPause).pause(before: failures, after: error)
    }
}
