import Carrel
import Foundation
import Sync

/// Prints what a sync does: a line for each step, or JSON, and failures on standard error.
final class SyncOutput: Sendable {
    let bar: ProgressBar
    private let pair: Pair
    /// The location of the pair's state.
    private let file: URL
    private let session: Session
    private var common: CommonOptions { session.common }
    private var output: Output { session.output }
    private let state = LockedValue(State())

    private struct State: Sendable {
        /// The error after which nothing can be written, such as a closed pipe. The run continues, and fails at its
        /// end.
        var failure: (any Error)?
        /// The lines printed about the current run and the previous one. Repeated lines are not printed again.
        var said: Set<String> = []
        var saidBefore: Set<String> = []

        /// Whether a line is new since a run that didn't have it.
        mutating func isNews(_ text: String) -> Bool {
            guard said.count < 3 * FolderSyncReport.maxNamed, said.insert(text).inserted else { return false }
            return !saidBefore.contains(text)
        }
        /// Whether the array of planned steps has begun.
        var hasActions = false
    }

    init(_ pair: Pair, state file: URL, session: Session) {
        self.pair = pair
        self.file = file
        self.session = session
        bar = ProgressBar(isQuiet: session.common.quiet)
    }

    // MARK: Steps

    /// Prints a step of a run.
    func happened(_ event: SyncEvent) {
        switch event {
        case .began, .postponed: break
        case .done(let action): tell { try done(action) }
        case .failed(_, let item): say(item)
        }
    }

    /// Prints an event of a service.
    ///
    /// - Throws: A closed pipe.
    func happened(_ event: SyncService.Event) throws {
        switch event {
        case .began: state.update { ($0.saidBefore, $0.said) = ($0.said, []) }
        case .sync(let step): happened(step)
        case .ended(let report): try end(report, isPlan: false)
        case .unwatched(let side, let error):
            if common.verbose { bar.clear() }
            session.remark("\(shown(side, .root)) cannot be watched for now: \(error?.sentence ?? "the watch ended.")")
        case .failed(let error, _):
            guard state.update({ $0.isNews(error.sentence) }) else { break }
            Session.say(SyncPair.locate(error, pair: pair, state: file), verb: SyncFolders.verb, location: nil)
            if common.json { output.printError(error.innermost) }
        }
        if let failure = state.value.failure { throw failure }
    }

    private func done(_ action: SyncAction) throws {
        guard !common.json, !common.quiet, let line = line(action) else { return }
        bar.clear()
        try output.line(line)
        try output.flush()
    }

    /// Prints a planned step. A plan may be as large as the tree, so steps are not collected.
    func planned(_ action: SyncAction) {
        tell {
            if common.json {
                let isFirst = state.update { state in
                    defer { state.hasActions = true }
                    return !state.hasActions
                }
                try output.element(ShownSync.Action(action), isFirst: isFirst, of: "actions")
            } else if !common.quiet, let line = line(action) {
                try output.line("would be \(line)")
            }
        }
    }

    private func line(_ action: SyncAction) -> String? {
        let operand = shown(action.side, action.path)
        return switch action.kind {
        case .create: "created \(operand)"
        case .update: "updated \(operand)"
        case .move: "moved \(action.from.map { shown(action.side, $0) } ?? "") -> \(operand)"
        case .remove: "removed \(operand)"
        case .conflict: "set aside \(operand)"
        case .skip, .agree, .forget: nil
        }
    }

    private func tell(_ body: () throws -> Void) {
        if state.value.failure != nil { return }
        do { try body() } catch { state.update { $0.failure = error } }
    }

    // MARK: The end

    /// Prints the result of a run.
    ///
    /// - Throws: The error that kept its steps from being printed.
    func end(_ report: FolderSyncReport, isPlan: Bool) throws {
        bar.clear()
        for item in report.failed + report.postponed { say(item) }
        for item in report.skipped where !item.isLeftOut { say(item) }
        if let failure = state.value.failure { throw failure }
        if common.json {
            let shown = ShownSync(report, isPlan: isPlan)
            try isPlan
                ? output.endDocument(shown, after: "actions", isEmpty: !state.value.hasActions) : output.json(shown)
        } else if !common.quiet {
            for item in report.skipped where item.isLeftOut {
                let line = "skipped \(shown(item.side, item.path)): \(item.reason)"
                if state.update({ $0.isNews(line) }) { try output.line(line) }
            }
            if report.hasChanges { try output.line(summary(report, isPlan: isPlan)) }
        }
        try output.flush()
    }

    private func summary(_ report: FolderSyncReport, isPlan: Bool) -> String {
        let counts = [
            (report.created, "created"), (report.updated, "updated"), (report.moved, "moved"),
            (report.removed, "removed"),
            (report.conflicts, "set aside"),
        ]
        let text = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return (isPlan ? "would be: " : "") + text + "; \(ProgressBar.bytes(report.bytes))"
    }

    /// - Throws: A failure with exit code 7 if the sides are not in step, apart from items left out on purpose.
    func checkComplete(_ report: FolderSyncReport) throws {
        let count = report.failures + report.postponed.count + report.unheld
        guard count > 0 else { return }
        throw CommandFailure(
            status: .partlyDone, sentence: "\(count) items are not in step.", isSaid: true, hasDocument: common.json)
    }

    // MARK: Standard error

    /// Prints one line for an item, once in a run.
    private func say(_ item: FolderSyncReport.Item) {
        let operand = shown(item.side, item.path)
        guard state.update({ $0.isNews(operand) }) else { return }
        bar.clear()
        let error = item.error ?? CommandFailure(status: .partlyDone, sentence: item.reason)
        Session.say(error, verb: SyncFolders.verb, location: operand)
    }

    private func shown(_ side: SyncSide, _ path: ProviderPath) -> String {
        let operand = side == .source ? pair.source : pair.target
        return operand.shown(of: operand.path.appending(path))
    }
}
