import CurlTransport
import FileProviderCore
import Foundation

/// One file on its way to the server.
struct FTPUpload: Sendable {
    let provider: FTPFileProvider
    let path: ProviderPath
    let source: any WriteSource
    let options: WriteOptions

    /// Bytes above which it pays to look whether the name is free before anything is sent, and to go on where an upload was cut, 1 MiB.
    private static let large: Int64 = 1 << 20
    /// Bytes at the end of what came that are compared before an upload goes on behind them.
    private static let proof: Int64 = 64 << 10

    private var isLarge: Bool { (source.length ?? .max) > Self.large }
    private var connection: FTPConnection { provider.connection }

    // MARK: Published

    /// `STOR` under a temporary name, `SIZE`, `RNFR` and `RNTO`.
    func publish() async throws -> FileObject {
        if isLarge { try await connection.run(path) { try await refuseTaken($0) } }
        let temporary = try TemporaryName.make(beside: path)
        do {
            let count = try await send(to: temporary)
            try Task.checkCancellation()
            // From here on the file is there or not, cancelled or not.
            return try await Task { try await putInPlace(temporary, count) }.value
        } catch {
            await removeNow(temporary)
            throw error
        }
    }

    private func putInPlace(_ temporary: ProviderPath, _ count: Int64) async throws -> FileObject {
        let wasTried = Locked(false)
        do {
            try await connection.run(path) { session in
                // The reply to a renaming may have been lost: then the file is where it belongs.
                if wasTried.value, try await wasRenamed(temporary, count, session) { return }
                wasTried.update { $0 = true }
                try await rename(temporary, count, session)
            }
        } catch let error where error.isTransient {
            guard try await connection.run(path, { try await wasRenamed(temporary, count, $0) }) else { throw error }
        }
        return finished(count)
    }

    /// What has to be asked before the renaming leaves together, in one round trip.
    private func rename(_ temporary: ProviderPath, _ count: Int64, _ session: FTPSession) async throws {
        let host = session.host
        let (part, name) = (try host.bytes(of: temporary), try host.newBytes(of: path))
        let looks = options.overwrite ? nil : host.hasMachineListings ? "MLST" : host.features?.has("MDTM") == true ? "MDTM" : nil
        if looks == nil { try await refuseTaken(session) }
        var commands = session.binary
        let time = try options.modificationDate.flatMap { try provider.timeCommand(host.features)?($0, part) }
        if let time { commands.append(time) }
        commands.append(try FTPCommand("SIZE", part))
        if let looks { commands.append(try FTPCommand(looks, name)) }
        commands.append(try FTPCommand("RNFR", part))
        let outcome = try await session.sendTogether(commands)
        do {
            try verify(outcome, count)
            if let looks, outcome[looks]?.isPositive == true { throw taken() }
        } catch {
            // ProFTPD takes nothing else before the renaming that was begun has an end, and so it gets one that changes nothing.
            if outcome["RNFR"]?.isPositive == true { _ = try await session.send([FTPCommand("RNTO", part)]) }
            throw error
        }
        guard outcome["RNFR"]?.isPositive == true else {
            throw FileError.make(.fileWriteUnknown, path: path, url: provider.url(of: path), sentence: "The server lost “\(temporary)”.")
        }
        guard let reply = try await session.send([FTPCommand("RNTO", name)])["RNTO"], !reply.isPositive else { return }
        try await makeRoom(for: temporary, reply, session)
    }

    /// Servers that do not rename onto what is there have it moved out of the way first; it is removed once the new file is there.
    private func makeRoom(for temporary: ProviderPath, _ reply: FTPReply, _ session: FTPSession) async throws {
        let refusal = try await provider.refusal(reply, ofWriting: path, session)
        guard let item = try await provider.item(path, session) else { throw refusal }
        if !options.overwrite { throw taken() }
        if item.isDirectory {
            try await provider.removeOne(item, session)
            return try await provider.rename(temporary, to: path, session)
        }
        // No name of a temporary file: those may be swept.
        let aside = try (path.parent ?? .root).appending("\(temporary.name).old")
        do { try await provider.rename(path, to: aside, session) } catch {
            if error is FTPFailure { try await putBack(aside) }
            // A server that does not rename to a free name either has another reason.
            throw error is FTPFailure ? error : refusal
        }
        do { try await provider.rename(temporary, to: path, session) } catch {
            try await putBack(aside)
            throw error
        }
        await removeNow(aside)
    }

    /// Gives the old file its name again, unless the new one has it by now.
    private func putBack(_ aside: ProviderPath) async throws {
        do {
            try await Task {
                try await connection.run(path) { session in
                    if try await provider.item(path, session) == nil { return try await provider.rename(aside, to: path, session) }
                    _ = try await session.send([FTPCommand("DELE", session.host.bytes(of: aside))])
                }
            }.value
        } catch {
            throw FileError.make(
                .fileWriteUnknown, path: path, url: provider.url(of: path),
                sentence: "“\(path)” could not be replaced, and what was there is called “\(aside)” now.", underlying: error)
        }
    }

    /// Whether a renaming was done whose reply did not come.
    private func wasRenamed(_ temporary: ProviderPath, _ count: Int64, _ session: FTPSession) async throws -> Bool {
        guard try await provider.item(temporary, session) == nil else { return false }
        return try await provider.item(path, session)?.size == count
    }

