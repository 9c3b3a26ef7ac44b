import FileProviderCore
import Foundation

extension FolderSyncReport {
    /// The counts for a log line.
    var counts: String {
        """
        \(created) created, \(updated) updated, \(moved) moved, \(removed) removed, \(conflicts) conflicts, \(bytes) bytes; \
        \(failures) failed, \(postponed.count) postponed, \(skipped.count) skipped
        """
    }
}

extension SyncEvent {
    /// One line for a log.
    var line: String {
        switch self {
        case .began(let action, _): "begins: \(action.line)"
        case .done(let action): "done: \(action.line)"
        case .failed(let action, let item): "failed: \(action.line): \(item.reason)"
        case .postponed(let action): "postponed: \(action.line)"
        }
    }
}

extension SyncAction {
    /// The step as part of a log line.
    fileprivate var line: String { "\(kind) \(from.map { "\($0) → " } ?? "")\(path) at the \(side)" }
}
