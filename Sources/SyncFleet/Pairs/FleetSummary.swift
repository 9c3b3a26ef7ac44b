public import Foundation

/// Counts for people and monitoring.
public struct FleetSummary: Codable, Sendable {
    /// A worker that was seen within the last five minutes.
    public struct Worker: Codable, Sendable {
        /// Its name, unique in the fleet.
        public var name: String
        /// The program's version.
        public var version: String
        /// The pairs that it runs.
        public var running: Int
        /// Whether it has stopped taking pairs.
        public var stopping: Bool
        /// When it began.
        public var started: Date
        /// When it was last seen, by the database's clock.
        public var seen: Date
    }

    /// An owner or a host with a limit, a run, a pause or a failure.
    public struct Gate: Codable, Sendable {
        /// The name of the owner; of a host with its port, unless that is the usual one.
        public var name: String
        /// The runs at once that are allowed; nil for no limit.
        public var limit: Int?
        /// The runs now.
        public var running: Int
        /// The failures that closed it, since the last success.
        public var failures: Int
        /// The seconds until it opens after a failure; nil if it is open.
        public var closedFor: Double?
        /// Whether it is paused.
        public var paused: Bool
    }

    /// All pairs: the sum of ``waiting``, ``ready``, ``parked`` and ``running``.
    public var pairs: Int
    /// The pairs due later, and the paused ones.
    public var waiting: Int
    /// The pairs that a worker may take now.
    public var ready: Int
    /// The due pairs whose owner or host is full, paused or closed after a failure.
    public var parked: Int
    /// The pairs on workers.
    public var running: Int
    /// The paused pairs, without those of paused owners and hosts.
    public var paused: Int
    /// The pairs whose last run failed or was refused.
    public var failing: Int
    /// The runs of all pairs that ended.
    public var runs: Int64
    /// The runs of all pairs that failed.
    public var failedRuns: Int64
    /// The bytes that all runs transferred.
    public var bytes: Int64
    /// The steps of all runs that changed something.
    public var changes: Int64
    /// Seconds since the longest waiting of the ``ready`` pairs was due; nil if there is none.
    public var oldestReady: Double?
    /// The workers by name.
    public var workers: [Worker]
    /// At most 1,000 owners, those with the most runs first.
    public var owners: [Gate]
    /// At most 1,000 hosts, those with the most runs first.
    public var hosts: [Gate]
}
