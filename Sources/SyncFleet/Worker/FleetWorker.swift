import FileProviderCore
import Foundation
public import Logging
public import Sync

/// Runs the pairs of a fleet: claims those that are due, syncs them, keeps their states, and gives them back.
///
/// Any number of workers, in any number of processes and on any machines, share the pairs of one database. Each pair is
/// on one worker at a time, which holds it by a lease. If a worker dies, the others notice that its leases are no
/// longer renewed and take its pairs; what is lost is the step in work. If PostgreSQL is away, runs in work go on until
/// their leases are over.
public actor FleetWorker {
    /// An event of a worker.
    public enum Event: Sendable {
        /// A run of a pair begins.
        case began(FleetPair)
        /// The state of a pair is missing or damaged, or belongs to other folders. The run compares both folders again.
        case startsWithoutState(FleetPair, reason: String)
        /// A step of a run; steps of several files and pairs overlap.
        case sync(FleetPair, SyncEvent)
        /// A run ended.
        case ended(FleetPair, FleetRunResult)
        /// The pair with this number was taken from a worker that no longer renews its lease.
        case tookBack(Int64)
        /// PostgreSQL can't be reached. It is tried again after at most so many seconds.
        case unreachable(any Error, retryIn: Double)
    }

    /// The tasks that sleep.
    private enum Sleeper: Hashable {
        case claims, beats, leases
    }

    /// The name of the worker in the database.
    public nonisolated let name: String
    private let queue: any FleetQueue
    private let folders: any FleetFolders
    private let states: FleetStates
    private let options: FleetWorkerOptions
    private let version: String
    private let logger: Logger?
    private let counted = LockedValue(FleetWorkerMetrics())
    private let sleepers = Sleepers<Sleeper>()
    private let listeners = EventListeners<Event>()

    /// The task that ``run()`` waits for; `nil` while it does not run.
    private var running: Task<Void, Never>?
    /// The task that claims pairs.
    private var claiming: Task<Void, Never>?
    private var isRunning = false
    private var isStopping = false
    /// The runs in work.
    private var runs: [ObjectIdentifier: (held: HeldLease, task: Task<Void, Never>)] = [:]
    /// Whether the queue may count leases as held by this worker that it doesn't know of.
    private var mayHoldMore = false

    /// The longest sleep between two looks for due pairs, in seconds.
    private static let longestSleep: Double = 30

    /// Creates a worker. Sends nothing yet.
    ///
    /// - Parameters:
    ///   - folders: Connects to the folders of the pairs.
    ///   - states: The states of the pairs, the same for all workers of the fleet.
    ///   - name: A name that no other worker has, for the status; by default host, process and a random number.
    ///   - version: The version of the program, for the status.
    ///   - logger: Receives ended runs (info), failures (warning) and what begins (debug), without secrets; `nil` logs
    ///     nothing.
    public init(
        _ fleet: Fleet, folders: any FleetFolders, states: FleetStates,
        options: FleetWorkerOptions = FleetWorkerOptions(), name: String? = nil, version: String = "",
        logger: Logger? = nil
    ) {
        self.init(
            queue: fleet, folders: folders, states: states, options: options, name: name, version: version,
            logger: logger)
    }

    init(
        queue: any FleetQueue, folders: any FleetFolders, states: FleetStates,
        options: FleetWorkerOptions = FleetWorkerOptions(), name: String? = nil, version: String = "",
        logger: Logger? = nil
    ) {
        self.queue = queue
        self.folders = folders
        self.states = states
        self.options = options
        let name = name ?? Self.newName()
        self.name = name
        self.version = version
        var logger = logger
        logger?[metadataKey: "worker"] = "\(name)"
        self.logger = logger
    }

    private static func newName() -> String {
        var host = [CChar](repeating: 0, count: 256)
        let isKnown = gethostname(&host, host.count - 1) == 0
        let text = isKnown ? String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : "?"
        return "\(text):\(getpid()):\(String(UInt32.random(in: .min ... .max), radix: 36))"
    }

    /// The metrics so far, including steps of the runs in work.
    public var metrics: FleetWorkerMetrics {
        var metrics = counted.value
        metrics.running = runs.count
        return metrics
    }

    /// The events from now until the worker ends, in order except for steps.
    ///
    /// Each access begins a separate sequence, which ends when the current or next run of the worker ends. A sequence
    /// buffers 1,000 events and then drops the oldest.
    public nonisolated var events: some AsyncSequence<Event, Never> & Sendable { listeners.stream() }

    /// Works until the task is cancelled or ``stop()`` is called, and stops as described there.
    ///
    /// The method matches the `Service` protocol of swift-service-lifecycle: an app that uses both only needs
    /// `extension FleetWorker: @retroactive Service {}`. The group must cancel its services to end them.
    ///
    /// - Throws: `CocoaError(.fileLocking)` if the worker is already running; `CocoaError` if the cache's folders can't
    ///   be made. If PostgreSQL is away, the worker waits for it.
    public func run() async throws {
        if isRunning {
            throw FileError.make(.fileLocking, path: name, sentence: "The worker “\(name)” is already running.")
        }
        (isRunning, isStopping) = (true, false)
        defer { isRunning = false }
        do { try await states.open() } catch {
            listeners.finish()
            throw error
        }
        let work = Task { await self.work() }
        running = work
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            // Stopping in order has to go on in a task that isn't cancelled.
            Task { await self.stop() }
        }
        running = nil
        listeners.finish()
        try await states.close()
    }

    /// Ends ``run()`` and returns once all work has ended: claims no more pairs, lets steps in work end, publishes the
    /// states and gives the leases back, due at once. After two thirds of ``FleetWorkerOptions/grace``, steps in work
    /// are cancelled, which leaves both sides whole; after all of it, everything is.
    public func stop() async {
        guard isRunning else { return }
        if isStopping {
            await running?.value
            return
        }
        isStopping = true
        for run in runs.values { endBetweenSteps(run.held) }
        logger?.info("The worker stops.", metadata: ["running": "\(runs.count)"])
        sleepers.wake(.claims)
        let timer = Task {
            try await Task.sleep(for: .clamped(seconds: options.grace * 2 / 3))
            for run in runs.values { run.held.end(.stopping) }
            // If PostgreSQL is silent: what it claims now is given up.
            claiming?.cancel()
            try await Task.sleep(for: .clamped(seconds: options.grace / 3))
            for run in runs.values { run.held.end(.over) }
        }
        await running?.value
        timer.cancel()
    }

    /// Ends a run between two steps, so that none is lost.
    private func endBetweenSteps(_ held: HeldLease) {
        held.control.pause()
        Task {
            await held.control.pauseBetweenSteps()
            held.end(.stopping)
        }
    }

    private func tell(_ event: Event) { listeners.tell(event) }
}

