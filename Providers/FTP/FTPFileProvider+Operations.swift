import CurlTransport
public import FileProviderCore
import Foundation

extension FTPFileProvider {
    /// Makes a folder with one `MKD`. Servers refuse with 550 for every reason, so a refusal is followed by a lookup.
    public func createFolder(path: ProviderPath) async throws {
        if path.isRoot { throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path)) }
        defer { cache.drop(path) }
        let isSent = LockedValue(false)
        do {
            try await connection.run(path, mayRepeat: false) { try await self.makeFolder(path, $0, isSent) }
        } catch  where error.isTransient && isSent.value {
            // The reply may be lost although the folder was made. An empty folder that existed before is equivalent.
            let isMade = try? await connection.run(path) { session in
                guard try await self.item(path, session)?.isDirectory == true else { return false }
                return try await !self.hasContents(path, session: session)
            }
            guard isMade == true else { throw error }
        }
    }

    private func makeFolder(_ path: ProviderPath, _ session: FTPSession, _ isSent: LockedValue<Bool>) async throws {
        let command = try FTPCommand("MKD", argument: session.host.newBytes(of: path))
        for isLast in [false, true] {
            isSent.update { $0 = true }
            guard let reply = try await session.send([command])["MKD"], !reply.isPositive else { return }
            let error = try await self.refusal(reply, ofWriting: path, session)
            // By now the parent exists: another client may have made it meanwhile.
            if isLast || !(error is FTPReplyError) { throw error }
        }
    }

    /// Renames on the server (RFC 959, section 4.1.3).
    ///
    /// FTP silently replaces an existing file, so `overwrite: false` is a lookup right before the renaming; a file that
    /// another client writes in between is lost. If the server does not replace the destination itself, the move takes
    /// more than one step: a folder is removed first, a file is moved aside, and moved back if the renaming fails and
    /// its place is still free.
    ///
    /// - Throws: Also `CocoaError(.fileWriteInvalidFileName)` if `destination` is the item itself or is inside it.
    /// - Complexity: Four round trips: two lookups, `RNFR` and `RNTO`; without `MLST` up to two more for each lookup.
    public func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try refuseOverlap(path, destination)
        defer {
            cache.drop(path)
            cache.drop(destination)
        }
        let state = LockedValue(FTPWriteState(location: path, stage: .renaming))
        let replacement = try FTPReplacement(of: destination, by: path, provider: self, state: state)
        let moving = LockedValue<FileObject?>(nil)
        do {
            try await connection.run(path, mayRepeat: false) { session in
                guard let item = try await self.item(path, session) else { throw self.missing(path, isWriting: true) }
                moving.update { $0 = item }
                guard let target = try await self.item(destination, session) else {
                    return try await self.rename(path, to: destination, session)
                }
                if !overwrite {
                    throw FileError.make(.fileWriteFileExists, path: destination, url: self.url(of: destination))
                }
                if !target.isDirectory, !item.isDirectory {
                    return try await self.replace(destination, by: path, with: replacement, on: session)
                }
                // No server replaces a folder in one step.
                try await self.removeOne(target, session)
                try await self.rename(path, to: destination, session)
            }
        } catch {
            guard error.isTransient, let item = moving.value, await wasMoved(item, to: destination) else {
                try await replacement.putBack()
                throw error
            }
        }
        await replacement.discard()
        progress.advance(by: 1)
    }

    /// Whether the item now has only the new name, although the reply to the renaming was lost.
    private func wasMoved(_ item: FileObject, to destination: ProviderPath) async -> Bool {
        let isMoved = try? await connection.run(destination) { session in
            guard try await self.item(item.path, session) == nil, let moved = try await self.item(destination, session)
            else {
                return false
            }
            return moved.type == item.type && moved.size == item.size
        }
        return isMoved == true
    }

    /// Renames a file onto a file, in one step if the server can do that.
    private func replace(
        _ destination: ProviderPath, by path: ProviderPath, with replacement: FTPReplacement, on session: FTPSession
    ) async throws {
        guard let reply = try await renamingRefusal(path, to: destination, session: session) else { return }
        let refusal = try await refusal(reply, ofWriting: destination, session, moving: path)
        // Once begun, this runs until one of the two files is at the destination, even if cancelled.
        try await connection.finish { try await replacement.run(after: refusal, on: session) }
    }

    /// `RNFR` and `RNTO`.
    func rename(_ path: ProviderPath, to destination: ProviderPath, _ session: FTPSession) async throws {
        guard let reply = try await renamingRefusal(path, to: destination, session: session) else { return }
        throw try await refusal(reply, ofWriting: destination, session, moving: path)
    }

    /// - Returns: The server's refusal of the new name; nil if the item was renamed.
    /// - Throws: The refusal of the old name.
    private func renamingRefusal(_ path: ProviderPath, to destination: ProviderPath, session: FTPSession) async throws
        -> FTPReply?
    {
        session.leave()
        let (source, target) = try (session.host.bytes(of: path), session.host.newBytes(of: destination))
        let first = try await session.send([FTPCommand("RNFR", argument: source)])["RNFR"]
        if let reply = first, !reply.isPositive { throw try await refusal(reply, ofChanging: path, session) }
        guard let second = try await session.send([FTPCommand("RNTO", argument: target)])["RNTO"], !second.isPositive
        else { return nil }
        return second
    }

    /// Copies on the server with `SITE CPFR` and `SITE CPTO`, to a temporary name first. Without these commands, copies
    /// through this machine.
    public func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try refuseOverlap(path, destination)
        guard try await capabilities()[.serverSideCopying] == .native else {
            return try await copyThroughThisMachine(
                path: path, to: destination, overwrite: overwrite, progress: progress)
        }
        let temporary = try TemporaryName.make(beside: destination)
        let item = try await connection.run(path) { session in
            guard let item = try await self.item(path, session) else { throw self.missing(path) }
            if !overwrite, try await self.item(destination, session) != nil {
                throw FileError.make(.fileWriteFileExists, path: destination, url: self.url(of: destination))
            }
            return item
        }
        do {
            guard try await copyOnServer(path, to: temporary, for: destination) else {
                await connection.tidy { () async throws in try await self.removeItem(path: temporary) }
                return try await copyThroughThisMachine(
                    path: path, to: destination, overwrite: overwrite, progress: progress)
            }
            try await moveItem(path: temporary, to: destination, overwrite: overwrite)
        } catch {
            // If the file cannot be removed, its name shows that it is temporary.
            await connection.tidy { () async throws in try await self.removeItem(path: temporary) }
            throw error
        }
        progress.expect(item.size ?? 1)
        progress.advance(by: item.size ?? 1)
    }

    /// Copies with `SITE CPFR` and `SITE CPTO`. The server doesn't reply before everything is copied.
    ///
    /// - Returns: False if the server refuses, or needs more than ten times the usual time.
    private func copyOnServer(_ path: ProviderPath, to temporary: ProviderPath, for destination: ProviderPath)
        async throws -> Bool
    {
        do {
            return try await connection.run(path, mayRepeat: false) { session in
                let (host, from) = (session.host, try session.host.bytes(of: path))
                let first = try await session.send([FTPCommand("SITE", argument: Array("CPFR ".utf8) + from)])["SITE"]
                if let first, !first.isPositive {
                    return try self.isRefusedHere(
                        first, error: try await self.refusal(first, ofChanging: path, session))
                }
                var copying = FTPExchange([
                    try FTPCommand("SITE", argument: Array("CPTO ".utf8) + host.newBytes(of: temporary))
                ])
                copying.patience = 10
                guard let second = try await session.send(copying)["SITE"], !second.isPositive else { return true }
                return try self.isRefusedHere(
                    second, error: try await self.refusal(second, ofWriting: destination, session))
            }
        } catch let error as URLError where error.code == .timedOut {
            connection.host.lacks("SITE CPFR")
            return false
        }
    }

    /// Returns false if this machine can make the copy instead.
    private func isRefusedHere(_ reply: FTPReply, error: any Error) throws -> Bool {
        if error.isNoSuchFile || error.isTransient || (error as? CocoaError)?.code == .fileWriteOutOfSpace {
            throw error
        }
        if FileProviderFTPErrorCode(rawValue: reply.code).isUnknownCommand { connection.host.lacks("SITE CPFR") }
        return false
    }

    private func refuseOverlap(_ path: ProviderPath, _ destination: ProviderPath) throws {
        guard path.isRoot || destination == path || destination.isBelow(path) else { return }
        throw FileError.make(
            .fileWriteInvalidFileName, path: destination, url: url(of: destination),
            sentence: "“\(path)” cannot be moved or copied to itself or into itself, “\(destination)”.")
    }

    /// Whether the path is in use, in one round trip if the server shows files. Without `MLST`, a folder is found only
    /// when the server refuses to replace it.
    func isTaken(_ path: ProviderPath, _ session: FTPSession) async throws -> Bool {
        if !session.host.hasMachineListings, session.host.mayKnow("SIZE") {
            let outcome = try await session.sendTogether(
                session.binary + [FTPCommand("SIZE", argument: session.host.bytes(of: path))])
            if outcome.size != nil { return true }
            if let reply = outcome["SIZE"], session.host.mayKnow("SIZE"), !isForbidden(reply, path) { return false }
        }
        switch try await sight(path, session) {
        case .item: return true
        case .nothing: return false
        case .hidden: return try await takesNewName(path, session: session)
        }
    }

    /// Whether `RNFR` finds an item at the path, for servers that show nothing. Ends the renaming with the same name.
    private func takesNewName(_ path: ProviderPath, session: FTPSession) async throws -> Bool {
        let name = try session.host.bytes(of: path)
        guard try await session.send([FTPCommand("RNFR", argument: name)])["RNFR"]?.isPositive == true else {
            return false
        }
        _ = try await session.send([FTPCommand("RNTO", argument: name)])
        return true
    }
}
