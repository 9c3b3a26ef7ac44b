import CurlTransport
public import FileProviderCore
import Foundation

extension FTPFileProvider {
    /// Makes a folder with one `MKD`. What a refusal means is looked at: servers have 550 for all of it.
    public func createFolder(path: ProviderPath) async throws {
        if path.isRoot { throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path)) }
        defer { cache.drop(path) }
        let isSent = LockedValue(false)
        do {
            try await connection.run(path, mayRepeat: false) { try await self.makeFolder(path, $0, isSent) }
        } catch  where error.isTransient && isSent.value {
            // The reply may be lost, and the folder there; one that was there before and is empty is the same.
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
            // By now the parent is there: it may have come into being meanwhile.
            if isLast || !(error is FTPReplyError) { throw error }
        }
    }

    /// Renames on the server (RFC 959, section 4.1.3).
    ///
    /// FTP renames onto a file that is there without a word, and so `overwrite: false` is a look right before; whoever
    /// writes in between loses. Where something has to give way that the server does not replace by itself, the two are
    /// not one step: a folder is removed before, a file is moved out of the way, and back where its place stays empty.
    ///
    /// - Throws: Also `CocoaError(.fileWriteInvalidFileName)` when `destination` is the item itself or lies in it.
    /// - Complexity: Four round trips: two looks, `RNFR` and `RNTO`; without `MLST` up to two more for each look.
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
                // No server does that in one step.
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

    /// Whether an item that was seen before a renaming has the new name and no other, the reply to that being lost.
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
        // Once begun, this ends with one of the two files at the destination, cancelled or not.
        try await connection.finish { try await replacement.run(after: refusal, on: session) }
    }

    /// `RNFR` and `RNTO`.
    func rename(_ path: ProviderPath, to destination: ProviderPath, _ session: FTPSession) async throws {
        guard let reply = try await renamingRefusal(path, to: destination, session: session) else { return }
        throw try await refusal(reply, ofWriting: destination, session, moving: path)
    }

    /// - Returns: What the server has against the new name; nil when the item has it.
    /// - Throws: What it has against the old one.
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

    /// On the server where that has `SITE CPFR` and `SITE CPTO`, to a temporary name first; else through this machine.
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
            // What cannot be removed is left under a name that tells.
            await connection.tidy { () async throws in try await self.removeItem(path: temporary) }
            throw error
        }
        progress.expect(item.size ?? 1)
        progress.advance(by: item.size ?? 1)
    }

    /// `SITE CPFR` and `SITE CPTO`, to which nothing is said before all is copied.
    ///
    /// - Returns: False when the server does not do it, or not in ten times as long as it may take for anything else.
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

    /// False, for a copy that this machine can make.
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
            sentence: "“\(path)” cannot be moved or copied to “\(destination)”, which is itself or lies in it.")
    }

    /// Whether a file is at `path`, in one round trip where the server lets it be seen; without `MLST`, a folder there
    /// shows no sooner than something is put in its place.
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

    /// Whether `RNFR` finds something there, which it does where nothing can be looked at. The renaming ends under the
    /// same name.
    private func takesNewName(_ path: ProviderPath, session: FTPSession) async throws -> Bool {
        let name = try session.host.bytes(of: path)
        guard try await session.send([FTPCommand("RNFR", argument: name)])["RNFR"]?.isPositive == true else {
            return false
        }
        _ = try await session.send([FTPCommand("RNTO", argument: name)])
        return true
    }
}
