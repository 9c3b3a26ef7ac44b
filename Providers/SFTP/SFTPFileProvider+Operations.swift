public import FileProviderCore
import Foundation
import SFTPEngine

extension SFTPFileProvider {
    /// Makes a folder with one `MKDIR`. Servers refuse with "failure" for every reason, so a refusal is followed by a
    /// lookup.
    public func createFolder(path: ProviderPath) async throws {
        if path.isRoot { throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path)) }
        defer { cache.drop(path) }
        try await connection.run(path, mayRepeat: false) { session in
            let name = self.connection.host.bytes(of: path)
            for isLast in [false, true] {
                // Some servers report success for a folder that exists.
                let replies = try await self.connection.send([.lstat(name), .mkdir(name)], session)
                if replies[1].status?.isOK == true {
                    guard case .attributes = replies[0] else { return }
                    throw FileError.make(.fileWriteFileExists, path: path, url: self.url(of: path))
                }
                let error = try await self.refusal(replies[1], ofWriting: path, isFolder: true, session)
                // By now the parent exists: another client may have made it meanwhile.
                if isLast || !(error is SFTPStatusError) { throw error }
            }
        }
    }

    /// Renames on the server, in one step if it has `posix-rename@openssh.com`.
    ///
    /// With `overwrite: false`, the destination is looked up, and on servers that follow the draft, `RENAME` refuses to
    /// replace an existing item. On others, an empty file first reserves the new name of a file. A folder may replace
    /// an empty one that was made meanwhile.
    ///
    /// - Throws: Also `CocoaError(.fileWriteInvalidFileName)` if `destination` is the item itself or is inside it.
    /// - Complexity: Two round trips; up to three more for the first file, if the server is not known to be OpenSSH's.
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
            // Servers have different rules for what may replace a folder.
            try await self.removeOne(target, session)
            try await self.rename(path, to: destination, session)
        }
        progress.advance(by: 1)
    }

    /// Renames to a free name with `RENAME`.
    func rename(_ path: ProviderPath, to destination: ProviderPath, _ session: SFTPSession) async throws {
        let host = connection.host
        let reply = try await connection.send(.rename(host.bytes(of: path), to: host.bytes(of: destination)), session)
        if reply.status?.isOK == true { return }
        if try await item(path, session) == nil { throw missing(path, isWriting: true) }
        throw try await refusal(reply, ofWriting: destination, session)
    }

    /// Copies on the server if it has `copy-data`, else through this machine; to a temporary name first.
    ///
    /// A copy on the server is made in pieces of 16 MiB, gets the file's permission bits, and is verified before it
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
            sentence: "“\(path)” cannot be moved or copied to itself or into itself, “\(destination)”.")
    }

    // MARK: Refusals

    /// The error for a refused change of an item that must exist.
    func refusal(_ reply: SFTPReply, ofChanging path: ProviderPath, _ session: SFTPSession) async throws -> any Error {
        guard let status = reply.status else { return unexpected(path) }
        guard try await item(path, session) != nil else {
            return missing(path, isWriting: true, underlying: SFTPStatusError(status, path: path))
        }
        return SFTPCondition(status: status, path: path, url: url(of: path), isWriting: true).error
    }

    /// The error for a refusal to write to a path.
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
            // The server doesn't let the account look, so the first refusal is all that is known.
            return condition
        }
        // Everything that must exist does, so a reply about a missing file has another reason.
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
