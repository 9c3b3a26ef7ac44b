public import FileProviderCore
public import Foundation

/// Two folders of any two providers, kept in step.
///
/// What both sides last had in common lies in a file of SQLite. A run lists both sides, plans by what differs from
/// that, and carries the plan out; each step is noted once it is done. A run that ends early, for whatever reason,
/// leaves both sides whole, and the next one finds out by itself what is still to be done. One run at a time; the state
/// is locked against other processes.
public actor FolderSync {
    /// The side that a mirror follows.
    public nonisolated let source: SyncFolder
    /// The other side.
    public nonisolated let destination: SyncFolder
    /// Where the state is.
    public nonisolated let state: URL
    let options: SyncOptions
    private let store: SyncStore
    private let throttle: Throttle?
    private var isRunning = false
    /// When parts were last swept.
    private var lastSweep = Sides<ContinuousClock.Instant?>(nil, nil)

    /// How often a run looks again at what changed while it worked.
    private static let maxPasses = 5

    /// - Parameter state: A file on this machine's disk, which is made where it is missing. Nothing else may lie in its
    ///   place. Below a folder that is kept in step, the folder in which it lies takes no part, right in it the state
    ///   itself: it is of this machine alone.
    /// - Throws: `CocoaError(.fileLocking)` while another process has the state; `CocoaError(.fileReadUnknown)` for the
    ///   state of two other folders; `CocoaError(.fileReadCorruptFile)` for a damaged one;
    ///   `CocoaError(.fileWriteNoPermission)` or `CocoaError(.fileWriteUnknown)` where it cannot be made or written;
    ///   `CocoaError(.fileWriteInvalidFileName)` for two folders of which one lies in the other.
    public init(_ source: SyncFolder, _ destination: SyncFolder, state: URL, options: SyncOptions = SyncOptions())
        async throws
    {
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
                sentence: "Of the folders to be kept in step, none may be or lie in the other.")
        }
        self.source = source
        self.destination = destination
        self.state = state
        var options = options
        options.leftOut = Set(locations)
        self.options = options
        throttle = options.bandwidth.map { Throttle($0) }
        store = try await SyncStore.open(state, pair: keys)
    }

    /// Closes the state, for another process to open.
    public func close() async throws { try await store.close() }

    /// Looks at both sides and tells what a run would do now. Nothing is changed.
    ///
    /// - Parameter each: Called for each step in the order of a run; not for those that only change the state.
    /// - Returns: What a run would come to; bytes are those to be transferred. A conflict, and what makes way, is one
    ///   step here: what a run transfers after it is not known before.
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
    /// What fails for one item is in the report, and the rest goes on. What was done is noted also when the task is
    /// cancelled.
    ///
    /// - Parameter progress: Counts bytes to be transferred.
    /// - Throws: What ends everything: a side cannot be listed, is suddenly empty or would lose more than the limit
    ///   (`CocoaError(.fileWriteNoPermission)` with a ``RemovalStop``), no connection, no space for the state,
    ///   cancelled.
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
                // What changes while it is read is read once more now, and then again in the next run.
                let hasMore = try await run.carryOut(&report, triesChanging: number == 1)
                if !hasMore { break }
            }
            try await store.endRun(options.direction)
            if report.hasChanges {
                try await SyncTrash(folders, options: options, capabilities: capabilities).sweep(&report)
            }
            await sweep(parts, folders)
            return report
        }
    }

    /// The form with a `Progress`, which can be cancelled, paused and resumed, and a completion handler.
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
        // Foundation calls them on threads of its own, in any order.
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

    /// Removes what killed writers left long ago; not from the source of a mirror, which is only read. That it fails is
    /// no failure of a run.
    private func sweep(_ parts: SyncParts?, _ folders: Sides<SyncFolder>) async {
        for side in SyncSide.allCases where side == .destination || options.direction == .twoWay {
            guard let previous = parts?.old(on: side), !previous.isEmpty else { continue }
            // To learn a storage's clock is a change there, which the next run of a service would follow.
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
                .fileLocking, path: destination.path, sentence: "These two folders are being brought in step already.")
        }
        isRunning = true
        defer { isRunning = false }
        // A step that works on a local disk is taken there whole, without changing threads for each call.
        return try await withTaskExecutorPreference(BlockingThreads.shared, operation: body)
    }
}
