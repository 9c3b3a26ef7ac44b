import FileProviderCore
import Foundation

extension SyncOptions {
    /// Whether a run might find something to do after `event`.
    func concerns(_ event: FileEvent, in folder: SyncFolder) -> Bool {
        if event.kind == .rescan { return true }
        return [event.path, event.from].contains { path in
            guard let path = path?.relative(to: folder.path) else { return false }
            return takesPart(path, type: event.type)
        }
    }

    /// Whether the options include an item and all folders above it.
    private func takesPart(_ path: ProviderPath, type: FileType?) -> Bool {
        if [Self.trashName, Self.plainTrashName].contains(where: {
            path.components.first?.elementsEqual($0.utf8) == true
        }) {
            return false
        }
        if leftOut.contains(path) { return false }
        var above = path.parent
        while let folder = above, !folder.isRoot {
            if leftOut.contains(folder) || !filter.includes(folder, isFolder: true) { return false }
            above = folder.parent
        }
        if path.isRoot { return true }
        let isFolder = type.map { [$0 == .directory] } ?? [true, false]
        return isFolder.contains { filter.includes(path, isFolder: $0) }
    }
}
