import FileProviderCore
import Foundation

extension Shelf {
    /// Scans all sources, then follows their changes until the task is cancelled.
    ///
    /// A file that can't be read is tried again with every change, and after pauses that grow from
    /// ``/FileProviderCore/WatchOptions/maxInterval`` to 16 times that. A watch that can't be started, or ends, is
    /// reported and started again, after pauses that grow from ``/FileProviderCore/WatchOptions/minInterval`` to the
    /// same. The catalogue stays meanwhile, and everything is listed again. Books that a listing lacks are looked for
    /// again after such a pause; see ``RemovalPolicy/cautious``.
    ///
    /// Returns at once if there are no sources.
    ///
    /// - Throws: `CancellationError`; the error of the shelf's folder if it can't be written.
    public func follow() async throws {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for source in sources { group.addTask { try await self.follow(source) } }
                while try await group.next() != nil {}
            }
        } catch let failure as OwnFailure {
            throw failure.cause
        }
    }

    private func follow(_ source: OpenedSource) async throws {
        var failures = 0
        while true {
            let began = ContinuousClock.now
            let reason: any Error
            do {
                let (changes, first) = try await start(source)
                reason = await follow(changes, after: first, of: source)
            } catch {
                reason = error
            }
            if reason is OwnFailure { throw reason }
            try Task.checkCancellation()
            interrupt(source, reason)
            failures = ContinuousClock.now - began > .seconds(options.watch.longestPause) ? 1 : failures + 1
            try await Task.sleep(for: .seconds(options.watch.pause(after: failures, error: reason)))
        }
    }

    /// Starts a watch, and looks at the whole source. If the storage doesn't report its changes, one listing is for both:
    /// the watch compares the next one with it.
    private func start(_ source: OpenedSource) async throws -> (FileChanges, Look) {
        let (provider, root) = (source.source.provider, source.source.root)
        guard provider.reportsChanges(options.watch) else {
            let tree = LockedValue(PolledTree())
            let first = try await look(at: source, .all) { item in tree.update { $0.add(item) } }
            let changes = provider.pollForChanges(
                at: root, since: tree.value, options: options.watch, asked: outcomes(of: source))
            return (changes, first)
        }
        let changes = try await provider.changes(at: root, options: options.watch, asked: outcomes(of: source))
        do { return (changes, try await look(at: source, .all)) } catch {
            await changes.stop()
            throw error
        }
    }

    /// Reports a storage that a watch waits for, and its return.
    private func outcomes(of source: OpenedSource) -> WatchOutcome {
        { [weak self] error in
            if let error { await self?.interrupt(source, error) } else { await self?.resume(source) }
        }
    }

    /// Keeps the catalogue in step until the watch ends, and ends it.
    ///
    /// - Returns: The reason.
    private func follow(_ changes: FileChanges, after first: Look, of source: OpenedSource) async -> any Error {
        var question: WatchQuestion?
        let reason: any Error
        do { reason = try await answer(changes.watch, after: first, of: source, &question) } catch { reason = error }
        await question?.cancel()
        await changes.stop()
        return reason
    }

    /// - Returns: The reason for a watch that ended without an error.
    private func answer(
        _ watch: any FileWatch, after first: Look, of source: OpenedSource, _ question: inout WatchQuestion?
    ) async throws -> any Error {
        let root = source.source.root
        var owed = Owed(first)
        var pause = options.watch.maxInterval
        while true {
            let asked = question ?? WatchQuestion(to: watch)
            question = asked
            let isAnswered = try await asked.isAnswered(within: owed.isNothing ? nil : pause)
            var events: [FileEvent] = []
            if isAnswered {
                // The next question is asked once this answer is in the catalogue.
                question = nil
                guard let answer = try await asked.events else {
                    return FileError.make(
                        .fileReadUnknown, path: root, sentence: "Its changes are no longer reported.")
                }
                events = answer
            }
            pause = owed.isNothing ? options.watch.maxInterval : min(2 * pause, options.watch.longestPause)
            // With the folder itself, everything that was in it seems to be gone. The books stay until it is back.
            if events.contains(where: { $0.kind == .removed && $0.path == root }) {
                throw FileError.make(.fileReadNoSuchFile, path: root)
            }
            let listing = listing(of: source)
            let extent = isAnswered ? owed.extent(after: events) { listing.isShown($0) } : owed.extent(root)
            owed = Owed(try await look(at: source, extent))
        }
    }
}

/// What a look left to be looked at again.
private struct Owed {
    private var unlisted: Set<ProviderPath>
    private var hasPending: Bool
    private var hasWithheld: Bool

    init(_ look: Shelf.Look) {
        unlisted = look.unlisted
        hasPending = !look.report.isComplete
        hasWithheld = look.report.withheld > 0
    }

    var isNothing: Bool { unlisted.isEmpty && !hasPending && !hasWithheld }

    /// What to look at after a pause. A second listing of everything shows whether withheld books are gone. Pending
    /// files are read with every look.
    func extent(_ root: ProviderPath) -> Shelf.Extent {
        .places(ChangedPlaces(owed: hasWithheld ? [root] : unlisted))
    }

    /// What to look at after events. Withheld books have to wait for a pause: events may follow each other closely.
    func extent(after events: [FileEvent], isShown: (ProviderPath) -> Bool) -> Shelf.Extent {
        var changed = ChangedPlaces(events, isShown: isShown)
        changed.add(unlisted)
        return .places(changed)
    }
}
