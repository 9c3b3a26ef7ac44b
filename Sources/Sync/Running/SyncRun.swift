import FileProviderCore
import Foundation

/// Carries out a plan phase by phase, with several steps at once in each phase.
struct SyncRun: Sendable {
    private let pass: SyncPass
    private let steps: SyncSteps
    private let notes: SyncNotes
    private let progress: ProgressReporter
    private let control: SyncControl
    private let event: @Sendable (SyncEvent) -> Void

    init(
        _ pass: SyncPass, throttle: Throttle?, progress: ProgressReporter, control: SyncControl,
        event: @escaping @Sendable (SyncEvent) -> Void
    ) {
        self.pass = pass
        self.progress = progress
        self.control = control
        self.event = event
        steps = SyncSteps(pass, throttle: throttle)
        notes = SyncNotes(pass)
    }

    /// The result of a step.
    private struct StepResult: Sendable {
        let action: SyncAction
        let result: Result<SyncSteps.StepOutcome, any Error>
    }

    /// The progress of the run.
    private struct Tally {
        var report: FolderSyncReport
        let triesChanging: Bool
        var inFlight: BoundedRun<StepResult>
        var needsAnotherPass = false
        /// Consecutive steps that broke off although both sides answered.
        var brokenOff = 0
        /// Folders that could not be made.
        var unmade = Sides<Set<ProviderPath>>([], [])
        /// The smallest file for which a side had no room, and the error it gave.
        var full = Sides<(size: Int64, error: any Error)?>(nil, nil)

        /// Returns the error of a side that has no room for a file of this size.
        func refusal(of action: SyncAction) -> (any Error)? {
            guard action.kind == .create || action.kind == .update, let full = full[action.side] else { return nil }
            return (action.size ?? 0) >= full.size ? full.error : nil
        }

        /// Whether a step puts something into a folder that could not be created, or that is a different folder under
        /// the same name.
        func lacksFolder(_ action: SyncAction) -> Bool {
            guard action.kind == .create || action.kind == .move, !unmade[action.side].isEmpty else { return false }
            var folder = action.path.parent
            while let path = folder {
                if unmade[action.side].contains(path) { return true }
                folder = path.parent
            }
            return false
        }
    }

    /// The default number of simultaneous transfers: the number of threads for local disks.
    private static let usual = 8
    /// After this many broken-off steps in a row, the cause is not the single items.
    private static let maxBrokenOff = 8

    /// Carries out all steps of the plan.
    ///
    /// - Parameter triesChanging: Whether a file that changed while it was read needs another pass.
    /// - Returns: Whether another pass is needed, because something made way or changed meanwhile.
    func carryOut(_ report: inout FolderSyncReport, triesChanging: Bool) async throws -> Bool {
        let capabilities = SyncSide.allCases.map { pass.capabilities[$0] }
        let inFlight = BoundedRun<StepResult>(
            transfers: pass.options.transfers, capabilities: capabilities, usual: Self.usual)
        var tally = Tally(report: report, triesChanging: triesChanging, inFlight: inFlight)
        let removed = report.removed
        progress.expectMore(try await pass.store.bytesToTransfer())
        do {
            for phase in SyncAction.Phase.allCases { try await carryOut(phase, &tally) }
        } catch {
            // Completed steps are recorded in any case.
            try? await notes.finish()
            throw error
        }
        try await notes.finish()
        report = tally.report
        let hasRoomAgain = report.removed > removed && SyncSide.allCases.contains { tally.full[$0] != nil }
        return tally.needsAnotherPass || hasRoomAgain
    }

    private func carryOut(_ phase: SyncAction.Phase, _ tally: inout Tally) async throws {
        if phase == .makeFolders { try await makeRoot() }
        try await withThrowingTaskGroup(of: BoundedRun<StepResult>.Completion.self) { group in
            do { try await carryOut(phase, &group, &tally) } catch {
                // Steps in flight end before the error is thrown; their changes are recorded like the rest.
                group.cancelAll()
                while let finished = try await tally.inFlight.next(in: &group) {
                    if case .success(let taken) = finished.result { try? await notes.add(taken.changes) }
                }
                throw error
            }
        }
    }

    private func carryOut(_ phase: SyncAction.Phase, _ group: inout BoundedRun<StepResult>.Group, _ tally: inout Tally)
        async throws
    {
        var last: PlannedAction?
        while case let actions = try await pass.store.actions(phase, after: last), let end = actions.last {
            for planned in phase == .transfer || phase == .removeFiles ? Self.spread(actions) : actions {
                // A folder is created before the folders in it, and removed after them.
                let isNextLevel = planned.depth != last?.depth && (phase == .makeFolders || phase == .removeFolders)
                while isNextLevel || !tally.inFlight.hasRoom(for: planned.action.size ?? 0),
                    let finished = try await tally.inFlight.next(in: &group)
                {
                    try await take(finished, &tally)
                }
                last = planned
                try await control.pass()
                start(planned, &group, &tally)
            }
            last = end
        }
        while let finished = try await tally.inFlight.next(in: &group) { try await take(finished, &tally) }
    }

    /// Reorders steps so that neighbours are in different folders where possible: while one file in a folder is renamed
    /// or removed, all others for the same folder wait.
    private static func spread(_ actions: [PlannedAction]) -> [PlannedAction] {
        var turns: [ProviderPath?: Int] = [:]
        let locations = actions.map { planned in
            let turn = turns[planned.action.path.parent, default: 0]
            turns[planned.action.path.parent] = turn + 1
            return turn
        }
        return actions.indices.sorted { (locations[$0], $0) < (locations[$1], $1) }.map { actions[$0] }
    }

