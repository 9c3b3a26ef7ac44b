import FileProviderCore
import Foundation
import Testing

/// How registrations end, in an order that a test makes by hand.
@Suite struct RegistrationTests {
    /// Starts a watch when it may, also for a task that was cancelled meanwhile.
    private final class SlowStarter: FileProviderMonitor {
        static let type = "Slow starter"
        let baseURL: URL? = nil
        let begun = Signal()
        let gate = Signal()
        let stopped = Signal()

        func capabilities() async throws -> Capabilities { Capabilities(readCost: .local) }

        func attributesOfItem(path: ProviderPath) async throws -> FileObject {
            FileObject(path: path, type: .directory)
        }

        func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        }

        func watch(path: ProviderPath, options: WatchOptions) async throws -> any FileWatch {
            begun.fire()
            await Task { [gate] in _ = try? await gate.wait() }.value
            return StillWatch(stopped)
        }
    }

    /// A watch of a folder that never changes.
    private final class StillWatch: FileWatch {
        private let stopped: Signal

        init(_ stopped: Signal) { self.stopped = stopped }

        func next() async throws -> [FileEvent]? {
            try await Signal().wait()
            return nil
        }

        func stop() async { stopped.fire() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a registration that is ended while its watch starts stops the watch, and its handler is not called`()
        async throws
    {
        let provider = SlowStarter()
        let calls = LockedValue(0)
        provider.registerNotification(path: "/a") { calls.update { $0 += 1 } }
        try await provider.begun.wait()
        provider.unregisterNotification(path: "/a")
        provider.gate.fire()
        try await provider.stopped.wait()
        #expect(calls.value == 0)
    }
}
