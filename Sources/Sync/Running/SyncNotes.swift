import FileProviderCore

/// Records the completed steps of a pass in the state while the next steps run.
final class SyncNotes: Sendable {
    private struct State {
        var waiting: [SyncChange] = []
        /// The time at which the last batch began.
        var lastNote = ContinuousClock.now
        var work: Task<Void, Never>?
        var failure: (any Error)?

        /// Whether the waiting changes justify a flush of the disks: many of them, or fewer after a longer time.
        var isDue: Bool { waiting.count >= 512 || waiting.count >= 128 && .now - lastNote >= .seconds(1) }
    }

    private let pass: SyncPass
    private let state = LockedValue(State())

    /// At this number of waiting changes, the steps wait for the disks too.
    private static let maxCount = 1024

    init(_ pass: SyncPass) {
        self.pass = pass
    }

    /// Adds completed changes. Cancelling the task does not keep them from being recorded.
    ///
    /// - Throws: The error with which earlier changes failed.
    func add(_ changes: [SyncChange]) async throws {
        let busy = try state.update { state in
            state.waiting += changes
            if let failure = state.failure { throw failure }
            if state.work == nil, state.isDue { state.work = Task { await self.work() } }
            return state.waiting.count >= Self.maxCount ? state.work : nil
        }
        await busy?.value
    }

    /// Waits until everything is recorded. Records nothing after a failure: a disk reports a failed write once, and
    /// then reports success.
    func finish() async throws {
        await state.value.work?.value
        let rest = try state.update { state in
            if let failure = state.failure { throw failure }
            defer { state.waiting = [] }
            return state.waiting
        }
        try await withCancellationShield { try await self.note(rest) }
    }

    private func work() async {
        while let changes = next() {
            do { try await note(changes) } catch { return state.update { $0 = State(failure: error) } }
        }
    }

    private func next() -> [SyncChange]? {
        state.update { state in
            guard state.isDue else {
                state.work = nil
                return nil
            }
            defer { (state.waiting, state.lastNote) = ([], .now) }
            return state.waiting
        }
    }

    /// Records what both sides now have in common, after their disks have flushed it. A file that one side lost in a
    /// power failure would otherwise look as if it had been removed there.
    private func note(_ changes: [SyncChange]) async throws {
        if changes.isEmpty { return }
        _ = try await both {
            try await self.synchronize(.source)
        } _: {
            try await self.synchronize(.destination)
        }
        try await pass.store.record(changes)
    }

    private func synchronize(_ side: SyncSide) async throws {
        let folder = pass.folders[side]
        if let storage = folder.provider as? any FileProviderSynchronization {
            try await storage.synchronize(path: folder.path)
        }
    }
}