// MARK: Claims

extension FleetWorker {
    private func work() async {
        logger?.info("The worker begins.")
        let queue = queue
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await word in queue.wakes() { await self.woken(word) }
            }
            group.addTask { await self.beat() }
            group.addTask { await self.watchOwnLeases() }
            let claims = Task { await claimPairs() }
            claiming = claims
            await claims.value
            while let run = runs.values.first { await run.task.value }
            group.cancelAll()
        }
        await leave()
        logger?.info("The worker ended.")
    }

    private func woken(_ word: String) {
        // Sent after each new connection, too: the answer to a claim may have been lost with the one before.
        if word.isEmpty {
            mayHoldMore = true
            // The renewals before may not be in this database, such as a replica that lagged.
            sleepers.wake(.beats)
        }
        sleepers.wake(.claims)
    }

    private func claimPairs() async {
        var failures = 0
        /// Looks in a row that found nothing although a pair was due.
        var idleLooks = 0
        var isRegistered = false
        while !isStopping {
            var pause = Self.longestSleep
            do {
                if !isRegistered {
                    try await queue.register(worker: name, version: version)
                    isRegistered = true
                }
                if mayHoldMore {
                    mayHoldMore = false
                    try await giveUpUnknown()
                }
                let room = options.runsAtOnce - runs.count
                if room > 0, !isStopping {
                    try await queue.promote()
                    let sent = ContinuousClock.now
                    let leases = try await queue.claim(worker: name, count: room)
                    for lease in leases { start(lease, claimed: sent) }
                    if !leases.isEmpty, leases.count < room {
                        // Others may be behind those of a full host, of which a claim looks at some only.
                        (idleLooks, pause) = (0, 0)
                    } else if leases.isEmpty, !isStopping {
                        // Pairs may be due that wait for their hosts: what opens those sends a notification.
                        idleLooks = min(idleLooks + 1, 10)
                        let least = min(5, 0.05 * Double(1 << idleLooks))
                        pause = min(pause, max(least, try await queue.nextDue() ?? pause))
                    }
                }
                failures = 0
            } catch {
                mayHoldMore = true
                failures += 1
                pause = RetryPolicy(firstPause: 0.5, longestPause: Self.longestSleep).pause(
                    before: failures, after: error)
                unreachable(error, retryIn: pause, isNews: failures == 1)
            }
            if isStopping { break }
            await sleepers.sleep(.claims, until: .now + .clamped(seconds: pause))
        }
    }

    private func giveUpUnknown() async throws {
        do { try await queue.giveUp(worker: name, keeping: runs.values.map(\.held.lease)) } catch {
            mayHoldMore = true
            throw error
        }
    }

    private func unreachable(_ error: any Error, retryIn pause: Double, isNews: Bool) {
        counted.update { $0.queueFailures += 1 }
        logger?.log(
            level: isNews ? .warning : .debug,
            "The queue can't be used; the next try is in \(Int(pause.rounded(.up))) s: \(error.loggedSentence)")
        tell(.unreachable(error, retryIn: pause))
    }

    /// Gives back what is left when the worker ends. If it fails, other workers take it when its lease time is over.
    private func leave() async {
        let (queue, name, logger, mayHoldMore) = (queue, name, logger, mayHoldMore)
        let last = Task {
            do {
                if mayHoldMore { try await queue.giveUp(worker: name, keeping: []) }
                try await queue.seen(worker: name, running: 0, stopping: true)
            } catch {
                logger?.info("The queue did not learn that the worker ends: \(error.loggedSentence)")
            }
        }
        let limit = Task {
            try await Task.sleep(for: .seconds(2))
            last.cancel()
        }
        await last.value
        limit.cancel()
    }
}

