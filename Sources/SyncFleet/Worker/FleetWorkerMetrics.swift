import FileProviderCore
public import Foundation
import Sync

/// The counters of a worker, without secrets.
public struct FleetWorkerMetrics: Codable, Sendable, Hashable {
    /// The number of pairs in work.
    public var running = 0
    /// The number of pairs claimed.
    public var claims = 0
    /// The number of runs by outcome.
    public var runs: [FleetOutcome: Int] = [:]
    /// The number of items created, replaced, moved, removed or renamed.
    public var changes = 0
    /// The number of bytes transferred.
    public var bytes: Int64 = 0
    /// The number of states uploaded.
    public var publishedStates = 0
    /// The number of runs that began without the pair's state, because it was missing or damaged.
    public var missingStates = 0
    /// The number of pairs taken from workers that no longer renewed their leases.
    public var takenBack = 0
    /// The number of calls that failed because PostgreSQL could not be used.
    public var queueFailures = 0
    /// When the last run ended.
    public var lastRun: Date?
    /// When the last successful run ended.
    public var lastSuccess: Date?

    /// Creates the metrics of a worker that has done nothing yet.
    public init() {}

    mutating func count(_ action: SyncAction) {
        switch action.kind {
        case .create, .update, .move, .remove, .conflict: changes += 1
        case .skip, .agree, .forget: break
        }
        let (sum, isTooLarge) = bytes.addingReportingOverflow(action.size ?? 0)
        bytes = isTooLarge ? .max : sum
    }

    mutating func ended(_ result: FleetRunResult, at date: Date) {
        runs[result.outcome, default: 0] += 1
        if result.hasNewState { publishedStates += 1 }
        lastRun = date
        if result.outcome == .success { lastSuccess = date }
    }
}
