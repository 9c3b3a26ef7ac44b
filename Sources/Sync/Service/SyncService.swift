import FileProviderCore
import Foundation
public import Logging

/// Keeps two folders in step while it runs: it watches both, and runs a sync after changes.
///
/// Collects the changes of both sides until they pause. If a storage doesn't report changes, runs follow each other,
/// sooner if they find something; a run that finds nothing costs one listing and keeps nothing in memory. A failed run
/// is repeated at growing intervals. A run that is refused because it would remove too much waits for a change or for
/// the regular complete look.
public actor SyncService {
    /// An event of the service.
    public enum Event: Sendable {
        /// A run begins.
        case began
        /// A run ended; single items may have failed.
        case ended(FolderSyncReport)
        /// A run failed. It is tried again after at most so many seconds.
        case failed(any Error, retryIn: Double)
        /// A side's watch could not start or has ended. It is tried again; until then, runs look for changes.
        case unwatched(SyncSide, (any Error)?)
        /// A step of the current run; steps of several files overlap.
        case sync(SyncEvent)
    }

    /// How the last run went.
    private enum LastOutcome {
        case fine, unfinished, incomplete, away, refused
    }

    /// The tasks that sleep.
    private enum Sleeper: Hashable {
        /// The task that begins the runs.
        case work
        /// The task that starts a side's watch.
        case watch(SyncSide)
    }

    /// The most failed items of one run that are logged. The last line of the run has their number.
    private static let maxLogged = 20
    /// The failed items of the last run, which are not news in the next one.
    private var lastFailed: Set<String> = []

    private let sync: FolderSync
    private let options: SyncServiceOptions
    private let logger: Logger?
    private let control = SyncControl()
    private let counted = LockedValue(SyncMetrics())
    private let sleepers = Sleepers<Sleeper>()
    private let listeners = EventListeners<Event>()
    /// The task that ``run(event:)`` waits for; `nil` while it does not run.
    private var running: Task<Void, Never>?
    private var isWorking = false

    private var standing = LastOutcome.fine
    /// Consecutive runs that left something to do.
    private var failures = 0
    private var retryTime: ContinuousClock.Instant?
    private var lastEnd: ContinuousClock.Instant?
    /// When the next run begins because a side doesn't report its changes.
    private var pollTime: ContinuousClock.Instant?
    /// Consecutive runs, soon after each other, that found something to do.
    private var restlessRuns = 0
    /// The times of the first and the latest change that no run has looked at yet.
    private var firstChange: ContinuousClock.Instant?
    private var latestChange: ContinuousClock.Instant?
    /// Sides whose watch has not been tried yet.
    private var starting: Set<SyncSide> = []
    /// Sides that don't report changes, temporarily or at all.
    private var unwatched: Set<SyncSide> = []
    /// The pace of runs because of those sides.
    private var pace: PollingPace

    /// - Parameters:
    ///   - sync: The folders to sync. Nothing else may use it while the service runs; the caller closes it.
    ///   - logger: Receives runs (info), failures (warning) and steps (debug), without secrets; `nil` logs nothing.
    public init(_ sync: FolderSync, options: SyncServiceOptions = SyncServiceOptions(), logger: Logger? = nil) {
        self.sync = sync
        self.options = options
        pace = PollingPace(options.watch)
        var logger = logger
        logger?[metadataKey: "source"] = "\(sync.source.name)"
        logger?[metadataKey: "destination"] = "\(sync.destination.name)"
        self.logger = logger
    }

    /// The metrics so far, including steps of the current run.
    public var metrics: SyncMetrics {
        var metrics = counted.value
        metrics.state = state
        return metrics
    }

    private var state: SyncMetrics.State {
        if control.isPaused { return .paused }
        if isWorking { return .running }
        switch standing {
        case .refused: return .refused
        case .away: return .away
        case .incomplete where firstChange == nil: return .incomplete
        case .unfinished, .incomplete: return .waiting
        case .fine: return firstChange == nil ? .idle : .waiting
        }
    }

    /// Pauses the service: no further run or step begins. Both sides stay watched.
    public func pause() { control.pause() }

    /// Resumes the service, with a run at once if there was a reason for one meanwhile.
    public func resume() {
        control.resume()
        sleepers.wake(.work)
    }

    /// The events from now until the service ends, in order except for steps.
    ///
    /// Each access begins a separate sequence. It ends when the current run of the service ends; a sequence that begins
    /// while the service is stopped ends with its next run. It also ends when the service is released. A sequence
    /// buffers 1,000 events and then drops the oldest.
    public nonisolated var events: some AsyncSequence<Event, Never> & Sendable { listeners.stream() }

    /// Keeps both sides in step until the task is cancelled or ``stop()`` is called. Then cancels the current sync,
    /// which leaves both sides whole, and returns.
    ///
    /// The method matches the `Service` protocol of swift-service-lifecycle: an app that uses both only needs
    /// `extension SyncService: @retroactive Service {}`. The group must cancel its services to end them.
    ///
    /// - Throws: As ``run(event:)``.
    public func run() async throws { try await run { _ in } }

    /// Runs as ``run()`` does and calls a closure with each event.
    ///
    /// The first sync begins once both watches have started or failed to start.
    ///
    /// - Parameter event: Called in order, except for steps; it must not block.
    /// - Throws: `CocoaError(.fileLocking)` if the service is already running; nothing else.
    public func run(event: @escaping @Sendable (Event) -> Void) async throws {
        if running != nil {
            throw FileError.make(
                .fileLocking, path: sync.destination.path, sentence: "This service is already running."
            )
        }
        let listeners = listeners
        let work = Task {
            await keepInStep { happened in
                event(happened)
                listeners.tell(happened)
            }
            running = nil
            listeners.finish()
        }
        running = work
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
    }

    /// Ends ``run()`` and returns once all work has ended. Another ``run()`` may follow. Does nothing if the service is
    /// not running.
    public func stop() async {
        running?.cancel()
        await running?.value
    }

    private func keepInStep(_ event: @escaping @Sendable (Event) -> Void) async {
        (starting, unwatched) = (Set(SyncSide.allCases), [])
        (lastEnd, retryTime, pace) = (nil, nil, PollingPace(options.watch))
        await withTaskGroup(of: Void.self) { group in
            for side in SyncSide.allCases { group.addTask { await self.watch(side, event) } }
            await work(event)
            group.cancelAll()
        }
    }

    private func work(_ event: @escaping @Sendable (Event) -> Void) async {
        while !Task.isCancelled {
            let now = ContinuousClock.now
            let due = nextRun(now)
            if let due, due <= now {
                await runOnce(event)
            } else {
                await sleepers.sleep(.work, until: due ?? now + .seconds(86_400))
            }
        }
    }

    /// Returns when the next run begins, as far as is known now, or `nil` if it waits for an event.
    private func nextRun(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        if control.isPaused || !starting.isEmpty { return nil }
        guard let lastEnd else { return now }
        // An unreachable side is not tried each time the other side changes.
        if standing == .away, let retryTime { return retryTime }
        var times = [lastEnd + .clamped(seconds: options.rescan)]
        if let retryTime { times.append(retryTime) }
        if !unwatched.isEmpty, let pollTime { times.append(pollTime) }
        if let firstChange, let latestChange {
            let quiet = options.quiet * Double(1 << min(max(0, restlessRuns - 1), 16))
            times.append(firstChange + .clamped(seconds: options.longestWait))
            times.append(latestChange + .clamped(seconds: quiet))
        }
        return times.min()
    }
}

