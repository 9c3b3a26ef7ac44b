import FileProviderCore
import Foundation
import LocalFileProvider

/// A listing that events are replayed on: what they mean, in code.
struct ReplayedTree {
    struct Item: Equatable {
        var type: FileType?
        /// What tells two versions apart; nil once an event said that there is a new one.
        var version: String?
    }

    private(set) var items: [ProviderPath: Item]

    static func listing(of provider: LocalFileProvider, at root: ProviderPath) async throws -> ReplayedTree {
        var tree = ReplayedTree(items: [:])
        try await tree.list(root, of: provider)
        return tree
    }

    /// Lists anew what is below a folder. Folders that vanish meanwhile are told as removed later.
    private mutating func list(_ folder: ProviderPath, of provider: LocalFileProvider) async throws {
        items = items.filter { !$0.key.isBelow(folder) }
        let found = CollectedValues<FileObject>()
        @Sendable func check(_ error: any Error) throws {
            guard error.isNoSuchFile || error.cause == .ENOTDIR || error.cause == .ELOOP else { throw error }
        }
        do {
            try await provider.walk(path: folder, unlisted: { try check($1) }, visit: { found.append($0) })
        } catch { try check(error) }
        for object in found.values { items[object.path] = Item(type: object.type, version: Self.version(object)) }
    }

    private static func version(_ object: FileObject) -> String {
        let link = object.linkTarget.map { String(decoding: $0, as: UTF8.self) } ?? ""
        // A folder's time changes with what it holds, which is told by itself.
        return "\(object.entryTag ?? "") \(object.permissions ?? 0) \(link)"
    }

    mutating func apply(_ event: FileEvent, of provider: LocalFileProvider) async throws {
        switch event.kind {
        case .created:
            forget(event.path)
            items[event.path] = Item(type: event.type)
        case .modified: items[event.path] = Item(type: event.type)
        case .removed: forget(event.path)
        case .moved:
            guard let from = event.from else { return }
            let moved = items.filter { $0.key == from || $0.key.isBelow(from) }
            forget(from)
            forget(event.path)
            for (path, item) in moved {
                if let below = path.relative(to: from) { items[event.path.appending(below)] = item }
            }
        case .rescan: try await list(event.path, of: provider)
        }
    }

    private mutating func forget(_ path: ProviderPath) {
        let item = items.removeValue(forKey: path)
        if item?.type == .directory { items = items.filter { !$0.key.isBelow(path) } }
    }

    /// Where this tree and what is really there differ, in lines for a person; a version that an event has announced is
    /// not compared.
    func differences(from truth: ReplayedTree) -> [String] {
        Set(items.keys).union(truth.items.keys).sorted().compactMap { path in
            let (replayed, true_) = (items[path], truth.items[path])
            if replayed?.type != true_?.type {
                return "\(path): \(replayed?.type?.rawValue ?? "-") for \(true_?.type?.rawValue ?? "-")"
            }
            if let version = replayed?.version, version != true_?.version {
                return "\(path): \(version) for \(true_?.version ?? "-")"
            }
            return nil
        }
    }
}