// MARK: Runs

extension FleetWorker {
    private func start(_ lease: FleetLease, claimed: ContinuousClock.Instant) {
        let held = HeldLease(lease, claimed: claimed)
        // A run that lost its lease may not have ended yet.
        let former = runs.values.filter { $0.held.lease.id == lease.id }
        for run in former { lose(run.held) }
        let tasks = former.map(\.task)
        let task = Task {
            for task in tasks { await task.value }
            await carryOut(held)
        }
        runs[ObjectIdentifier(held)] = (held, task)
        counted.update { $0.claims += 1 }
        if isStopping { endBetweenSteps(held) }
    }

    private func carryOut(_ held: HeldLease) async {
        let pair = held.lease.pair
        logger?.debug("A run begins.", metadata: metadata(held))
        tell(.began(pair))
        let run = PairRun(held: held, queue: queue, states: states, folders: folders, options: options) {
            [listeners, counted, logger] event in
            switch event {
            case .sync(_, .done(let action)): counted.update { $0.count(action) }
            case .startsWithoutState(_, let reason):
                counted.update { $0.missingStates += 1 }
                logger?.warning("“\(LogText.shown(pair.name))” starts without a state: \(reason)")
            default: break
            }
            listeners.tell(event)
        }
        let end = await run.run()
        runs[ObjectIdentifier(held)] = nil
        if !end.isReleased { mayHoldMore = true }
        ended(held, end.result)
        sleepers.wake(.claims)
    }

