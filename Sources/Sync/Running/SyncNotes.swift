import FileProviderCore

/// Brings what the steps of a pass have done into the state, while the next ones are taken.
final class SyncNotes: Sendable {
    private struct State {
        var waiting: [SyncChange] = []
        /// When the last ones began to be noted.
        var lastNote = ContinuousClock.now
        var work: Task<Void, Never>?
        var failure: (any Error)?

        /// Whether those that wait are worth waiting for the disks: many of them, or fewer that took long to come.
        var isDue: Bool { waiting.count >= 512 || waiting.count >= 128 && .now - lastNote >= .seconds(1) }
    }

    private let pass: SyncPass
    private let state = LockedValue(State())

    /// While so many wait for the disks, the steps do, too.
    private static let maxCount = 1024

    init(_ pass: SyncPass) {
        self.pass = pass
    }

    /// Takes changes that have been made. Nothing cancels their way into the state.
    ///
    /// - Throws: What earlier ones have failed with.
    func add(_ changes: [SyncChange]) async throws {
        let busy = try state.update { state in
            state.waiting += changes
            if let failure = state.failure { throw failure }
            if state.work == nil, state.isDue { state.work = Task { await self.work() } }
            return state.waiting.count >= Self.maxCount ? state.work : nil
        }
        await busy?.value
    }

    /// Waits until all is noted. After a failure nothing more is: a disk tells once of what it could not write, and
    /// then that all is well.
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

    /// Notes what both sides have in common now, once their disks have it: what a power failure took from one side
    /// would look as if somebody had removed it there.
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
