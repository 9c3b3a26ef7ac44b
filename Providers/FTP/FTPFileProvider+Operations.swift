import CurlTransport
public import FileProviderCore
import Foundation

extension FTPFileProvider {
    /// Makes a folder with one `MKD`. What a refusal means is looked at: servers have 550 for all of it.
    public func createFolder(path: ProviderPath) async throws {
        if path.isRoot { throw FileError.make(.fileWriteFileExists, path: path, url: url(of: path)) }
        defer { cache.drop(path) }
        try await connection.run(path, mayRepeat: false) { session in
            let command = try FTPCommand("MKD", session.host.newBytes(of: path))
            for isLast in [false, true] {
                guard let reply = try await session.send([command])["MKD"], !reply.isPositive else { return }
                let error = try await self.refusal(reply, ofWriting: path, session)
                // By now the parent is there: it may have come into being meanwhile.
                if isLast || !(error is FTPReplyError) { throw error }
            }
        }
    }

    /// Renames on the server (RFC 959, section 4.1.3).
    ///
    /// FTP renames onto a file that is there without a word, and so `overwrite: false` is a look right before; whoever writes in between
    /// loses. Where something has to give way that the server does not replace by itself, the two are not one step: a folder is removed
    /// before, a file is moved out of the way, and back where its place stays empty.
    ///
    /// - Throws: Also `CocoaError(.fileWriteInvalidFileName)` when `destination` is the item itself or lies in it.
    /// - Complexity: Four round trips: two looks, `RNFR` and `RNTO`; without `MLST` up to two more for each look.
    public func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter) async throws {
        try refuseOverlap(path, destination)
        defer {
            cache.drop(path)
            cache.drop(destination)
        }
        let replacement = try FTPReplacement(of: destination, by: path, self)
        do {
            try await connection.run(path, mayRepeat: false) { session in
                guard let item = try await self.item(path, session) else { throw self.missing(path, isWriting: true) }
                guard let target = try await self.item(destination, session) else {
                    return try await self.rename(path, to: destination, session)
                }
                if !overwrite { throw FileError.make(.fileWriteFileExists, path: destination, url: self.url(of: destination)) }
                if !target.isDirectory, !item.isDirectory { return try await self.replace(replacement, path, destination, session) }
                // No server does that in one step.
                try await self.removeOne(target, session)
                try await self.rename(path, to: destination, session)
            }
        } catch {
            try await replacement.putBack()
            throw error
        }
        await replacement.discard()
        progress.advance(by: 1)
    }

    /// Moves a file onto a file: in one step where the server has that.
    private func replace(
        _ replacement: FTPReplacement, _ path: ProviderPath, _ destination: ProviderPath, _ session: FTPSession
    ) async throws {
        guard let reply = try await renamingRefusal(path, to: destination, session) else { return }
        let refusal = try await refusal(reply, ofWriting: destination, session, moving: path)
        // Begun, it comes to its end, cancelled or not.
        try await Task { try await replacement.run(refusal, session) }.value
    }

    /// `RNFR` and `RNTO`.
    func rename(_ path: ProviderPath, to destination: ProviderPath, _ session: FTPSession) async throws {
        guard let reply = try await renamingRefusal(path, to: destination, session) else { return }
        throw try await refusal(reply, ofWriting: destination, session, moving: path)
    }

    /// - Returns: What the server has against the new name; nil when the item has it.
    /// - Throws: What it has against the old one.
    private func renamingRefusal(_ path: ProviderPath, to destination: ProviderPath, _ session: FTPSession) async throws -> FTPReply? {
        session.leave()
        let (source, target) = try (session.host.bytes(of: path), session.host.newBytes(of: destination))
        let first = try await session.send([FTPCommand("RNFR", source)])["RNFR"]
        if let reply = first, !reply.isPositive { throw try await refusal(reply, ofChanging: path, session) }
        guard let second = try await session.send([FTPCommand("RNTO", target)])["RNTO"], !second.isPositive else { return nil }
        return second
    }

    /// On the server where that has `SITE CPFR` and `SITE CPTO`, to a temporary name first; else through this machine.
    public func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter) async throws {
        try refuseOverlap(path, destination)
        guard try await capabilities()[.serverSideCopying] == .native else {
            return try await copyThroughThisMachine(path: path, to: destination, overwrite: overwrite, progress: progress)
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
            try await connection.run(path, mayRepeat: false) { session in
                let outcome = try await session.send([
                    FTPCommand("SITE", Array("CPFR ".utf8) + session.host.bytes(of: path)),
                    FTPCommand("SITE", Array("CPTO ".utf8) + session.host.newBytes(of: temporary)),
                ])
                let replies = outcome.replies.filter { $0.verb == "SITE" && $0.code >= 200 }
                if let reply = replies.first, !reply.isPositive { throw try await self.refusal(reply, ofChanging: path, session) }
                if let reply = replies.last, !reply.isPositive { throw try await self.refusal(reply, ofWriting: destination, session) }
            }
            try await moveItem(path: temporary, to: destination, overwrite: overwrite)
        } catch {
            // Outside the task, which may be cancelled. What cannot be removed is left under a name that tells.
            await Task { try? await removeItem(path: temporary) }.value
            throw error
        }
        progress.expect(item.size ?? 1)
        progress.advance(by: item.size ?? 1)
    }

    private func refuseOverlap(_ path: ProviderPath, _ destination: ProviderPath) throws {
        guard path.isRoot || destination == path || destination.isBelow(path) else { return }
        throw FileError.make(
            .fileWriteInvalidFileName, path: destination, url: url(of: destination),
            sentence: "“\(path)” cannot be moved or copied to “\(destination)”, which is itself or lies in it.")
    }

    /// Whether a file is at `path`, in one round trip; without `MLST`, a folder there shows no sooner than something is put in its place.
    func isTaken(_ path: ProviderPath, _ session: FTPSession) async throws -> Bool {
        guard !session.host.hasMachineListings, session.host.mayKnow("SIZE") else { return try await item(path, session) != nil }
        return try await session.sendTogether(session.binary + [FTPCommand("SIZE", session.host.bytes(of: path))]).size != nil
    }

    // MARK: What a refusal means

    func refusal(_ reply: FTPReply, ofRemovingFolder path: ProviderPath, _ session: FTPSession) async throws -> any Error {
        let told = FTPReplyError(reply, path: path)
        guard let item = try await item(path, session) else { return missing(path, isWriting: true, underlying: told) }
        if item.isDirectory, (try? await hasContents(path, session)) == true {
            return FileError.make(errno: ENOTEMPTY, path: path, url: url(of: path), writing: true)
        }
        return FTPCondition(reply: reply, path: path, url: url(of: path), isWriting: true).error
    }

    private func hasContents(_ path: ProviderPath, _ session: FTPSession) async throws -> Bool {
        var pages = try await listing(path, session)
        while let items = try pages.next() { if !items.isEmpty { return true } }
        return false
    }

    /// Of something that has to be there.
    func refusal(_ reply: FTPReply, ofChanging path: ProviderPath, _ session: FTPSession) async throws -> any Error {
        guard try await item(path, session) != nil else {
            return missing(path, isWriting: true, underlying: FTPReplyError(reply, path: path))
        }
        return FTPCondition(reply: reply, path: path, url: url(of: path), isWriting: true).error
    }

    /// Of a name that was to be new, or to be replaced.
    ///
    /// - Parameter moving: What was to come there.
    func refusal(
        _ reply: FTPReply, ofWriting path: ProviderPath, _ session: FTPSession, moving: ProviderPath? = nil
    ) async throws -> any Error {
        let told = FTPReplyError(reply, path: path)
        let condition = FTPCondition(reply: reply, path: path, url: url(of: path), isWriting: true).error
        if (condition as? CocoaError)?.code == .fileWriteOutOfSpace || told.code.isTransient { return condition }
        if let item = try await item(path, session) {
            if reply.verb == "MKD" { return FileError.make(.fileWriteFileExists, path: path, url: url(of: path), underlying: told) }
            if item.isDirectory { return FileError.isADirectory(path, url: url(of: path), writing: true) }
        }
        if let parent = path.parent, try await item(parent, session)?.isDirectory != true {
            return FileError.make(
                .fileNoSuchFile, path: parent, url: url(of: parent), sentence: "The folder “\(parent)” does not exist.", underlying: told)
        }
        if let moving, try await item(moving, session) == nil { return missing(moving, isWriting: true, underlying: told) }
        // By now something is known to be there that belongs there: the words of the server about a missing file are about a permission.
        if (condition as? CocoaError)?.code == .fileNoSuchFile { return told }
        return condition
    }
}
