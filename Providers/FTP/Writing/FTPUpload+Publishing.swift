import CurlTransport
import FileProviderCore
import Foundation

extension FTPUpload {
    /// Writes to a temporary name, then renames the complete file: `STOR`, optionally a hash, `SIZE`, `RNFR` and
    /// `RNTO`.
    func publish() async throws -> FileObject {
        if isLarge { try await connection.run(path) { try await refuseTaken(on: $0) } }
        let kept = try partPath()
        state.update { $0.location = kept }
        do {
            let sent = try await send()
            state.update { $0.stage = .sent }
            try await compare(sent)
            try Task.checkCancellation()
            // From here on the result is complete or none, cancelled or not.
            return try await connection.finish { try await putInPlace(sent.count) }
        } catch {
            if !keepsPart || location != kept { await removeNow() }
            throw error
        }
    }

    private func putInPlace(_ count: Int64) async throws -> FileObject {
        let replacement = try FTPReplacement(of: path, by: location, provider: provider, state: state)
        do { try await rename(count, with: replacement) } catch {
            try await replacement.putBack()
            throw error
        }
        await replacement.discard()
        return finished(count)
    }

    private func rename(_ count: Int64, with replacement: FTPReplacement) async throws {
        do {
            try await connection.run(path) { session in
                // The reply to an earlier try may be lost: then the file has its name already.
                if state.value.stage >= .renaming, try await wasRenamed(count, on: session) { return }
                try await rename(count, with: replacement, on: session)
            }
        } catch let error where error.isTransient {
            guard try await connection.run(path, { try await wasRenamed(count, on: $0) }) else { throw error }
        }
    }

    /// Sends all requests before `RNTO` together, in one round trip.
    private func rename(_ count: Int64, with replacement: FTPReplacement, on session: FTPSession) async throws {
        state.update { $0.stage = max($0.stage, .renaming) }
        let host = session.host
        let (part, name) = (try host.bytes(of: location), try host.newBytes(of: path))
        let looks =
            options.overwrite
            ? nil : host.hasMachineListings ? "MLST" : host.features?.has("MDTM") == true ? "MDTM" : nil
        if looks == nil { try await refuseTaken(on: session) }
        // Verified before `RNFR`: some servers accept no other command between `RNFR` and `RNTO`.
        let knowsSize = host.mayKnow("SIZE")
        if !knowsSize { try await look(for: count, on: session) }
        var commands = session.binary
        let time = try timeCommand(for: part)
        if let time { commands.append(time.command) }
        if knowsSize { commands.append(try FTPCommand("SIZE", argument: part)) }
        if let looks { commands.append(try FTPCommand(looks, argument: name)) }
        commands.append(try FTPCommand("RNFR", argument: part))
        let outcome = try await session.sendTogether(commands)
        noteTime(time?.way, in: outcome, from: host)
        var begun = outcome["RNFR"]
        do {
            let isVerified = try verify(outcome, has: count) || !knowsSize
            if let looks, outcome[looks]?.isPositive == true { throw taken }
            let isHidden = looks.flatMap { outcome[$0] }.map { provider.isForbidden($0, path) } ?? false
            if !isVerified || isHidden {
                try await endRenaming(begun.take(), of: part, on: session)
                if !isVerified { try await look(for: count, on: session) }
                if isHidden { try await refuseTaken(on: session) }
                begun = try await session.send([FTPCommand("RNFR", argument: part)])["RNFR"]
            }
        } catch {
            try await endRenaming(begun, of: part, on: session)
            throw error
        }
        guard begun?.isPositive == true else { throw notRenamed(begun) }
        guard let reply = try await session.send([FTPCommand("RNTO", argument: name)])["RNTO"], !reply.isPositive else {
            return
        }
        try await makeRoom(after: reply, with: replacement, on: session)
    }

    /// ProFTPD accepts no other command until a renaming that was begun has ended. Ends it without a change.
    private func endRenaming(_ begun: FTPReply?, of part: [UInt8], on session: FTPSession) async throws {
        if begun?.isPositive == true { _ = try await session.send([FTPCommand("RNTO", argument: part)]) }
    }

    private func notRenamed(_ reply: FTPReply?) -> CocoaError {
        let part = location
        let what =
            reply.map { provider.isForbidden($0, part) } ?? false
            ? "The server stored the bytes of “\(path)”, but doesn't let them be renamed; “\(part)” may be left."
            : "The server stored the bytes of “\(path)”, but “\(part)” is no longer there."
        return FileError.make(
            .fileWriteUnknown, path: path, url: provider.url(of: path),
            sentence: "\(what) If this folder only takes files, write to the name itself (--in-place).",
            underlying: reply.map { FTPReplyError($0, path: part) })
    }

    /// Replaces the file or folder at the path on a server that doesn't rename onto it.
    private func makeRoom(after reply: FTPReply, with replacement: FTPReplacement, on session: FTPSession) async throws
    {
        let refusal = try await provider.refusal(reply, ofWriting: path, session)
        guard let item = try await provider.item(path, session) else { throw refusal }
        if !options.overwrite { throw taken }
        if item.isDirectory {
            try await provider.removeOne(item, session)
            return try await provider.rename(location, to: path, session)
        }
        try await replacement.run(after: refusal, on: session)
    }

    /// Whether the file has its name although the reply to the renaming was lost.
    private func wasRenamed(_ count: Int64, on session: FTPSession) async throws -> Bool {
        guard try await provider.item(location, session) == nil else { return false }
        return try await provider.item(path, session)?.size == count
    }
}
