import FileProviderCore
import ReaderMessages

/// The time between two looks into the staging folder: until the storage tells of a change where it does, else ever
/// longer.
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

    /// The next look comes soon.
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
                // What came before the watch stood is seen by one more look.
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

    /// Waits longer after each failure in a row, 5 seconds at most: drivers give up after 15.
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

    /// Until the next changes, however they came about; the time limit is for storages that lose one.
    private static func wait(for changes: FileChanges, atMost seconds: Double, _ time: any TimeSource) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await changes.watch.next() }
            group.addTask { try await time.sleep(seconds: seconds) }
            try await group.next()
            group.cancelAll()
        }
    }
}
