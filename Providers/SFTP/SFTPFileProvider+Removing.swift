public import FileProviderCore
import Foundation
import SFTPEngine

extension SFTPFileProvider {
    /// Removes with `REMOVE` and `RMDIR`; a folder with its contents item by item, many at once. Removes links, and
    /// never their targets.
    ///
    /// - Throws: Also `CocoaError(.fileReadTooLarge)` for a tree of more than a million folders.
    /// - Complexity: Two round trips; of a tree, three for each level of folders and about one for each 500 items.
    public func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        if path.isRoot {
            throw FileError.make(.fileWriteNoPermission, path: path, sentence: "The root cannot be removed.")
        }
        defer { cache.drop(path) }
        let isTree = try await connection.run(path, mayRepeat: false) { session in
            guard let item = try await self.item(path, session) else { throw self.missing(path, isWriting: true) }
            if item.isDirectory, recursive { return true }
            try await self.removeOne(item, session)
            return false
        }
        guard isTree else { return progress.advance(by: 1) }
        // The deepest folders first.
        for level in Dictionary(
            grouping: try await removeFiles(below: path, progress: progress), by: \.components.count
        )
        .sorted(by: { $0.key > $1.key }) {
            try await removeAll(level.value, areFolders: true, of: path, progress)
        }
    }

    /// Requests that leave together.
    private static let batch = 500
    /// Folders that are listed at once.
    private static let listings = 16
    /// Files that are removed before more folders are listed.
    private static let maxFiles = 10_000
    /// Folders of one tree.
    private static let maxFolders = 1_000_000

    /// Removes what is no folder.
    ///
    /// - Returns: The folder and those below it.
    private func removeFiles(below path: ProviderPath, progress: ProgressReporter) async throws -> [ProviderPath] {
        var all = [path]
        var folders = [path]
        var files: [ProviderPath] = []
        var count = Int64(1)
        while !folders.isEmpty {
            let batch = folders.suffix(Self.listings)
            folders.removeLast(batch.count)
            try await withThrowingTaskGroup(of: Names.self) { group in
                for folder in batch { group.addTask { try await self.names(in: folder) } }
                for try await names in group {
                    files += names.files
                    folders += names.folders
                    all += names.folders
                    count += Int64(names.files.count + names.folders.count)
                }
            }
            progress.expect(count)
            if let deepest = folders.first(where: {
                $0.components.count > path.components.count + ProviderPath.maxTreeDepth
            }) {
                throw FileError.tooDeep(deepest)
            }
            if all.count > Self.maxFolders {
                throw FileError.make(
                    .fileReadTooLarge, path: path, url: url(of: path),
                    sentence: "“\(path)” has more than \(Self.maxFolders) folders. Remove its subfolders one by one.")
            }
            if files.count < Self.maxFiles, !folders.isEmpty { continue }
            try await removeAll(files, areFolders: false, of: path, progress)
            files = []
        }
        return all
    }

    private struct Names: Sendable {
        var files: [ProviderPath] = []
        var folders: [ProviderPath] = []
    }

    private func names(in folder: ProviderPath) async throws -> Names {
        let names = LockedValue(Names())
        try await contentsOfDirectory(path: folder) { items in
            names.update { names in
                for item in items {
                    if item.isDirectory { names.folders.append(item.path) } else { names.files.append(item.path) }
                }
            }
        }
        return names.value
    }

    /// Removes items in any order.
    private func removeAll(
        _ items: [ProviderPath], areFolders: Bool, of root: ProviderPath, _ progress: ProgressReporter
    ) async throws {
        var rest = items[...]
        while !rest.isEmpty {
            let batch = rest.prefix(Self.batch)
            rest = rest.dropFirst(batch.count)
            try await connection.run(root, mayRepeat: false) { session in
                let requests = batch.map { path in
                    let name = self.connection.host.bytes(of: path)
                    return areFolders ? SFTPRequest.rmdir(name) : .remove(name)
                }
                for (path, reply) in zip(batch, try await self.connection.send(requests, session)) {
                    if reply.status?.isOK != true {
                        try await self.consent(to: reply, at: path, isFolder: areFolders, of: root, session)
                    }
                    progress.advance(by: 1)
                }
            }
        }
    }

    /// - Throws: Why the item could not be removed, unless the rest is to go all the same.
    private func consent(
        to reply: SFTPReply, at path: ProviderPath, isFolder: Bool, of root: ProviderPath, _ session: SFTPSession
    ) async throws {
        let error =
            isFolder
            ? try await refusal(reply, ofRemovingFolder: path, session)
            : try await refusal(reply, ofChanging: path, session)
        guard path != root, await OperationConsent.proceeds(after: error, operation: .remove(path: path.string)) else {
            throw error
        }
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
