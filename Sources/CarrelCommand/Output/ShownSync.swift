import Carrel
import Foundation
import Sync

/// The result of a run, in the contract's JSON.
struct ShownSync: Encodable {
    var created: Int
    var updated: Int
    var moved: Int
    var removed: Int
    var conflicts: Int
    var bytes: Int64
    var skipped: [Left]
    var failed: [FailedItem]
    var failures: Int
    var unheld: Int
    var postponed: [Left]
    var dryRun: Bool?

    /// An item that was left as it is.
    struct Left: Encodable {
        var side: String
        var path: String
        var pathBytes: String?
        var reason: String

        init(_ item: FolderSyncReport.Item) {
            (side, path, pathBytes, reason) = (item.side.shown, item.path.shownBelow, item.path.bytesBelow, item.reason)
        }
    }

    /// An item that failed.
    struct FailedItem: Encodable {
        var side: String
        var path: String
        var pathBytes: String?
        var message: String

        init(_ item: FolderSyncReport.Item) {
            (side, path, pathBytes, message) = (
                item.side.shown, item.path.shownBelow, item.path.bytesBelow, item.reason
            )
        }
    }

    /// A step of a plan.
    struct Action: Encodable {
        var action: String
        var side: String
        var path: String
        var pathBytes: String?
        var from: String?
        var fromBytes: String?
        var type: String
        var size: Int64?
        var reason: String?

        init(_ action: SyncAction) {
            self.action = action.kind.rawValue
            side = action.side.shown
            (path, pathBytes) = (action.path.shownBelow, action.path.bytesBelow)
            (from, fromBytes) = (action.from?.shownBelow, action.from?.bytesBelow)
            type = action.type.rawValue
            size = action.size
            reason = action.reason
        }
    }

    init(_ report: FolderSyncReport, isPlan: Bool) {
        (created, updated, moved, removed) = (report.created, report.updated, report.moved, report.removed)
        (conflicts, bytes, failures, unheld) = (report.conflicts, report.bytes, report.failures, report.unheld)
        (skipped, failed, postponed) = (
            report.skipped.map(Left.init), report.failed.map(FailedItem.init), report.postponed.map(Left.init)
        )
        dryRun = isPlan ? true : nil
    }
}

extension SyncSide {
    /// The name of the side in JSON.
    fileprivate var shown: String { self == .source ? "source" : "destination" }
}

extension ProviderPath {
    /// The path below a folder, without the leading slash.
    var shownBelow: String { String(string.dropFirst()) }

    /// The path in base64 if it is not UTF-8.
    var bytesBelow: String? {
        let bytes = components.joined(separator: [UInt8(ascii: "/")])
        return String(validating: bytes, as: UTF8.self) == nil ? Data(bytes).base64EncodedString() : nil
    }
}
