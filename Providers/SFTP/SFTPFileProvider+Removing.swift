public import FileProviderCore
import Foundation
import SFTPEngine

extension SFTPFileProvider {
    /// By `REMOVE` and `RMDIR`; a folder with all it holds item by item, many at once. A link goes, and never what is behind it.
    ///
    /// - Complexity: Two round trips; of a tree, three for each level of folders and about one for each 500 items.
    public func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        if path.isRoot { throw FileError.make(.fileWriteNoPermission, path: path, sentence: "The root cannot be removed.") }
        defer { cache.drop(path) }
        let isTree = try await connection.run(path, mayRepeat: false) { session in
            guard let item = try await self.item(path, session) else { throw self.missing(path, isWriting: true) }
            if item.isDirectory, recursive { return true }
            try await self.removeOne(item, session)
            return false
        }
        guard isTree else { return progress.advance(by: 1) }
        let items = try await items(from: path)
        progress.expect(Int64(items.count))
        try await removeAll(items.filter { !$0.isDirectory }, of: path, progress)
        // Of folders, those first that lie deepest.
        for level in Dictionary(grouping: items.filter(\.isDirectory), by: \.path.components.count).sorted(by: { $0.key > $1.key }) {
            try await removeAll(level.value, of: path, progress)
        }
    }

    /// Requests that leave together.
    private static let batch = 500
    /// Folders that are listed at once.
    private static let listings = 16

    /// The folder and all that it holds.
    private func items(from path: ProviderPath) async throws -> [FileObject] {
        var items = [FileObject(path: path, type: .directory)]
        var folders = [path]
        while !folders.isEmpty {
            let some = folders.suffix(Self.listings)
            folders.removeLast(some.count)
            try await withThrowingTaskGroup(of: [FileObject].self) { group in
                for folder in some { group.addTask { try await self.contentsOfDirectory(path: folder) } }
                for try await listed in group {
                    items += listed
                    folders += listed.filter(\.isDirectory).map(\.path)
                }
            }
            if let deepest = folders.first(where: { $0.components.count > path.components.count + TreeCopy.deepest }) {
                throw FileError.tooDeep(deepest)
            }
        }
        return items
    }

    /// Removes items that need not wait for each other.
    private func removeAll(_ items: [FileObject], of root: ProviderPath, _ progress: ProgressReporter) async throws {
        var rest = items[...]
        while !rest.isEmpty {
            let some = rest.prefix(Self.batch)
            rest = rest.dropFirst(some.count)
            try await connection.run(root, mayRepeat: false) { session in
                let requests = some.map { item in
                    let name = self.connection.host.bytes(of: item.path)
                    return item.isDirectory ? SFTPRequest.rmdir(name) : .remove(name)
                }
                for (item, reply) in zip(some, try await self.connection.send(requests, session)) {
                    if reply.status?.isOK != true { try await self.consent(to: reply, at: item, of: root, session) }
                    progress.advance(by: 1)
                }
            }
        }
    }

    /// - Throws: Why the item could not be removed, unless the rest is to go all the same.
    private func consent(to reply: SFTPReply, at item: FileObject, of root: ProviderPath, _ session: SFTPSession) async throws {
        let error =
            item.isDirectory
            ? try await refusal(reply, ofRemovingFolder: item.path, session) : try await refusal(reply, ofChanging: item.path, session)
        guard item.path != root, await OperationConsent.proceeds(after: error, .remove(path: item.path.string)) else { throw error }
    }

    /// Removes a file, a link or an empty folder.
    func removeOne(_ item: FileObject, _ session: SFTPSession) async throws {
        let name = connection.host.bytes(of: item.path)
        let reply = try await connection.send(item.isDirectory ? .rmdir(name) : .remove(name), session)
        if reply.status?.isOK == true { return }
        if item.isDirectory { throw try await refusal(reply, ofRemovingFolder: item.path, session) }
        throw try await refusal(reply, ofChanging: item.path, session)
    }
}
