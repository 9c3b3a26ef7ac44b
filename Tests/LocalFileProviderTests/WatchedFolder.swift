import FileProviderCore
import Foundation
import LocalFileProvider
import Testing

/// A folder under watch, and the listing that its events are replayed on.
final class WatchedFolder {
    let storage: TestFolder
    let watch: any FileWatch
    private(set) var tree: ReplayedTree
    private let root: ProviderPath

    private init(_ storage: TestFolder, watch: any FileWatch, root: ProviderPath) async throws {
        (self.storage, self.watch, self.root) = (storage, watch, root)
        tree = try await ReplayedTree.listing(of: storage.provider, at: root)
    }

    /// Watches, lists, runs `body`, and stops.
    static func use(
        _ storage: TestFolder? = nil, at path: String = "/", window: Double = 0.01, options: WatchOptions? = nil,
        _ body: (WatchedFolder) async throws -> Void
    ) async throws {
        let (storage, root) = (try storage ?? TestFolder(), try ProviderPath(path))
        let watch = try await storage.provider.watch(path: root, options: options ?? WatchOptions(window: window))
        let folder = try await WatchedFolder(storage, watch: watch, root: root)
        // From here on every change comes after the first listing.
        try folder.storage.put("x", at: path + "/start")
        _ = try await folder.next()
        do { try await body(folder) } catch {
            await watch.stop()
            throw error
        }
        await watch.stop()
    }

    /// Puts a file there in one step, so that one event tells of it.
    func put(_ text: String, at path: String) throws {
        let file = open(storage.root + path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        #expect(file >= 0 && write(file, text, text.utf8.count) == text.utf8.count && close(file) == 0)
    }

    /// The next batch, replayed.
    func next() async throws -> [FileEvent] {
        let batch = try #require(try await watch.next())
        for event in batch { try await tree.apply(event, of: storage.provider) }
        return batch
    }

    /// What is told up to now, in lines.
    func events() async throws -> [String] {
        try await next().map { "\($0) \($0.type?.rawValue ?? "?")" }
    }

    /// Replays until a change of the test's own is told, and sees that the replay is right.
    func catchUp() async throws {
        let mark = try root.appending("mark-\(UInt64.random(in: 0 ... .max))")
        try put("", at: mark.string)
        while tree.items[mark] == nil { _ = try await next() }
        #expect(unlink(storage.root + mark.string) == 0)
        while tree.items[mark] != nil { _ = try await next() }
        let truth = try await ReplayedTree.listing(of: storage.provider, at: root)
        #expect(tree.differences(from: truth) == [])
    }
}
