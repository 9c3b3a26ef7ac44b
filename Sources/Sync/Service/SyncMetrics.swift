import FileProviderCore
public import Foundation

/// What a service has done so far, and how it stands. No secrets.
public struct SyncMetrics: Codable, Sendable, Hashable {
    /// What a service is doing.
    public enum State: String, Codable, Sendable, Hashable, CaseIterable {
        /// Nothing is to be done, as far as is known.
        case idle
        /// A run is under way.
        case running
        /// A run begins soon: something changed, or is left to do.
        case waiting
        /// Somebody holds the service back.
        case paused
        /// The last run failed, such as for want of a connection; it is tried again after a while.
        case away
        /// The last run was refused, because it would have removed too much: somebody has to look.
        case refused
        /// The last run came to its end, and items failed for what does not pass by itself, such as a missing
        /// permission or a name that the other side cannot hold: somebody has to look. The rest is in step.
        case incomplete
    }

    /// What the service is doing.
    public var state = State.idle
    /// Runs that ended, those that failed too.
    public var runs = 0
    /// Runs that ended early for an error.
    public var failedRuns = 0
    /// Files, folders and links that were made.
    public var created = 0
    /// Files and links that were replaced.
    public var updated = 0
    /// Files that went where the other side had moved them.
    public var moved = 0
    /// Items that were removed.
    public var removed = 0
    /// Versions that got another name, because both sides had one of their own.
    public var conflicts = 0
    /// Bytes that were transferred.
    public var bytes: Int64 = 0
    /// Items that are not in step since the last run, because they failed, changed meanwhile, or cannot be held by the
    /// other side.
    public var unfinished = 0
    /// When the last run ended, in whatever way.
    public var lastRun: Date?
    /// When the last run ended that no error cut off.
    public var lastSuccess: Date?
    /// Why the last run that failed did, or the first item of one that left some behind, in a sentence.
    public var lastError: String?
    /// Runs that failed since the last one that did not.
    public var consecutiveFailures = 0

    /// Whether both sides are in step, or on their way there: the last run did not fail, also while the next one is
    /// under way, and nothing waits for somebody to look.
    public var isGood: Bool { consecutiveFailures == 0 && ![.away, .refused, .incomplete].contains(state) }

    /// Of a service that has done nothing yet.
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