// MARK: Runs

extension SyncService {
    private func runOnce(_ event: @escaping @Sendable (Event) -> Void) async {
        (firstChange, latestChange) = (nil, nil)
        isWorking = true
        let began = ContinuousClock.now
        logger?.debug("A run begins.")
        event(.began)
        let result: Result<FolderSyncReport, any Error>
        do {
            result = .success(
                try await sync.run(control: control) { [counted, logger] step in
                    if case .done(let action) = step { counted.update { $0.count(action) } }
                    logger?.debug("\(LogText.shown(step.line, limit: 1000))")
                    event(.sync(step))
                })
        } catch {
            result = .failure(error)
        }
        isWorking = false
        switch result {
        case .success(let report):
            ended(report, began: began)
            event(.ended(report))
        case .failure where Task.isCancelled:
            logger?.info("The run was cancelled.")
        case .failure(let error):
            event(.failed(error, retryIn: failed(error)))
        }
    }

    private func ended(_ report: FolderSyncReport, began: ContinuousClock.Instant) {
        let (wasFine, isFirst) = (standing == .fine, lastEnd == nil)
        counted.update { $0.ended(report, at: Date()) }
        let didNothing = !report.hasChanges && report.isComplete
        let isSoon = lastEnd.map { began - $0 < .clamped(seconds: 2 * options.longestWait) } ?? false
        restlessRuns = didNothing ? 0 : isSoon ? restlessRuns + 1 : 1
        let passing = report.failed.first { $0.error.map(Self.isPassing) ?? false }
        lastEnd = .now
        if passing != nil || !report.postponed.isEmpty {
            failures += 1
            retryTime = .now + .clamped(seconds: options.pause(after: failures, error: passing?.error))
        } else {
            failures = 0
            retryTime = nil
        }
        let isIncomplete = report.unheld > 0 || report.failed.contains { !($0.error?.isTransient ?? false) }
        standing = isIncomplete ? .incomplete : retryTime == nil ? .fine : .unfinished
        pace.looked(for: report.lookTime, changes: report.hasChanges)
        let next = ContinuousClock.now + pace.pause
        // A server that asked for a pause gets it.
        pollTime = passing == nil ? next : max(next, retryTime ?? next)
        // A folder that was missing may be there now.
        if report.hasChanges { for side in unwatched { sleepers.wake(.watch(side)) } }
        // Without watches, runs that find nothing are frequent.
        let failed = report.remaining.prefix(Self.maxLogged).map {
            LogText.shown("\($0.path) at the \($0.side): \(Secrets.removed(from: $0.reason))", limit: 1000)
        }
        for line in failed { logger?.log(level: lastFailed.contains(line) ? .debug : .warning, "\(line)") }
        let isAsBefore = lastFailed == Set(failed)
        lastFailed = Set(failed)
        let isQuiet = !isFirst && !report.hasChanges && isAsBefore && (wasFine || !didNothing)
        logger?.log(level: isQuiet ? .debug : .info, "A run ended: \(report.counts).")
    }

