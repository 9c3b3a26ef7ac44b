import FileProviderCore
import Synchronization

/// Lets callers look and read, and nothing else.
struct ReadOnlyLayer: FileProviderLayer {
    func capabilities(of base: Capabilities) -> Capabilities { base.readOnly }

    func willChange(_ change: LayerChange) async throws {
        throw FileError.unsupported(change.kind.rawValue, by: "A read-only provider", path: change.paths[0])
    }
}

/// Shows one folder of the base as the root.
struct PrefixLayer: FileProviderLayer {
    let prefix: ProviderPath

    func basePath(of path: ProviderPath) -> ProviderPath { prefix.appending(path) }
    func path(ofBase path: ProviderPath) -> ProviderPath? { path.relative(to: prefix) }
}

/// Remembers what it has looked at, until it is changed through this provider.
final class RememberingLayer: FileProviderLayer {
    private struct Memory {
        var items: [ProviderPath: FileObject] = [:]
        var changes = 0
    }
    private let memory = Mutex(Memory())

    func attributesOfItem(path: ProviderPath, of base: any FileProvider) async throws -> FileObject {
        let (known, changes) = memory.withLock { ($0.items[path], $0.changes) }
        if let known { return known }
        let item = try await base.attributesOfItem(path: path)
        // After a change, what was seen before it may be wrong.
        memory.withLock { if $0.changes == changes { $0.items[path] = item } }
        return item
    }

    func didChange(_ change: LayerChange) {
        memory.withLock { memory in
            memory.changes += 1
            for path in change.changedPaths {
                // The folders above have another date.
                memory.items = memory.items.filter { item, _ in
                    item != path && !item.isBelow(path) && !path.isBelow(item)
                }
            }
        }
    }
}
