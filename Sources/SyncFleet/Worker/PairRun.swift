import FileProviderCore
import Foundation
import Sync

/// One run of a claimed pair: fetches the state, syncs, publishes the state and gives the lease back.
struct PairRun: Sendable {
    let held: HeldLease
    let queue: any FleetQueue
    let states: FleetStates
    let folders: any FleetFolders
    let options: FleetWorkerOptions
    let event: @Sendable (FleetWorker.Event) -> Void

    /// The end of a run.
    struct End: Sendable {
        var result: FleetRunResult
        /// Whether the queue is known to have the lease back.
        var isReleased: Bool
    }

    private var pair: FleetPair { held.lease.pair }

    /// The work of a run so far.
    private struct Progress: Sendable {
        var copy: FleetStates.WorkingCopy?
        /// Whether the working copy is closed, and all completed steps are in it.
        var isClosed = false
        var changes = 0
        var bytes: Int64 = 0

        mutating func count(_ action: SyncAction) {
            switch action.kind {
            case .create, .update, .conflict:
                changes += 1
                let (sum, isTooLarge) = bytes.addingReportingOverflow(max(0, action.size ?? 0))
                bytes = isTooLarge ? .max : sum
            case .move, .remove: changes += 1
            case .skip, .agree, .forget: break
            }
        }
    }

    func run() async -> End {
        let progress = LockedValue(Progress())
        let deadline = pair.deadline.map { seconds in
            Task { [held] in
                try await Task.sleep(for: .clamped(seconds: seconds))
                held.end(.deadline)
            }
        }
        let synced: Result<FolderSyncReport, any Error>
        do {
            synced = .success(try await held.run(.work) { try await sync(progress) })
        } catch {
            synced = .failure(error)
        }
        deadline?.cancel()
        let published = await publish(progress.value)
        var result = RunJudgement(held.lease, held.ending, options).result(synced, published)
        (result.changes, result.bytes) = (progress.value.changes, progress.value.bytes)
        if result.outcome == .lost { return End(result: result, isReleased: false) }
        let isSettled = progress.value.copy.map { _ in (try? published?.get()) != nil }
        switch await release(result, isSettled: isSettled) {
        case true?: return End(result: result, isReleased: true)
        case false?:
            result.outcome = .lost
            return End(result: result, isReleased: true)
        case nil: return End(result: result, isReleased: false)
        }
    }

    // MARK: Working

    private func sync(_ progress: LockedValue<Progress>) async throws -> FolderSyncReport {
        let options = try syncOptions()
        let source = try await folders.folder(at: pair.source, credential: pair.sourceCredential, of: pair)
        let destination = try await folders.folder(
            at: pair.destination, credential: pair.destinationCredential, of: pair)
        let copy = try await StateFailure.marking { try await states.workingCopy(for: held.lease) }
        if case .new(let reason?) = copy.origin { event(.startsWithoutState(pair, reason: reason)) }
        progress.update { $0.copy = copy }
        let sync = try await open(source, destination, options, progress)
        let result: Result<FolderSyncReport, any Error>
        do {
            result = .success(
                try await sync.run(control: held.control) { [pair, event] step in
                    if case .done(let action) = step { progress.update { $0.count(action) } }
                    event(.sync(pair, step))
                })
        } catch {
            result = .failure(error)
        }
        // Also after a cancellation: completed steps are recorded, and closing makes one file of the state.
        try await sync.close()
        progress.update { $0.isClosed = true }
        return try result.get()
    }

    /// Opens the pair. A state that SQLite finds damaged, or that belongs to the folders that the pair had before, is
    /// put aside for a new one.
    private func open(
        _ source: SyncFolder, _ destination: SyncFolder, _ options: SyncOptions, _ progress: LockedValue<Progress>
    ) async throws -> FolderSync {
        guard let copy = progress.value.copy else { throw CancellationError() }
        do {
            return try await FolderSync(
                source, destination, state: copy.file.url, options: options,
                isOlder: copy.isFromState && held.lease.isUnsettled)
        } catch let error where copy.isFromState && Self.isUseless(error) {
            let reason = error.loggedSentence
            event(.startsWithoutState(pair, reason: reason))
            let new = try await states.without(copy, because: reason)
            progress.update { $0.copy = new }
            return try await FolderSync(source, destination, state: new.file.url, options: options)
        }
    }

    private static func isUseless(_ error: any Error) -> Bool {
        guard let error = error as? CocoaError else { return false }
        return error.code == .fileReadCorruptFile || (error.underlying as? ForeignState)?.isOfOtherFolders == true
    }

    private func syncOptions() throws -> SyncOptions {
        do { return try JSONDecoder().decode(SyncOptions.self, from: Data(pair.options.utf8)) } catch let error
            as DecodingError
        {
            let place = error.codingPosition
            let what = error.context?.debugDescription ?? error.localizedDescription
            throw FileError.make(
                .fileReadCorruptFile, path: pair.name,
                sentence: "The options of “\(pair.name)” can't be read\(place.isEmpty ? "" : " at \(place)"): \(what)",
                underlying: error)
        }
    }

    // MARK: Ending

    /// Returns whether a new state was uploaded, or the error; `nil` if there is no state to publish.
    private func publish(_ progress: Progress) async -> Result<Bool, any Error>? {
        guard let copy = progress.copy else {
            // Fetching it may have ended early.
            try? await states.discard(held.lease)
            return nil
        }
        do {
            guard progress.isClosed else {
                try await states.discard(held.lease)
                return nil
            }
            return .success(
                try await held.run(.publishing) {
                    try Task.checkCancellation()
                    return try await StateFailure.marking {
                        try await states.publish(copy, of: held.lease, in: queue)
                    }
                })
        } catch {
            // What stays is removed when the worker's process ends or the next one starts.
            try? await states.discard(held.lease)
            return .failure(error)
        }
    }

    /// Gives the lease back, and tries until it is over.
    ///
    /// - Parameter isSettled: See ``FleetRelease/isSettled``.
    /// - Returns: Whether the lease was held until then, or `nil` if that is unknown.
    private func release(_ result: FleetRunResult, isSettled: Bool?) async -> Bool? {
        var release = RunJudgement(held.lease, held.ending, options).release(result)
        release.isSettled = isSettled
        let pauses = RetryPolicy(firstPause: 0.2, longestPause: 2)
        let isHeld = try? await held.run(.releasing) { [release] () -> Bool? in
            var tries = 0
            try Task.checkCancellation()
            while true {
                do {
                    let isHeld = try await queue.release(held.lease, release)
                    // A try whose answer was lost may have released it.
                    return isHeld || tries == 0 ? isHeld : nil
                } catch let error where !error.isCancellation && .now < held.renewed + options.lease {
                    tries += 1
                    try await Task.sleep(for: .seconds(pauses.pause(before: tries, after: error)))
                }
            }
        }
        return isHeld ?? nil
    }
}
