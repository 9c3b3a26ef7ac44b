import FileProviderCore
import Foundation
import Logging
import MemoryFileProvider
import Sync
import Testing

/// A service that runs as long as a test needs it.
struct ServiceRun: Sendable {
    let service: SyncService
    let events = CollectedValues<SyncService.Event>()

    init(_ service: SyncService) {
        self.service = service
    }

    var reports: [FolderSyncReport] {
        events.values.compactMap { if case .ended(let report) = $0 { report } else { nil } }
    }

    var failures: [(error: any Error, retryIn: Double)] {
        events.values.compactMap { if case .failed(let error, let seconds) = $0 { (error, seconds) } else { nil } }
    }

    var state: SyncMetrics.State { get async { await service.metrics.state } }
}

extension SyncBed {
    /// Runs a service beside `body`, and ends it.
    func withService(
        _ options: SyncServiceOptions, logger: Logger? = nil, _ body: (ServiceRun) async throws -> Void
    ) async throws {
        try await withSync { sync in
            let run = ServiceRun(SyncService(sync, options: options, logger: logger))
            let task = Task { try await run.service.run { run.events.append($0) } }
            let result: Result<Void, any Error>
            do { result = .success(try await body(run)) } catch { result = .failure(error) }
            task.cancel()
            try await task.value
            try result.get()
        }
    }
}

extension SyncServiceOptions {
    /// Nothing happens by the clock alone.
    static var patient: SyncServiceOptions {
        SyncServiceOptions(
            quiet: 3600, longestWait: 3600, firstPause: 3600, longestPause: 3600, watch: WatchOptions(maxInterval: 3600)
        )
    }

    /// Runs follow changes at once.
    static var quick: SyncServiceOptions {
        SyncServiceOptions(
            quiet: 0.01, longestWait: 0.1, firstPause: 0.01, longestPause: 0.1,
            watch: WatchOptions(window: 0.01, minInterval: 0.01, maxInterval: 0.05))
    }
}