    private func ended(_ held: HeldLease, _ result: FleetRunResult) {
        counted.update { $0.ended(result, at: Date()) }
        var metadata = metadata(held)
        metadata["outcome"] = "\(result.outcome.rawValue)"
        metadata["changes"] = "\(result.changes)"
        metadata["bytes"] = "\(result.bytes)"
        switch result.outcome {
        case .success, .stopped: logger?.info("A run ended.", metadata: metadata)
        case .incomplete, .refused, .deadline, .failed, .lost:
            let why = result.error.map { ": \($0.loggedSentence)" } ?? "."
            logger?.warning("A run ended early or left items out of step\(why)", metadata: metadata)
        }
        tell(.ended(held.lease.pair, result))
    }

    private func metadata(_ held: HeldLease) -> Logger.Metadata {
        ["pair": "\(LogText.shown(held.lease.pair.name))", "fence": "\(held.lease.fence)"]
    }
}

// MARK: Leases

extension FleetWorker {
    /// Renews the own leases and looks for dead ones of others, each third of the lease time.
    private func beat() async {
        var watch = LeaseWatch(leaseTime: options.lease)
        var next = ContinuousClock.now + options.lease / 3
        while true {
            await sleepers.sleep(.beats, until: next)
            if Task.isCancelled { return }
            let now = ContinuousClock.now
            do {
                try await renew()
                next = now + options.lease / 3
            } catch {
                // A second try fits in before the runs have to end.
                next = .now + options.lease / 12
                counted.update { $0.queueFailures += 1 }
                logger?.debug("The leases could not be renewed: \(error.loggedSentence)")
                continue
            }
            do {
                try await takeBack(&watch)
                try await queue.seen(worker: name, running: runs.count, stopping: isStopping)
            } catch {
                counted.update { $0.queueFailures += 1 }
                logger?.debug("The leases of other workers could not be seen: \(error.loggedSentence)")
            }
        }
    }

    private func renew() async throws {
        let held = runs.values.map(\.held)
        if held.isEmpty { return }
        let sent = ContinuousClock.now
        let kept = try await queue.renew(worker: name, leases: held.map(\.lease))
        for held in held {
            if kept.contains(held.lease.id) { held.renew(sent) } else { lose(held) }
        }
    }

    private func takeBack(_ watch: inout LeaseWatch) async throws {
        let asked = ContinuousClock.now
        let leases = try await queue.leases()
        let dead = watch.look(at: leases, asked: asked, answered: .now)
        for lease in dead where !runs.values.contains(where: { $0.held.lease.id == lease.id }) {
            guard try await queue.takeBack(id: lease.id, fence: lease.fence, beat: lease.beat) else { continue }
            counted.update { $0.takenBack += 1 }
            logger?.warning("A pair was taken back from a worker that is gone.", metadata: ["id": "\(lease.id)"])
            tell(.tookBack(lease.id))
            sleepers.wake(.claims)
        }
    }

    /// Ends runs whose leases could not be renewed in time, by this machine's monotonic clock.
    private func watchOwnLeases() async {
        while !Task.isCancelled {
            let now = ContinuousClock.now
            var next = now + options.ownTime
            for run in runs.values {
                let end = run.held.renewed + options.ownTime
                if end <= now { lose(run.held) } else { next = min(next, end) }
            }
            await sleepers.sleep(.leases, until: next)
        }
    }

    private func lose(_ held: HeldLease) {
        guard held.end(.lost) else { return }
        logger?.debug("The lease is lost; the run is cancelled.", metadata: metadata(held))
    }
}