    /// Whether a later try may succeed although nothing changes on either side.
    private static func isPassing(_ error: any Error) -> Bool {
        error.isTransient || (error as? CocoaError)?.code == .fileWriteOutOfSpace
    }

    /// - Returns: Seconds until the next try.
    private func failed(_ error: any Error) -> Double {
        counted.update { $0.failed(error, at: Date()) }
        lastEnd = .now
        if error.removalStop != nil {
            failures = 0
            standing = .refused
            retryTime = nil
            pollTime = .now + .clamped(seconds: options.longestPause)
            logger?.warning("The run was refused: \(error.loggedSentence)")
            return unwatched.isEmpty ? options.rescan : min(options.rescan, options.longestPause)
        }
        failures += 1
        standing = .away
        let pause = options.pause(after: failures, error: error)
        retryTime = .now + .clamped(seconds: pause)
        logger?.warning(
            "The run failed; the next try is in \(Int(pause.rounded(.up))) seconds: \(error.loggedSentence)")
        return pause
    }
}

// MARK: Watches

extension SyncService {
    /// Watches a side until the task is cancelled, and restarts a watch that ends. Returns at once if a watch would
    /// only repeat the listings of the runs.
    private func watch(_ side: SyncSide, _ event: @escaping @Sendable (Event) -> Void) async {
        let folder = side == .source ? sync.source : sync.destination
        var falls = 0
        while !Task.isCancelled {
            let began = ContinuousClock.now
            var reason: (any Error)?
            do {
                guard try await isTold(folder) else { return isUnwatched(side) }
                let changes = try await folder.provider.changes(at: folder.path, options: options.watch)
                stands(side)
                do {
                    while let events = try await changes.watch.next() { noted(events, in: folder) }
                } catch {
                    reason = error
                }
                await changes.stop()
            } catch {
                reason = error
            }
            if Task.isCancelled { return }
            falls = ContinuousClock.now - began > .clamped(seconds: options.longestPause) ? 1 : falls + 1
            fell(side, error: reason, isNews: falls == 1)
            if falls == 1 { event(.unwatched(side, reason)) }
            await sleepers.sleep(
                .watch(side), until: .now + .clamped(seconds: options.pause(after: falls, error: reason)))
        }
    }

    /// Whether a watch learns of changes at a lower cost than a full listing.
    private func isTold(_ folder: SyncFolder) async throws -> Bool {
        let isNative = folder.provider is any FileProviderMonitor || folder.provider is any FileProviderLongPolling
        if isNative, !options.watch.alwaysPolls { return true }
        return try await folder.provider.capabilities().has(.treeTags)
    }

    private func isUnwatched(_ side: SyncSide) {
        starting.remove(side)
        unwatched.insert(side)
        sleepers.wake(.work)
    }

    private func stands(_ side: SyncSide) {
        starting.remove(side)
        // Changes before the watch started were not reported.
        if unwatched.remove(side) != nil { changed() }
        logger?.debug("Watching the \(side).")
        sleepers.wake(.work)
    }

    private func fell(_ side: SyncSide, error: (any Error)?, isNews: Bool) {
        let level: Logger.Level = isNews ? .warning : .debug
        logger?.log(
            level: level, "The \(side) cannot be watched for now: \(error?.loggedSentence ?? "the watch ended.")")
        isUnwatched(side)
    }

    private func noted(_ events: [FileEvent], in folder: SyncFolder) {
        guard let event = events.first(where: { sync.options.concerns($0, in: folder) }) else { return }
        logger?.debug("Changed: \(LogText.shown("\(event)", limit: 1000))", metadata: ["events": "\(events.count)"])
        changed()
    }

    private func changed() {
        let now = ContinuousClock.now
        firstChange = firstChange ?? now
        latestChange = now
        sleepers.wake(.work)
    }
}