    /// Removes what an upload left, in a task of its own: this one may be cancelled.
    private func removeNow(_ temporary: ProviderPath) async {
        await Task {
            try? await connection.run(temporary) { session in
                // Of a name that was never made, the server says that it is not there.
                _ = try await session.send([FTPCommand("DELE", session.host.bytes(of: temporary))])
            }
        }.value
    }

    // MARK: In place

    /// `STOR` to the name itself.
    func writeInPlace() async throws -> FileObject {
        try await connection.run(path) { session in
            if options.overwrite, let item = try await provider.item(path, session), item.isDirectory {
                try await provider.removeOne(item, session)
            } else {
                try await refuseTaken(session)
            }
        }
        do {
            let count = try await send(to: path)
            // What was sent with its length and taken with 226 has arrived; of the rest, the size is looked at.
            if isLarge || source.length == 0 || options.modificationDate != nil {
                try await connection.run(path) { session in
                    let name = try session.host.bytes(of: path)
                    let time = try options.modificationDate.flatMap { try provider.timeCommand(session.host.features)?($0, name) }
                    try verify(
                        try await session.sendTogether(session.binary + [time].compactMap(\.self) + [FTPCommand("SIZE", name)]), count)
                }
            }
            return finished(count)
        } catch {
            // A file that was not there before is nobody else's.
            if !options.overwrite, !error.isFileExists, !error.isNoSuchFile { await removeNow(path) }
            throw error
        }
    }

    // MARK: What both do

    private func refuseTaken(_ session: FTPSession) async throws {
        if !options.overwrite, try await provider.item(path, session) != nil { throw taken() }
    }

    private func taken() -> CocoaError { FileError.make(.fileWriteFileExists, path: path, url: provider.url(of: path)) }

    private func finished(_ count: Int64) -> FileObject {
        let date = provider.connection.host.features.flatMap { provider.timeCommand($0) } == nil ? nil : options.modificationDate
        return FileObject(
            path: path, type: .regular, size: count,
            modifiedDate: date.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) })
    }

    /// - Throws: `CocoaError(.fileWriteUnknown)` when the server has another number of bytes. One that knows no `SIZE` is believed.
    private func verify(_ outcome: FTPOutcome, _ count: Int64) throws {
        guard let size = outcome.size, size != count else {
            if let reply = outcome["SIZE"], reply.code == 550 { throw short("no file") }
            return
        }
        throw short("\(size) of \(count) bytes")
    }

    private func short(_ kept: String) -> CocoaError {
        FileError.make(
            .fileWriteUnknown, path: path, url: provider.url(of: path),
            sentence: "The server kept \(kept) of “\(path)”" + (options.placement == .inPlace ? "." : "; nothing was replaced."))
    }

    /// Sends the bytes, and goes on where the server has them when the connection was lost on the way.
    ///
    /// - Returns: How many the source had.
    private func send(to place: ProviderPath) async throws -> Int64 {
        let begun = Locked(false)
        return try await connection.options.retries.run(counters: connection.options.counters) { error in
            error.isTransient && (source.isRepeatable || !begun.value)
        } _: {
            do {
                return try await connection.pool.withSession { session in
                    let start = begun.value ? try await arrived(at: place, session) : 0
                    if start > 0, start == source.length { return start }
                    begun.update { $0 = true }
                    return try await send(from: start, to: place, session)
                }
            } catch { throw connection.translated(error, path) }
        }
    }

    private func send(from start: Int64, to place: ProviderPath, _ session: FTPSession) async throws -> Int64 {
        let name = try session.host.transferBytes(of: place)
        let outcome = try await session.send(
            FTPExchange(transfer: .store(name, source, offset: start, continuing: start > 0 ? .append : .never)))
        guard let reply = outcome.last, !reply.isPositive else { return start + outcome.bytes }
        throw try await provider.refusal(reply, ofWriting: path, session)
    }

    /// How many bytes of an upload that was cut are on the server and seen to be the source's; 0 to begin anew.
    ///
    /// The name is this upload's own, so what lies there was sent by it; whether it is whole as far as it goes, its end tells.
    private func arrived(at place: ProviderPath, _ session: FTPSession) async throws -> Int64 {
        guard isLarge, session.host.mayKnow("APPE") else { return 0 }
        let name = try session.host.transferBytes(of: place)
        guard let size = try await session.send(session.binary + [FTPCommand("SIZE", name)]).size, size > 0 else { return 0 }
        if let length = source.length, size > length { return 0 }
        let start = max(0, size - Self.proof)
        let sink = DataSink(limit: Int(Self.proof))
        let outcome = try await session.send(
            FTPExchange(transfer: .retrieve(name, offset: start, count: size - start, sparingly: false)) { sink })
        guard outcome.wasCut || outcome.last?.isPositive == true else { return 0 }
        return try await sink.data == own(start, count: Int(size - start)) ? size : 0
    }

    private func own(_ start: Int64, count: Int) async throws -> Data {
        let bytes = try source.bytes(from: start)
        var data = Data()
        while data.count < count, let piece = try await bytes.next(upTo: count - data.count) { data += piece }
        return data
    }
}
