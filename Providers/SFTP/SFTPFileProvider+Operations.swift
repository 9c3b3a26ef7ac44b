public import FileProviderCore
import Foundation
import SFTPEngine

extension SFTPFileProvider {
    /// One `MKDIR`. What a refusal means is looked at: servers have "failure" for all of it.
    public func createFolder(path: ProviderPath) async throws {
        if path.isRoot { throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path)) }
        defer { cache.drop(path) }
        try await connection.run(path, mayRepeat: false) { session in
            let name = self.connection.host.bytes(of: path)
            for isLast in [false, true] {
                // Some servers say "done" to a folder that was there.
                let replies = try await self.connection.send([.lstat(name), .mkdir(name)], session)
                if replies[1].status?.isOK == true {
                    guard case .attributes = replies[0] else { return }
                    throw FileError.make(.fileWriteFileExists, path: path, url: self.url(of: path))
                }
                let error = try await self.refusal(replies[1], ofWriting: path, isFolder: true, session)
                // By now the parent is there: it may have come into being meanwhile.
                if isLast || !(error is SFTPStatusError) { throw error }
            }
        }
    }

    /// Renames on the server, in one step where it has `posix-rename@openssh.com`.
    ///
    /// With `overwrite: false` the destination is looked at, and `RENAME` refuses what is there on servers that keep to
    /// the draft; on others an empty file takes a file's new name first. A folder may come in the place of an empty one
    /// that was made meanwhile.
    ///
    /// - Throws: Also `CocoaError(.fileWriteInvalidFileName)` when `destination` is the item itself or lies in it.
    /// - Complexity: Two round trips; for the first file up to three more, where the server is not known to be
    ///   OpenSSH's.
    public func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try refuseOverlap(path, destination)
        defer {
            cache.drop(path)
            cache.drop(destination)
        }
        let placement = SFTPPlacement(
            provider: self, path: destination, state: LockedValue(SFTPWriteState(location: path)))
        try await connection.run(path, mayRepeat: false) { session in
            let (found, target) = try await both {
                try await self.item(path, session)
            } _: {
                try await self.item(destination, session)
            }
            guard let item = found else { throw self.missing(path, isWriting: true) }
            guard let target else {
                if overwrite || !item.isRegularFile { return try await self.rename(path, to: destination, session) }
                return try await placement.run { try await placement.move(path, on: session) }
            }
            if !overwrite {
                throw FileError.make(.fileWriteFileExists, path: destination, url: self.url(of: destination))
            }
            if !target.isDirectory {
                return try await placement.run {
                    try await placement.replace(by: path, isFolder: item.isDirectory, on: session)
                }
            }
            // Servers have different rules for what may come in the place of a folder.
            try await self.removeOne(target, session)
            try await self.rename(path, to: destination, session)
        }
        progress.advance(by: 1)
    }

    /// `RENAME` to a name that is not there.
    func rename(_ path: ProviderPath, to destination: ProviderPath, _ session: SFTPSession) async throws {
        let host = connection.host
        let reply = try await connection.send(.rename(host.bytes(of: path), to: host.bytes(of: destination)), session)
        if reply.status?.isOK == true { return }
        if try await item(path, session) == nil { throw missing(path, isWriting: true) }
        throw try await refusal(reply, ofWriting: destination, session)
    }

    /// On the server where it has `copy-data`, else through this machine; to a temporary name first.
    ///
    /// A copy on the server goes in pieces of 16 MiB, gets the permission bits of the file, and is looked at before it
    /// gets its name.
    public func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try refuseOverlap(path, destination)
        let canCopy = try await connection.run(path) { session in
            guard self.connection.host.has(.copyData, session) else { return false }
            guard let item = try await self.item(path, session) else { throw self.missing(path) }
            return item.isRegularFile
        }
        guard canCopy else {
            return try await copyThroughThisMachine(
                path: path, to: destination, overwrite: overwrite, progress: progress)
        }
        defer { cache.drop(destination) }
        // On a lane: a server may take long over each piece, and requests would wait behind it.
        let session = try await connection.retrying(path, operation: "lane") {
            try await self.connection.pool.firstLane()
        }
        let copy = SFTPServerCopy(
            provider: self, path: path, destination: destination, overwrite: overwrite, session: session)
        let didCopy: Bool
        do {
            didCopy = try await connection.logged("copyItem", path) { try await copy.run(progress) }
        } catch { throw connection.translated(error, path: path) }
        if !didCopy {
            try await copyThroughThisMachine(path: path, to: destination, overwrite: overwrite, progress: progress)
        }
    }

    private func refuseOverlap(_ path: ProviderPath, _ destination: ProviderPath) throws {
        guard path.isRoot || destination == path || destination.isBelow(path) else { return }
        throw FileError.make(
            .fileWriteInvalidFileName, path: destination, url: url(of: destination),
            sentence: "“\(path)” cannot be moved or copied to “\(destination)”, which is itself or lies in it.")
    }

    // MARK: What a refusal means

    /// Of something that has to be there.
    func refusal(_ reply: SFTPReply, ofChanging path: ProviderPath, _ session: SFTPSession) async throws -> any Error {
        guard let status = reply.status else { return unexpected(path) }
        guard try await item(path, session) != nil else {
            return missing(path, isWriting: true, underlying: SFTPStatusError(status, path: path))
        }
        return SFTPCondition(status: status, path: path, url: url(of: path), isWriting: true).error
    }

    /// Of a name that was to be new, or to be replaced.
    ///
    /// - Parameter isFolder: Whether a folder was to be made.
    func refusal(
        _ reply: SFTPReply, ofWriting path: ProviderPath, isFolder: Bool = false, _ session: SFTPSession
    ) async throws -> any Error {
        guard let status = reply.status else { return unexpected(path) }
        let statusError = SFTPStatusError(status, path: path)
        let condition = SFTPCondition(status: status, path: path, url: url(of: path), isWriting: true).error
        if (condition as? CocoaError)?.code == .fileWriteOutOfSpace { return condition }
        do {
            if let item = try await item(path, session) {
                if isFolder {
                    return FileError.make(.fileWriteFileExists, path: path, url: url(of: path), underlying: statusError)
                }
                if item.isDirectory { return FileError.isADirectory(path, url: url(of: path), writing: true) }
            }
            if let parent = path.parent, try await item(parent, session, followsLinks: true)?.isDirectory != true {
                return FileError.make(
                    .fileNoSuchFile, path: parent, url: url(of: parent),
                    sentence: "The folder “\(parent)” does not exist.",
                    underlying: statusError)
            }
        } catch let error where error.isRefusal {
            // Where nobody may look, what was told first is what is known.
            return condition
        }
        // What belongs there is there: the words about a missing file are about something else.
        if (condition as? CocoaError)?.code == .fileNoSuchFile { return statusError }
        if path.nameBytes.count > 255, condition is SFTPStatusError {
            return FileError.make(errno: ENAMETOOLONG, path: path, url: url(of: path), writing: true)
        }
        return condition
    }

    func refusal(_ reply: SFTPReply, ofRemovingFolder path: ProviderPath, _ session: SFTPSession) async throws
        -> any Error
    {
        guard let status = reply.status else { return unexpected(path) }
        let statusError = SFTPStatusError(status, path: path)
        guard let item = try await item(path, session) else {
            return missing(path, isWriting: true, underlying: statusError)
        }
        let condition = SFTPCondition(status: status, path: path, url: url(of: path), isWriting: true).error
        guard item.isDirectory, condition is SFTPStatusError else { return condition }
        return try await isEmpty(path, session)
            ? condition : FileError.make(errno: ENOTEMPTY, path: path, url: url(of: path), writing: true)
    }

    private func isEmpty(_ path: ProviderPath, _ session: SFTPSession) async throws -> Bool {
        struct Full: Error {}
        do { try await list(path, session) { _ in throw Full() } } catch is Full { return false } catch let error
            where error.unusableNames != nil
        { return false }
        return true
    }
}