    private func start(_ planned: PlannedAction, _ group: inout BoundedRun<StepResult>.Group, _ tally: inout Tally) {
        let action = planned.action
        if action.kind == .skip {
            tally.report.skip(FolderSyncReport.Item(action.side, action.path, action.reason ?? ""))
            return
        }
        let size = action.size ?? 0
        // The folder's own failure is already reported.
        if tally.lacksFolder(action) { return progress.expectMore(-size) }
        if let error = tally.refusal(of: action) {
            progress.expectMore(-size)
            let item = FolderSyncReport.Item(action.side, action.path, error)
            tally.report.fail(item)
            return event(.failed(action, item))
        }
        control.beginStep()
        tally.inFlight.start(size, in: &group) {
            defer { control.endStep() }
            let operation = FileOperationType.copy(
                source: pass.folders[action.side.other].path(of: action.path).string,
                destination: pass.folders[action.side].path(of: action.path).string)
            let part = size > 0 ? progress.part(operation, kind: .copying, units: size) : nil
            event(.began(action, progress: part?.progress))
            let result: Result<SyncSteps.StepOutcome, any Error>
            do {
                result = .success(try await steps.take(planned, progress: part?.reporter ?? ProgressReporter()))
            } catch {
                result = .failure(error)
            }
            part?.finish()
            // Bytes that are not transferred no longer count towards the progress.
            progress.expectMore((part?.reporter.completed ?? size) - size)
            return StepResult(action: action, result: result)
        }
    }

    private func take(_ finished: StepResult, _ tally: inout Tally) async throws {
        let action = finished.action
        switch finished.result {
        case .success(let taken):
            try await notes.add(taken.changes)
            tally.brokenOff = 0
            tally.report.count(action)
            if taken.hasMore || taken.isChanging && tally.triesChanging { tally.needsAnotherPass = true }
            event(.done(action))
        case .failure(let error):
            if let change = Self.unkept(action, error) { try await notes.add([change]) }
            if error.isBrokenOff { tally.brokenOff += 1 }
            if error.isOutOfSpace {
                // Smaller files and removals, which make room, go on.
                let size = action.size ?? 0
                tally.full[action.side] = (min(size, tally.full[action.side]?.size ?? size), error)
            } else {
                let isOwn = await pass.isItsOwn(error)
                guard isOwn, tally.brokenOff < Self.maxBrokenOff else { throw error }
            }
            if action.kind == .create, action.type == .directory { tally.unmade[action.side].insert(action.path) }
            let item = FolderSyncReport.Item(side(of: error, action), action.path, error)
            if let error = error as? LeftOutThere {
                tally.report.skip(
                    FolderSyncReport.Item(action.side, action.path, error.sentence, isLeftOut: error.isInside))
            } else if error is ChangedMeanwhile || error.isChangedWhileReading {
                if error is ChangedMeanwhile || tally.triesChanging { tally.needsAnotherPass = true }
                tally.report.postpone(item)
                event(.postponed(action))
            } else {
                tally.report.fail(item)
                event(.failed(action, item))
            }
        }
    }

    /// The change that notes that a step may have left a whole or partial file of ours. `nil` for steps that wrote
    /// nothing.
    private static func unkept(_ action: SyncAction, _ error: any Error) -> SyncChange? {
        guard action.kind == .create || action.kind == .update, action.type == .regular, !error.isCancellation else {
            return nil
        }
        if error is LeftOutThere || error.isChangedWhileReading || (error as? ChangedMeanwhile)?.isAfterWrite == false {
            return nil
        }
        return .unkept(action.path, action.side, isFresh: error is UnkeptWriteError)
    }

    /// Returns the side that a step's error is about: the side that changes, or the other if its file can't be read.
    private func side(of error: any Error, _ action: SyncAction) -> SyncSide {
        let isAboutOther = pass.folders[action.side.other].isNamed(by: error, at: action.path)
        return isAboutOther && !pass.folders[action.side].isNamed(by: error, at: action.path)
            ? action.side.other : action.side
    }

    /// Creates the destination folder if it is missing.
    private func makeRoot() async throws {
        guard pass.store.agreedCount == 0, pass.store.count(on: .destination) == 0 else { return }
        let folder = pass.folders.destination
        do { try await folder.provider.createFolderWithParents(path: folder.path) } catch let error
            where error.isFileExists
        {
            // A symbolic link to a folder is also fine.
            _ = try await folder.provider.contentsOfDirectory(path: folder.path)
        }
    }
}

/// An excluded item has the name, or a folder to be removed holds only excluded items.
struct LeftOutThere: LocalizedError {
    let side: SyncSide
    var isInside = false

    var errorDescription: String? {
        if isInside { return "The other side no longer has this folder. It stays because it holds excluded items." }
        return "The \(side == .source ? "source" : "destination") already has an excluded item with this name."
    }
}

extension Error {
    /// Whether a connection was lost during an operation, or timed out.
    var isBrokenOff: Bool { [.timedOut, .networkConnectionLost].contains((self as? URLError)?.code) }

    fileprivate var isOutOfSpace: Bool { (self as? CocoaError)?.code == .fileWriteOutOfSpace }

    /// Whether a file changed or disappeared while it was being read.
    var isChangedWhileReading: Bool {
        var error = self as? CocoaError
        while let one = error {
            if (one.underlying as? POSIXError)?.code == .ESTALE { return true }
            error = one.underlying as? CocoaError
        }
        return false
    }
}
