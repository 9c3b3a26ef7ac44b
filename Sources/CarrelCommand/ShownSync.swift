import Carrel
import Sync

/// What a run came to, in the contract's JSON.
struct ShownSync: Encodable {
    var created: Int
    var updated: Int
    var moved: Int
    var removed: Int
    var conflicts: Int
    var bytes: Int64
    var skipped: [Left]
    var failed: [Failed]
    var failures: Int
    var unheld: Int
    var postponed: [Left]
    var dryRun: Bool?

    /// An item that was left as it is.
    struct Left: Encodable {
        var side: String
        var path: String
        var reason: String
    }

    /// An item that failed.
    struct Failed: Encodable {
        var side: String
        var path: String
        var message: String
    }

    /// A step of a plan.
    struct Action: Encodable {
        var action: String
        var side: String
        var path: String
        var from: String?
        var type: String
        var size: Int64?
        var reason: String?

        init(_ action: SyncAction) {
            self.action = action.kind.rawValue
            side = action.side.shown
            path = action.path.shownBelow
            from = action.from?.shownBelow
            type = action.type.rawValue
            size = action.size
            reason = action.reason
        }
    }

    init(_ report: FolderSyncReport, isPlan: Bool) {
        (created, updated, moved, removed) = (report.created, report.updated, report.moved, report.removed)
        (conflicts, bytes, failures, unheld) = (report.conflicts, report.bytes, report.failures, report.unheld)
        skipped = report.skipped.map { Left(side: $0.side.shown, path: $0.path.shownBelow, reason: $0.reason) }
        failed = report.failed.map { Failed(side: $0.side.shown, path: $0.path.shownBelow, message: $0.reason) }
        postponed = report.postponed.map { Left(side: $0.side.shown, path: $0.path.shownBelow, reason: $0.reason) }
        dryRun = isPlan ? true : nil
    }
}

extension SyncSide {
    /// The side as scripts know it.
    fileprivate var shown: String { self == .source ? "source" : "destination" }
}

extension ProviderPath {
    /// A path below a folder, without the slash that it would begin with.
    fileprivate var shownBelow: String { String(string.dropFirst()) }
}
