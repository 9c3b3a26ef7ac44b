import FileProviderCore
import Foundation
import LocalFileProvider
import MemoryFileProvider
import ProviderDoubles
import Sync
import Testing

/// Two folders in memory, and a state on disk that goes with the bed.
final class SyncBed: Sendable {
    let source: any FileProvider
    let destination: any FileProvider
    let options: LockedValue<SyncOptions>
    /// Who logs in to the destination.
    let user = LockedValue<String?>(nil)
    private let folder: TemporaryFolder

    init(
        _ direction: SyncOptions.Direction = .mirror,
        source: any FileProvider = MemoryFileProvider(MemoryConfiguration(name: "one")),
        destination: any FileProvider = MemoryFileProvider(MemoryConfiguration(name: "two"))
    ) throws {
        self.source = source
        self.destination = destination
        options = LockedValue(SyncOptions(direction: direction))
        folder = try TemporaryFolder()
    }

    static func memory(_ name: String) -> MemoryFileProvider { MemoryFileProvider(MemoryConfiguration(name: name)) }

    var state: URL { folder.url.appending(path: "state.db") }

    /// Opens the pair anew, as another process would, and lets `body` work with it.
    func withSync<Value: Sendable>(isOlder: Bool = false, _ body: (FolderSync) async throws -> Value) async throws
        -> Value
    {
        let sync = try await FolderSync(
            SyncFolder(ProviderLocation(provider: source, path: .root), label: "one"),
            SyncFolder(ProviderLocation(provider: destination, path: .root), label: "two", user: user.value),
            state: state,
            options: options.value,
            isOlder: isOlder)
        do {
            let value = try await body(sync)
            try await sync.close()
            return value
        } catch {
            try await sync.close()
            throw error
        }
    }

    @discardableResult
    func run(isOlder: Bool = false) async throws -> FolderSyncReport {
        try await withSync(isOlder: isOlder) { try await $0.run() }
    }

    /// What a run would do, one line for each step.
    func plan() async throws -> [String] {
        let lines = CollectedValues<String>()
        _ = try await withSync { sync in
            try await sync.plan { action in
                lines.append("\(action.kind) \(action.side) \(action.from.map { "\($0) → " } ?? "")\(action.path)")
            }
        }
        return lines.values
    }
}

extension FileProviderOperations where Self: FileProviderReadWrite {
    /// Makes or replaces a file, with the folders it lies in.
    func put(_ path: String, _ text: String) async throws {
        let path = try ProviderPath(path)
        if let parent = path.parent { try await createFolderWithParents(path: parent) }
        try await writeContents(path: path, contents: Data(text.utf8), overwrite: true)
    }

    func remove(_ path: String) async throws { try await removeItem(path: ProviderPath(path)) }

    func move(_ path: String, _ target: String) async throws {
        try await moveItem(path: ProviderPath(path), to: ProviderPath(target))
    }

    /// Every item but the trash: folders with a slash at the end, files with their text.
    func tree() async throws -> [String] {
        let found = CollectedValues<String>()
        try await walk(path: .root, entering: { $0.name != SyncOptions.trashName }) { item in
            if item.name == SyncOptions.trashName || TemporaryName.matches(item.name) { return }
            guard item.isRegularFile else { return found.append("\(item.path)/") }
            found.append("\(item.path) \(String(decoding: try await self.contents(path: item.path), as: UTF8.self))")
        }
        return found.values.sorted()
    }

    /// The texts of all files, wherever they are.
    func texts() async throws -> Set<String> {
        let found = CollectedValues<String>()
        try await walk(path: .root) { item in
            if item.isRegularFile {
                found.append(String(decoding: try await self.contents(path: item.path), as: UTF8.self))
            }
        }
        return Set(found.values)
    }
}
