/// A watch of the base whose events name the paths that callers know.
final class LayeredWatch: FileWatch {
    private let base: any FileWatch
    private let path: @Sendable (ProviderPath) -> ProviderPath?
    private let translated: @Sendable (any Error) -> any Error

    init(
        _ base: any FileWatch, path: @escaping @Sendable (ProviderPath) -> ProviderPath?,
        translated: @escaping @Sendable (any Error) -> any Error
    ) {
        self.base = base
        self.path = path
        self.translated = translated
    }

    func next() async throws -> [FileEvent]? {
        do {
            while let events = try await base.next() {
                let shown = events.compactMap { $0.shown(path) }
                if !shown.isEmpty { return shown }
            }
            return nil
        } catch {
            throw translated(error)
        }
    }

    func stop() async { await base.stop() }
}

extension FileEvent {
    /// Returns the event under the paths that callers know; nil if the layer hides the item. A move of an item into
    /// view is a creation, a move out of it a removal.
    func shown(_ path: (ProviderPath) -> ProviderPath?) -> FileEvent? {
        let origin = from.flatMap(path)
        guard let now = path(self.path) else {
            return origin.map { FileEvent(.removed, path: $0, type: type) }
        }
        var event = self
        event.path = now
        event.from = origin
        if kind == .moved, origin == nil { event.kind = .created }
        return event
    }
}
