import FileProviderCore
public import Foundation

/// The counters and the state of a service, without secrets.
public struct SyncMetrics: Codable, Sendable, Hashable {
    /// The state of a service.
    public enum State: String, Codable, Sendable, Hashable, CaseIterable {
        /// Nothing is known to be out of step.
        case idle
        /// A run is under way.
        case running
        /// A run will begin soon, because something changed or is left to do.
        case waiting
        /// The service is paused.
        case paused
        /// The last run failed, for example without a connection. The service will try again.
        case away
        /// The last run was refused because it would have removed too much. It needs attention.
        case refused
        /// The last run finished, but some items failed for a lasting reason, such as a missing permission or a name
        /// that the other side can't hold. They need attention; the rest is in step.
        case incomplete
    }

    /// The current state.
    public var state = State.idle
    /// The number of runs that ended, including failed ones.
    public var runs = 0
    /// The number of runs that an error ended early.
    public var failedRuns = 0
    /// The number of files, folders and links created.
    public var created = 0
    /// The number of files and links replaced.
    public var updated = 0
    /// The number of files moved as on the other side.
    public var moved = 0
    /// The number of items removed.
    public var removed = 0
    /// The number of versions renamed because both sides had changed the item.
    public var conflicts = 0
    /// The number of bytes transferred.
    public var bytes: Int64 = 0
    /// The number of items that the last run left out of step because they failed, changed meanwhile, or can't be held
    /// by the other side.
    public var unfinished = 0
    /// When the last run ended, successfully or not.
    public var lastRun: Date?
    /// When the last run ended that no error cut short.
    public var lastSuccess: Date?
    /// The reason of the last failed run, or of the first item that a run left behind, in a sentence.
    public var lastError: String?
    /// The number of runs that failed since the last successful one.
    public var consecutiveFailures = 0

    /// Whether both sides are in step or on their way there: the last run did not fail and nothing needs attention.
    /// Stays `true` while the next run is under way.
    public var isGood: Bool { consecutiveFailures == 0 && ![.away, .refused, .incomplete].contains(state) }

    /// Creates the metrics of a service that has done nothing yet.
    public init() {}

    mutating func count(_ action: SyncAction) {
        switch action.kind {
        case .create: created += 1
        case .update: updated += 1
        case .move: moved += 1
        case .remove: removed += 1
        case .conflict: conflicts += 1
        case .skip, .agree, .forget: break
        }
        bytes = bytes.adding(size: action)
    }

    mutating func ended(_ report: FolderSyncReport, at date: Date) {
        runs += 1
        unfinished = report.failures + report.postponed.count + report.unheld
        (lastRun, lastSuccess) = (date, date)
        consecutiveFailures = 0
        if let item = report.remaining.first { lastError = "\(item.path) at the \(item.side): \(item.reason)" }
    }

    mutating func failed(_ error: any Error, at date: Date) {
        runs += 1
        failedRuns += 1
        lastRun = date
        lastError = error.sentence
        consecutiveFailures += 1
    }
}
