import CurlTransport
public import FileProviderCore
import Foundation

extension FTPFileProvider {
    /// Removes with `DELE` and `RMD`; a folder with its contents item by item. Removes links, and never their targets.
    public func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        if path.isRoot {
            throw FileError.make(.fileWriteNoPermission, path: path, sentence: "The root cannot be removed.")
        }
        defer { cache.drop(path) }
        let isDone = try await connection.run(path, mayRepeat: false) { session in
            guard let item = try await self.item(path, session) else {
                // Servers that follow links report a broken link as missing, and yet remove it.
                if try await self.removeAsFiles([path], session: session).isEmpty {
                    throw self.missing(path, isWriting: true)
                }
                return true
            }
            if item.isDirectory, recursive { return try await !self.removeAsFiles([path], session: session).isEmpty }
            try await self.removeOne(item, session)
            return true
        }
        if !isDone { return try await removeTree(path: path, progress: progress) }
        progress.advance(by: 1)
    }

    /// Returns the paths that `DELE` removes, in one round trip for all without TLS. It refuses folders, and removes
    /// links to folders, which many servers list as folders.
    private func removeAsFiles(_ paths: [ProviderPath], session: FTPSession) async throws -> Set<ProviderPath> {
        var removed: Set<ProviderPath> = []
        var rest = paths[...]
        while !rest.isEmpty {
            let batch = rest.prefix(50)
            rest = rest.dropFirst(50)
            let outcome = try await session.sendTogether(
                batch.map { try FTPCommand("DELE", argument: session.host.bytes(of: $0)) })
            let replies = outcome.replies.filter { $0.verb == "DELE" && $0.code >= 200 }
            for (path, reply) in zip(batch, replies) where reply.isPositive { removed.insert(path) }
        }
        return removed
    }

    private func removeTree(path: ProviderPath, progress: ProgressReporter) async throws {
        cache.drop(path)
        try await removeTree([path] + items(below: path), progress: progress) { item in
            try await self.connection.run(item, mayRepeat: false) { session in
                try await self.removeUnknown(item, session: session)
            }
        }
    }

    /// Lists the items with each folder before its contents.
    private func items(below path: ProviderPath) async throws -> [ProviderPath] {
        var (items, folders): ([ProviderPath], [ProviderPath]) = ([], [path])
        while let folder = folders.popLast() {
            try Task.checkCancellation()
            let listed = try await contentsOfDirectory(path: folder)
            let inner = listed.filter(\.isDirectory).map(\.path)
            let links =
                inner.isEmpty
                ? []
                : try await connection.run(folder, mayRepeat: false) {
                    try await self.removeAsFiles(inner, session: $0)
                }
            items += listed.map(\.path).filter { !links.contains($0) }
            folders += inner.filter { !links.contains($0) }
        }
        return items
    }

    /// Removes a file, a link or an empty folder.
    func removeOne(_ item: FileObject, _ session: FTPSession) async throws {
        let name = try session.host.bytes(of: item.path)
        guard let reply = try await session.send([FTPCommand("DELE", argument: name)])["DELE"], !reply.isPositive else {
            return
        }
        if !item.isDirectory { throw try await refusal(reply, ofChanging: item.path, session) }
        session.leave()
        guard let reply = try await session.send([FTPCommand("RMD", argument: name)])["RMD"], !reply.isPositive else {
            return
        }
        throw try await refusal(reply, ofRemovingFolder: item.path, session)
    }

    private func removeUnknown(_ path: ProviderPath, session: FTPSession) async throws {
        let name = try session.host.bytes(of: path)
        session.leave()
        guard let reply = try await session.send([FTPCommand("DELE", argument: name)])["DELE"], !reply.isPositive else {
            return
        }
        guard let second = try await session.send([FTPCommand("RMD", argument: name)])["RMD"], !second.isPositive else {
            return
        }
        guard let item = try await item(path, session) else { throw missing(path, isWriting: true) }
        if !item.isDirectory { throw try await refusal(reply, ofChanging: path, session) }
        if try await removeLinksThatLeadNowhere(in: path, session: session),
            try await session.send([FTPCommand("RMD", argument: name)])["RMD"]?.isPositive == true
        {
            return
        }
        throw try await refusal(second, ofRemovingFolder: path, session)
    }

    /// Removes broken links from a folder from which everything else was removed: some servers show them by `LIST` and
    /// not by `MLSD`.
    ///
    /// - Returns: Whether there were any.
    private func removeLinksThatLeadNowhere(in path: ProviderPath, session: FTPSession) async throws -> Bool {
        guard session.host.hasMachineListings, var pages = try await folder(path, session) else { return false }
        var removed: Set<ProviderPath> = []
        while let items = try pages.next() {
            removed.formUnion(try await removeAsFiles(items.filter(\.isSymbolicLink).map(\.path), session: session))
        }
        // No server removes its working directory.
        _ = try await session.enter([UInt8(ascii: "/")])
        return !removed.isEmpty
    }
}
