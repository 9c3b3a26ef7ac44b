import Carrel
import Foundation
import Sync

/// What `sync` does with a pair of folders, and how it tells of it.
final class SyncCommandRun: Sendable {
    private let verb: SyncFolders
    private let places: [Place]
    private let session: Session
    private let bar: ProgressBar
    /// What standard output said of a line; thrown when the run is over.
    private let closedPipe = Locked<(any Error)?>(nil)

    init(_ verb: SyncFolders, _ places: [Place], _ session: Session) {
        self.verb = verb
        self.places = places
        self.session = session
        bar = ProgressBar(isQuiet: verb.common.quiet)
    }

    /// Tells what a run would do.
    func plan(_ sync: FolderSync) async throws {
        let actions = Collected<ShownAction>()
        let report = try await sync.plan { [self] action in
            if verb.common.json { actions.append(ShownAction(action)) } else { show(action, "would ") }
        }
        try throwClosedPipe()
        if verb.common.json { try session.output.json(ShownSync(report, dryRun: true, actions: actions.values)) }
        try judge(report)
    }

    /// Brings both in step once.
    func once(_ sync: FolderSync) async throws {
        defer { bar.clear() }
        let report = try await sync.run(progress: bar.reporter) { [self] in tell($0) }
        bar.clear()
        try throwClosedPipe()
        if verb.common.json { try session.output.json(ShownSync(report)) }
        try judge(report)
    }

    /// Keeps both in step until the task is cancelled.
    func keep(_ sync: FolderSync) async throws {
        let service = SyncService(sync)
        try await service.run { [self] event in
            switch event {
            case .began: break
            case .sync(let step): tell(step)
            case .ended(let report):
                if verb.common.json, report.hasChanges || !report.isComplete { say { try session.output.json(ShownSync(report)) } }
                for item in report.skipped + report.failed + report.postponed { complain(item) }
                say { try session.output.flush() }
            case .failed(let error, let seconds):
                Session.say(error, verb: SyncFolders.verb, location: places[0].shown)
                session.remark("the next try is in \(Int(seconds.rounded(.up))) s")
            }
            if closedPipe.value != nil { withUnsafeCurrentTask { $0?.cancel() } }
        }
        try throwClosedPipe()
        throw CancellationError()
    }

    private func tell(_ event: SyncEvent) {
        if case .done(let action) = event, !verb.common.json { show(action, "") }
    }

    private func show(_ action: SyncAction, _ would: String) {
        guard !verb.common.quiet, let word = Self.words[action.kind] else { return }
        let place = places[action.side.rawValue]
        let from = action.from.map { place.shown(of: place.path.appending($0)) + " -> " } ?? ""
        bar.clear()
        say {
            try session.output.line(
                "\(would)\(would.isEmpty ? word.done : word.plan) \(from)\(place.shown(of: place.path.appending(action.path)))")
        }
    }

    private static let words: [SyncAction.Kind: (plan: String, done: String)] = [
        .create: ("create", "created"), .update: ("update", "updated"), .move: ("move", "moved"), .remove: ("remove", "removed"),
        .conflict: ("rename after a conflict", "renamed after a conflict"),
    ]

    private func say(_ body: () throws -> Void) {
        do { try body() } catch { closedPipe.update { $0 = $0 ?? error } }
    }

    private func throwClosedPipe() throws {
        if let error = closedPipe.value { throw error }
    }

    private func complain(_ item: FolderSyncReport.Item) {
        if verb.common.quiet, item.error == nil { return }
        let place = places[item.side.rawValue]
        Output.standardError("carrel: sync \(place.shown(of: place.path.appending(item.path))): \(item.reason)")
    }

    /// Says what was not done, and ends the verb with the code for it.
    private func judge(_ report: FolderSyncReport) throws {
        for item in report.skipped + report.failed + report.postponed { complain(item) }
        let refused = report.skipped.count { !$0.isByOption }
        let count = report.failures + report.postponed.count + refused
        if count > 0 {
            throw CommandFailure(
                status: .partlyDone, sentence: "\(count) items are not in step.", isSaid: true, hasDocument: verb.common.json)
        }
    }
}

/// A report in the contract's JSON.
private struct ShownSync: Encodable {
    struct Item: Encodable {
        var side: String
        var path: String
        var reason: String

        init(_ item: FolderSyncReport.Item) {
            side = item.side.shown
            path = item.path.string
            reason = item.reason
        }
    }

    var created: Int
    var updated: Int
    var moved: Int
    var removed: Int
    var conflicts: Int
    var bytes: Int64
    var skipped: [Item]
    var failed: [Item]
    var postponed: [Item]
    var dryRun: Bool?
    var actions: [ShownAction]?

    init(_ report: FolderSyncReport, dryRun: Bool? = nil, actions: [ShownAction]? = nil) {
        (created, updated, moved, removed) = (report.created, report.updated, report.moved, report.removed)
        (conflicts, bytes) = (report.conflicts, report.bytes)
        (skipped, failed, postponed) = (report.skipped.map(Item.init), report.failed.map(Item.init), report.postponed.map(Item.init))
        (self.dryRun, self.actions) = (dryRun, actions)
    }
}

/// A step of a plan in the contract's JSON.
private struct ShownAction: Encodable, Sendable {
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
        path = action.path.string
        from = action.from?.string
        type = action.type.rawValue
        size = action.size
        reason = action.reason
    }
}

extension SyncSide {
    fileprivate var shown: String { self == .source ? "source" : "target" }
}
