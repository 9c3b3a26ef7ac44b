import FileProviderCore
import ReaderMessages
import Synchronization

/// Controls the pauses between the steps of a command: while the application is in the background, or after a cancel
/// request.
final class ProcessingControl: Sendable {
    private let time: any TimeSource
    private let looksForCancelling: Bool
    private let state = Mutex(
        (isOffline: false, isWorking: false, isWaiting: false, lookedForCancelling: -Double.infinity))

    init(time: any TimeSource, looksForCancelling: Bool) {
        self.time = time
        self.looksForCancelling = looksForCancelling
    }

    /// Whether steps wait.
    var isOffline: Bool {
        get { state.withLock { $0.isOffline } }
        set { state.withLock { $0.isOffline = newValue } }
    }

    /// Whether a command is being carried out, also while it waits between two steps.
    var isWorking: Bool {
        get { state.withLock { $0.isWorking } }
        set { state.withLock { $0.isWorking = newValue } }
    }

    /// Whether a step of a command is under way.
    var isBusy: Bool { state.withLock { $0.isWorking && !$0.isWaiting } }

    /// Waits until no step is under way, but at most the given seconds, and not if the task is cancelled.
    func waitForStep(atMost seconds: Double) async {
        let start = time.elapsed
        while isBusy, time.elapsed - start < seconds {
            do { try await time.sleep(seconds: 0.05) } catch { return }
        }
    }

    /// Waits while the application is offline.
    /// - Returns: Whether it had to wait.
    /// - Throws: `CancellationError`.
    @discardableResult
    func pass() async throws -> Bool {
        let waits = isOffline
        state.withLock { $0.isWaiting = waits }
        defer { state.withLock { $0.isWaiting = false } }
        while isOffline { try await time.sleep(seconds: 0.25) }
        try Task.checkCancellation()
        return waits
    }

    /// Whether the driver requests a stop. Looks at most once a second.
    func isCancelled(in folder: StagingFolder) async throws -> Bool {
        guard looksForCancelling else { return false }
        let isDue = state.withLock { state in
            guard time.elapsed - state.lookedForCancelling >= 1 else { return false }
            state.lookedForCancelling = time.elapsed
            return true
        }
        guard isDue else { return false }
        return try await folder.has(CommandStatus.cancelFileName)
    }

    /// Removes the driver's cancel request, which was carried out or came too late.
    func forgetCancelling(in folder: StagingFolder) async throws {
        state.withLock { $0.lookedForCancelling = -Double.infinity }
        if looksForCancelling { try await folder.remove(CommandStatus.cancelFileName) }
    }
}
