public import FileProviderCore
public import Foundation

/// Syncs two folders on any two providers.
///
/// An SQLite file, the state, records what both sides last had in common. A run lists both sides, plans from the
/// differences to that record, and carries out the plan; each step is recorded once it is done. A run that ends early
/// leaves both sides whole, and the next one finds the remaining work by itself. Only one run is possible at a time;
/// the state is locked against other processes.
public actor FolderSync {
    /// The side that a mirror copies from.
    public nonisolated let source: SyncFolder
    /// The other side.
    public nonisolated let destination: SyncFolder
    /// The location of the state.
    public nonisolated let state: URL
    let options: SyncOptions
    private let store: SyncStore
    private let throttle: Throttle?
    private var isRunning = false
    /// The time of the last sweep of partial files.
    private var lastSweep = Sides<ContinuousClock.Instant?>(nil, nil)

    /// The most passes of one run over items that change while it works.
    private static let maxPasses = 5

    /// - Parameters:
    ///   - state: The state, a file on this machine's disk, which is created if missing. No other file may be at this
    ///     path. If it is inside a synced folder, the folder that contains it is excluded, or the state itself if it is
    ///     at the top: it belongs to this machine alone.
    ///   - isOlder: Whether runs may have followed that this copy of the state doesn't know of. An item that such a
    ///     run removed or replaced, and that somebody brought back as it was, then looks unchanged. So whatever is
    ///     removed or replaced goes to the trash (``SyncOptions/trashName``), in this run and in later ones, until one
    ///     is complete. The state keeps this in mind.
    /// - Throws: `CocoaError(.fileLocking)` while another process uses the state; `CocoaError(.fileReadUnknown)` if the
    ///   state belongs to two other folders; `CocoaError(.fileReadCorruptFile)` if it is damaged;
    ///   `CocoaError(.fileWriteNoPermission)` or `CocoaError(.fileWriteUnknown)` if it can't be created or written;
    ///   `CocoaError(.fileWriteInvalidFileName)` if the folders are the same or one is inside the other.
    public init(
        _ source: SyncFolder, _ destination: SyncFolder, state: URL, options: SyncOptions = SyncOptions(),
        isOlder: Bool = false
    ) async throws {
        let (overlaps, keys, locations) = try await BlockingThreads.shared.run {
            let sides = [source, destination]
            return (
                source.overlaps(destination), Sides(source.placeKey, destination.placeKey),
                try sides.flatMap { try $0.leftOut(for: state) }
            )
        }
        if overlaps {
            throw FileError.make(
                .fileWriteInvalidFileName, path: destination.path,
                sentence: "The two folders must be separate: neither may be, or be inside, the other.")
        }
        self.source = source
        self.destination = destination
        self.state = state
        var options = options
        options.leftOut = Set(locations)
        self.options = options
        throttle = options.bandwidth.map { Throttle($0) }
        store = try await SyncStore.open(state, pair: keys, isOlder: isOlder)
    }

    /// Closes the state so that another process can open it.
    public func close() async throws { try await store.close() }

    /// Looks at both sides and reports what a run would do now, without changing anything.
    ///
    /// - Parameter each: Called for each step in the order of a run, except steps that only change the state.
    /// - Returns: The report that a run would produce; its bytes are those to transfer. A conflict counts as one step,
    ///   as does an item that makes way: the transfers that follow are not known in advance.
    /// - Throws: As ``run(progress:control:event:)``.
    public func plan(each: @Sendable (SyncAction) -> Void) async throws -> FolderSyncReport {
        try await exclusively {
            var pass = SyncPass(
                SyncFolder.confined(source, destination), store: store, options: options,
                capabilities: try await capabilities(),
                throttle: throttle)
            var report = try await pass.prepare()
            var last: PlannedAction?
            while case let actions = try await store.plannedActions(after: last), let end = actions.last {
                for action in actions.map(\.action) where action.kind != .agree && action.kind != .forget {
                    each(action)
                    report.count(action)
                    if let reason = action.reason {
                        report.skip(FolderSyncReport.Item(action.side, action.path, reason))
                    }
                }
                last = end
            }
            return report
        }
    }

    /// Brings both sides in step.
    ///
    /// Failures of single items are in the report, and the rest goes on. Completed steps are recorded even if the task
    /// is cancelled.
    ///
    /// - Parameter progress: Counts the bytes to transfer.
    /// - Throws: An error that ends the run: a side can't be listed, is suddenly empty or would lose more than the
    ///   limit (`CocoaError(.fileWriteNoPermission)` with a ``RemovalStop``), the connection fails, there is no space
    ///   for the state, or the task is cancelled.
    public func run(
        progress: ProgressReporter = ProgressReporter(), control: SyncControl = SyncControl(),
        event: @escaping @Sendable (SyncEvent) -> Void = { _ in }
    ) async throws -> FolderSyncReport {
        try await exclusively {
            var capabilities = try await capabilities()
            var report = FolderSyncReport()
            var agreed: Int?
            var parts: SyncParts?
            let folders = SyncFolder.confined(source, destination)
            var options = self.options
            if try await store.isOlder() { options.keepsReplaced = true }
            try await store.beginRun()
            for number in 1...Self.maxPasses {
                var pass = SyncPass(
                    folders, store: store, options: options, capabilities: capabilities, throttle: throttle,
                    control: control)
                parts = parts ?? pass.parts
                let looked = try await pass.prepare(removed: report.removed, of: agreed)
                agreed = agreed ?? store.agreedCount
                capabilities = pass.capabilities
                report.beginPass(looked)
                let run = SyncRun(pass, throttle: throttle, progress: progress, control: control, event: event)
                try await pass.beginSteps()
                // A file that changes while it is read is read once more now, and again in the next run.
                let hasMore = try await run.carryOut(&report, triesChanging: number == 1)
                if !hasMore { break }
            }
            try await store.endRun(options.direction, isComplete: report.isComplete)
            if report.hasChanges {
                try await SyncTrash(folders, options: options, capabilities: capabilities).sweep(&report)
            }
            await sweep(parts, folders)
            return report
        }
    }

    /// Starts a run and returns a `Progress` that can be cancelled, paused and resumed.
    @discardableResult
    public nonisolated func start(
        event: @escaping @Sendable (SyncEvent) -> Void = { _ in },
        completionHandler: @escaping @Sendable (_ report: FolderSyncReport?, _ error: (any Error)?) -> Void
    ) -> Progress {
        let control = SyncControl()
        let progress = CompletionForm.start(
            .copy(source: source.name, destination: destination.name), of: source.provider, kind: .copying, unitCount: 0
        ) { reporter in
            try await self.run(progress: reporter, control: control, event: event)
        } completion: { result in
            switch result {
            case .success(let report): completionHandler(report, nil)
            case .failure(let error): completionHandler(nil, error)
            }
        }
        progress.isPausable = true
        // Foundation calls the handlers on its own threads, in any order.
        let turn = LockedValue(())
        let follow = { @Sendable [weak progress] in
            turn.update { _ in
                if progress?.isPaused == true { control.pause() } else { control.resume() }
            }
        }
        progress.pausingHandler = follow
        progress.resumingHandler = follow
        return progress
    }

    /// Removes old partial files that interrupted writers left, but not from a mirror's source, which is only read. A
    /// failure here does not fail the run.
    private func sweep(_ parts: SyncParts?, _ folders: Sides<SyncFolder>) async {
        for side in SyncSide.allCases where side == .destination || options.direction == .twoWay {
            guard let previous = parts?.old(on: side), !previous.isEmpty else { continue }
            // Learning a storage's clock makes a change there, to which the next run of a service would react.
            if let last = lastSweep[side], .now - last < .seconds(3600) { continue }
            lastSweep[side] = .now
            _ = try? await PartSweep().sweep(previous, of: folders[side].provider)
        }
    }

    private func capabilities() async throws -> Sides<Capabilities> {
        let (one, other) = try await both {
            try await self.source.provider.capabilities()
        } _: {
            try await self.destination.provider.capabilities()
        }
        return Sides(one, other)
    }

    private func exclusively<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        if isRunning {
            throw FileError.make(
                .fileLocking, path: destination.path, sentence: "A sync of these two folders is already running.")
        }
        isRunning = true
        defer { isRunning = false }
        // A step on a local disk runs on one of these threads as a whole, without changing threads for each call.
        return try await withTaskExecutorPreference(BlockingThreads.shared, operation: body)
    }
}
