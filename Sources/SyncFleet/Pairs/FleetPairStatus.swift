public import Foundation

/// A pair and what the fleet knows of it.
public struct FleetPairStatus: Codable, Sendable {
    /// Where a pair is between two runs.
    public enum Status: String, Codable, Sendable, CaseIterable {
        /// Due later, or paused.
        case waiting
        /// Due, and next when it is its owner's turn.
        case ready
        /// Due, but a limit is reached, or its owner or host is paused or failed.
        case parked
        /// On a worker.
        case running
    }

    /// The settings.
    public var pair: FleetPair
    /// The number of the pair's row, which names its states.
    public var id: Int64
    /// Where it is now.
    public var status: Status
    /// The gate at which it is ``Status/parked``: `owner:NAME` or `host:NAME`.
    public var parkedAt: String?
    /// Whether it is paused by itself.
    public var paused: Bool
    /// When it may run next, by the database's clock.
    public var due: Date
    /// The failed runs since the last success.
    public var failures: Int
    /// The number of times that a worker took it.
    public var fence: Int64
    /// The worker that has it.
    public var worker: String?
    /// When the last run began.
    public var lastStart: Date?
    /// When the last run ended.
    public var lastEnd: Date?
    /// When the last successful run ended.
    public var lastSuccess: Date?
    /// The outcome of the last run: a ``FleetOutcome``, `lost` or `given back`.
    public var lastOutcome: String?
    /// One sentence about the last failure; nil after a success.
    public var lastError: String?
    /// The runs that ended.
    public var runs: Int64
    /// The runs that failed.
    public var failedRuns: Int64
    /// The bytes that all runs transferred.
    public var bytes: Int64
    /// The steps of all runs that changed something.
    public var changes: Int64
}
