import FileProviderCore
import Foundation
import Logging
import ProviderDoubles
import Sync
import Testing

@testable import SyncFleet

/// A fleet with one pair of folders in memory, and states in memory.
final class FleetBed: FleetFolders {
    let queue = QueueDouble()
    let source = RecordedStorage("source")
    let destination = RecordedStorage("destination")
    let stored = RecordedStorage("states")
    /// What a test does instead of connecting.
    let connect = LockedValue<@Sendable (_ location: String) async throws -> Void>({ _ in })
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    static func pair(_ change: (inout FleetPair) -> Void = { _ in }) -> FleetPair {
        var pair = FleetPair(name: "one", source: "mem://source/", destination: "mem://destination/")
        change(&pair)
        return pair
    }

    func cache(_ name: String = "cache") -> URL { folder.url.appending(path: name, directoryHint: .isDirectory) }

    func states(cache name: String = "cache", mostCached: Int64 = 1 << 30) -> FleetStates {
        FleetStates(
            ProviderLocation(provider: stored, path: .root), cache: cache(name), mostCached: mostCached)
    }

    func folder(at location: String, credential: String?, of pair: FleetPair) async throws -> SyncFolder {
        try await connect.value(location)
        let storage = location.contains("source") ? source : destination
        return SyncFolder(
            ProviderLocation(provider: storage, path: .root), label: location.contains("source") ? "one" : "two")
    }

    func worker(
        _ options: FleetWorkerOptions = FleetWorkerOptions(), cache: String = "cache", name: String? = nil,
        logger: Logger? = nil
    ) -> FleetWorker {
        FleetWorker(
            queue: queue, folders: self, states: states(cache: cache), options: options, name: name, logger: logger)
    }

    /// Runs a worker beside `body`, and stops it.
    func withWorker(
        _ options: FleetWorkerOptions = FleetWorkerOptions(), cache: String = "cache", logger: Logger? = nil,
        _ body: (FleetWorker) async throws -> Void
    ) async throws {
        let worker = worker(options, cache: cache, logger: logger)
        let task = Task { try await worker.run() }
        let result: Result<Void, any Error>
        do { result = .success(try await body(worker)) } catch { result = .failure(error) }
        await worker.stop()
        task.cancel()
        try await task.value
        try result.get()
    }

    /// Runs a worker until the pair was released once more, and returns that release.
    @discardableResult
    func runOnce(
        _ options: FleetWorkerOptions = FleetWorkerOptions(), cache: String = "cache", logger: Logger? = nil
    ) async throws -> FleetRelease {
        let count = queue.releases().count
        queue.change { $0.due = 0 }
        try await withWorker(options, cache: cache, logger: logger) { _ in
            try await eventually { self.queue.releases().count > count }
        }
        return try #require(queue.releases().last)
    }

    /// The files that are left in working folders.
    func workingFiles(cache name: String = "cache") throws -> [String] {
        let work = cache(name).appending(path: "work")
        guard let all = FileManager.default.enumerator(atPath: work.path) else { return [] }
        return all.compactMap { $0 as? String }.filter { $0.contains(".sqlite") }
    }

    /// The names of the cached states.
    func cachedFiles(_ name: String = "cache") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: cache(name).appending(path: "states").path).sorted()
    }
}

extension FleetWorkerOptions {
    /// A lease that is renewed each tenth of a second.
    static var brief: FleetWorkerOptions {
        var options = FleetWorkerOptions()
        options.leaseTime = 0.3
        return options
    }
}
