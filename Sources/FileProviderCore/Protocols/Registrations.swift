import Foundation
import Synchronization

/// The handlers of ``FileProviderBasic/registerNotification(path:options:eventHandler:)``, by provider.
///
/// An entry does not keep its provider alive, and ends within ``sweepInterval`` seconds after the provider is gone.
final class Registrations: Sendable {
    static let shared = Registrations()
    static let sweepInterval = 2.0

    private struct Entry {
        let id: UUID
        let provider: @Sendable () -> (any FileProviderBasic)?
        let path: String
        let task: Task<Void, Never>
    }

    private struct State {
        var entries: [Entry] = []
        var isSweeping = false
    }

    private let state = Mutex(State())

    /// Starts `body` as a registration for `path`, which ends when `body` does.
    func start(_ path: String, of provider: any FileProviderBasic, _ body: @escaping @Sendable () async -> Void) {
        let id = UUID()
        let startsSweeping = state.withLock { state in
            let task = Task {
                await body()
                self.remove { $0.id == id }
            }
            state.entries.append(Entry(id: id, provider: { [weak provider] in provider }, path: path, task: task))
            defer { state.isSweeping = true }
            return !state.isSweeping
        }
        if startsSweeping { Task { await sweep() } }
    }

    func contains(_ path: String, of provider: any FileProviderBasic) -> Bool {
        state.withLock { state in state.entries.contains { $0.path == path && $0.provider() === provider } }
    }

    func end(_ path: String, of provider: any FileProviderBasic) {
        remove { $0.path == path && $0.provider() === provider }
    }

    func endAll(of provider: any FileProviderBasic) { remove { $0.provider() === provider } }

    private func remove(where isMeant: (Entry) -> Bool) {
        let ended = state.withLock { state in
            let ended = state.entries.filter(isMeant)
            state.entries.removeAll(where: isMeant)
            return ended
        }
        for entry in ended { entry.task.cancel() }
    }

    /// Ends the registrations of providers that are gone. Runs while there is any registration.
    private func sweep() async {
        while true {
            try? await Task.sleep(for: .seconds(Self.sweepInterval))
            remove { $0.provider() == nil }
            let isOver = state.withLock { state in
                state.isSweeping = !state.entries.isEmpty
                return !state.isSweeping
            }
            if isOver { return }
        }
    }
}
