import Foundation
import Synchronization

/// The operations that completion forms started, by provider, so that ``FileProviderBasic/invalidate()`` finds them.
final class RunningOperations: Sendable {
    static let shared = RunningOperations()

    private let tasks = Mutex<[ObjectIdentifier: [UUID: Task<Void, Never>]]>([:])

    /// An entry exists while its operation runs, which keeps the provider alive: no identifier passes to another
    /// object.
    func add(_ task: Task<Void, Never>, id: UUID, of provider: any FileProviderBasic) {
        tasks.withLock { $0[ObjectIdentifier(provider), default: [:]][id] = task }
    }

    func remove(_ id: UUID, of provider: any FileProviderBasic) {
        tasks.withLock { tasks in
            tasks[ObjectIdentifier(provider)]?[id] = nil
            if tasks[ObjectIdentifier(provider)]?.isEmpty == true { tasks[ObjectIdentifier(provider)] = nil }
        }
    }

    func cancelAll(of provider: any FileProviderBasic) {
        let running = tasks.withLock { $0[ObjectIdentifier(provider)] ?? [:] }
        for task in running.values { task.cancel() }
    }
}
