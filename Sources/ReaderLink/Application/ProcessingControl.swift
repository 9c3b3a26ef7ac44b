import FileProviderCore
import Synchronization

/// What may hold up a command between two of its steps: an application in the background, a driver that changed its mind.
final class ProcessingControl: Sendable {
    private let time: any TimeSource
    private let looksForCancelling: Bool
    private let state = Mutex((isOffline: false, lookedForCancelling: -Double.infinity))

    init(time: any TimeSource, looksForCancelling: Bool) {
        self.time = time
        self.looksForCancelling = looksForCancelling
    }

    /// Whether steps wait.
    var isOffline: Bool {
        get { state.withLock { $0.isOffline } }
        set { state.withLock { $0.isOffline = newValue } }
    }

    /// Waits while the application is offline.
    /// - Returns: Whether it had to.
    /// - Throws: `CancellationError`.
    @discardableResult
    func pass() async throws -> Bool {
        let waits = isOffline
        while isOffline { try await time.sleep(seconds: 0.25) }
        try Task.checkCancellation()
        return waits
    }

    /// Whether the driver asks for an end. Looks once a second at most.
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

    /// Removes the driver's wish to stop, which was met or came too late.
    func forgetCancelling(in folder: StagingFolder) async throws {
        state.withLock { $0.lookedForCancelling = -Double.infinity }
        if looksForCancelling { try await folder.remove(CommandStatus.cancelFileName) }
    }
}
