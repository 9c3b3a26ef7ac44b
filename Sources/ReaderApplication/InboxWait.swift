import FileProviderCore
import ReaderMessages

/// Waits between two looks into the staging folder: until the storage reports a change if it can, else with growing
/// intervals.
struct InboxWait {
    private let folder: StagingFolder
    private let interval: ApplicationOptions.PollInterval
    private let time: any TimeSource
    private var pause: Double
    private var failurePause = 1.0
    private var changes: FileChanges?
    private var isTold: Bool

    init(folder: StagingFolder, interval: ApplicationOptions.PollInterval, time: any TimeSource) {
        self.folder = folder
        self.interval = interval
        self.time = time
        pause = interval.shortest
        isTold = folder.provider is any FileProviderMonitor
    }

    /// Makes the next look come soon.
    mutating func somethingHappened() {
        pause = interval.shortest
        failurePause = 1
    }

    /// Waits until the next look is due.
    /// - Throws: `CancellationError`.
    mutating func next() async throws {
        failurePause = 1
        if isTold, changes == nil {
            do {
                changes = try await folder.provider.changes(at: folder.path, options: WatchOptions(isRecursive: false))
                // One more look finds commands from before the watch started.
                return
            } catch {
                try Task.checkCancellation()
                isTold = false
            }
        }
        if let changes {
            try await Self.wait(for: changes, atMost: interval.longest, time)
        } else {
            try await time.sleep(seconds: pause)
            pause = min(pause * 1.5, interval.longest)
        }
    }

    /// Waits longer after each consecutive failure, at most 5 seconds: drivers give up after 15.
    /// - Throws: `CancellationError`.
    mutating func afterFailure() async throws {
        await end()
        try await time.sleep(seconds: failurePause)
        failurePause = min(failurePause * 2, 5)
    }

    /// Ends the watch.
    mutating func end() async {
        await changes?.stop()
        changes = nil
    }

    /// Waits for the next changes. The time limit is for storages that miss a change.
    private static func wait(for changes: FileChanges, atMost seconds: Double, _ time: any TimeSource) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await changes.watch.next() }
            group.addTask { try await time.sleep(seconds: seconds) }
            try await group.next()
            group.cancelAll()
        }
    }
}
