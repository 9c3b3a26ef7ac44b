import CurlTransport
import FileProviderCore
import Foundation

/// One file on its way to the server.
struct FTPUpload: Sendable {
    let provider: FTPFileProvider
    let path: ProviderPath
    let source: any WriteSource
    let options: WriteOptions
    private let isTimeSet = Locked(false)
    /// Whether the name was looked at, and nothing was there, or it does not matter.
    let isFree = Locked(false)
    /// Where the bytes go.
    let place: Locked<ProviderPath>
    /// Whether the server has begun to store: what is there from then on is this upload's.
    let isStored = Locked(false)
    /// Whether the reply to `STOR` told how many bytes came.
    let isTold = Locked(false)
    /// Whether more than an acknowledgement shows that all is there.
    let isSeen = Locked(true)
    /// What lay under the name before anything was sent in place.
    let before = Locked<FileObject?>(nil)
    /// The last offset at which a `STOR` was begun behind `REST`, while it is not seen what the server has made of that.
    let unproven = Locked<Int64?>(nil)

    /// Bytes above which it pays to look whether the name is free before anything is sent, and to go on where an upload was cut, 1 MiB.
    private static let large: Int64 = 1 << 20

    /// Bytes up to which the look leaves with what else is asked before the file is sent.
    private static let small: Int64 = 64 << 10

    var isSmall: Bool { source.length.map { $0 <= Self.small } == true && source.isRepeatable }
    var isLarge: Bool { (source.length ?? .max) > Self.large }
    var connection: FTPConnection { provider.connection }

    init(provider: FTPFileProvider, path: ProviderPath, source: any WriteSource, options: WriteOptions) {
        self.provider = provider
        self.path = path
        self.source = source
        self.options = options
        place = Locked(path)
    }

    // MARK: Published

    /// `STOR` under a temporary name, a hash perhaps, `SIZE`, `RNFR` and `RNTO`.
    func publish() async throws -> FileObject {
        if isLarge { try await connection.run(path) { try await refuseTaken($0) } }
        let kept = try partPath()
        place.update { $0 = kept }
        do {
            let sent = try await send()
            let part = place.value
            try await compare(sent, at: part)
            try Task.checkCancellation()
            // From here on the file is there or not, cancelled or not.
            return try await connection.finish { try await putInPlace(part, sent.count) }
        } catch {
            if !keepsPart || place.value != kept { await removeNow(place.value) }
            throw error
        }
    }

    private func putInPlace(_ temporary: ProviderPath, _ count: Int64) async throws -> FileObject {
        let replacement = try FTPReplacement(of: path, by: temporary, provider)
        do { try await rename(temporary, count, replacement) } catch {
            try await replacement.putBack()
            throw error
        }
        await replacement.discard()
        return finished(count)
    }

    private func rename(_ temporary: ProviderPath, _ count: Int64, _ replacement: FTPReplacement) async throws {
        let wasTried = Locked(false)
        do {
            try await connection.run(path) { session in
                // The reply to a renaming may have been lost: then the file is where it belongs.
                if wasTried.value, try await wasRenamed(temporary, count, session) { return }
                wasTried.update { $0 = true }
                try await rename(temporary, count, replacement, session)
            }
        } catch let error where error.isTransient {
            guard try await connection.run(path, { try await wasRenamed(temporary, count, $0) }) else { throw error }
        }
    }

    /// What has to be asked before the renaming leaves together, in one round trip.
    private func rename(
        _ temporary: ProviderPath, _ count: Int64, _ replacement: FTPReplacement, _ session: FTPSession
    ) async throws {
        let host = session.host
        let (part, name) = (try host.bytes(of: temporary), try host.newBytes(of: path))
        let looks = options.overwrite ? nil : host.hasMachineListings ? "MLST" : host.features?.has("MDTM") == true ? "MDTM" : nil
        if looks == nil { try await refuseTaken(session) }
        // Seen before anything is renamed: some servers take nothing between the two commands of that.
        let tellsSizes = host.mayKnow("SIZE")
        if !tellsSizes { try await look(for: count, at: temporary, session) }
        var commands = session.binary
        let time = try timeCommand(part)
        if let time { commands.append(time.command) }
        if tellsSizes { commands.append(try FTPCommand("SIZE", part)) }
        if let looks { commands.append(try FTPCommand(looks, name)) }
        commands.append(try FTPCommand("RNFR", part))
        let outcome = try await session.sendTogether(commands)
        noteTime(time?.way, outcome, host)
        var begun = outcome["RNFR"]
        do {
            let isVerified = try verify(outcome, count) || !tellsSizes
            if let looks, outcome[looks]?.isPositive == true { throw taken() }
            let isHidden = looks.flatMap { outcome[$0] }.map { provider.isForbidden($0, path) } ?? false
            if !isVerified || isHidden {
                try await endRenaming(begun.take(), part, session)
                if !isVerified { try await look(for: count, at: temporary, session) }
                if isHidden { try await refuseTaken(session) }
                begun = try await session.send([FTPCommand("RNFR", part)])["RNFR"]
            }
        } catch {
            try await endRenaming(begun, part, session)
            throw error
        }
        guard begun?.isPositive == true else { throw notRenamed(temporary, begun) }
        guard let reply = try await session.send([FTPCommand("RNTO", name)])["RNTO"], !reply.isPositive else { return }
        try await makeRoom(for: temporary, reply, replacement, session)
    }

    /// ProFTPD takes nothing else before the renaming that was begun has an end, and so it gets one that changes nothing.
    private func endRenaming(_ begun: FTPReply?, _ part: [UInt8], _ session: FTPSession) async throws {
        if begun?.isPositive == true { _ = try await session.send([FTPCommand("RNTO", part)]) }
    }

    private func notRenamed(_ temporary: ProviderPath, _ reply: FTPReply?) -> CocoaError {
        let told = reply.map { FTPReplyError($0, path: temporary) }
        let what =
            reply.map { provider.isForbidden($0, temporary) } ?? false
            ? "The server took the bytes of “\(path)” and lets nobody rename them; “\(temporary)” may be left."
            : "The server took the bytes of “\(path)”, and “\(temporary)” is no longer there."
        return FileError.make(
            .fileWriteUnknown, path: path, url: provider.url(of: path),
            sentence: "\(what) If this folder only takes files, write to the name itself (--in-place).", underlying: told)
    }

    /// Servers that do not rename onto what is there have it moved out of the way first.
    private func makeRoom(
        for temporary: ProviderPath, _ reply: FTPReply, _ replacement: FTPReplacement, _ session: FTPSession
    ) async throws {
        let refusal = try await provider.refusal(reply, ofWriting: path, session)
        guard let item = try await provider.item(path, session) else { throw refusal }
        if !options.overwrite { throw taken() }
        if item.isDirectory {
            try await provider.removeOne(item, session)
            return try await provider.rename(temporary, to: path, session)
        }
        try await replacement.run(refusal, session)
    }

    /// Whether a renaming was done whose reply did not come.
    private func wasRenamed(_ temporary: ProviderPath, _ count: Int64, _ session: FTPSession) async throws -> Bool {
        guard try await provider.item(temporary, session) == nil else { return false }
        return try await provider.item(path, session)?.size == count
    }

    /// Removes what an upload left, cancelled or not.
    func removeNow(_ temporary: ProviderPath) async {
        await connection.tidy { session in
            // Of a name that was never made, the server says that it is not there.
            _ = try await session.send([FTPCommand("DELE", session.host.bytes(of: temporary))])
        }
    }

    // MARK: What both do

    func refuseTaken(_ session: FTPSession) async throws {
        if !options.overwrite, try await provider.isTaken(path, session) { throw taken() }
        isFree.update { $0 = true }
    }

    /// Whether the look whether the name is free is still to come.
    var hasToLook: Bool { options.placement == .inPlace && !options.overwrite && !isFree.value }

    /// The look as it goes before a transfer; nil where one command does not tell.
    func look(_ host: FTPHost) throws -> FTPLook? {
        let name = try host.bytes(of: path)
        let verb = host.hasMachineListings ? "MLST" : "SIZE"
        guard host.mayKnow(verb) else { return nil }
        return FTPLook(try FTPCommand(verb, name)) { reply in
            // Whatever else it says, is looked into.
            guard reply.code == 550, provider.isNothing(reply, path) else { return false }
            isFree.update { $0 = true }
            return true
        }
    }

    private func taken() -> CocoaError { FileError.make(.fileWriteFileExists, path: path, url: provider.url(of: path)) }

    func timeCommand(_ name: [UInt8]) throws -> (way: FTPTimeCommand, command: FTPCommand)? {
        guard let date = options.modificationDate, let way = provider.timeCommand else { return nil }
        return try way.command(date, name).map { (way, $0) }
    }

    /// The file is there, whatever becomes of its time: that is only told when it was set.
    func noteTime(_ way: FTPTimeCommand?, _ outcome: FTPOutcome, _ host: FTPHost) {
        // `MDTM` may come a second time, as a look.
        guard let way, let reply = outcome.replies.first(where: { $0.verb == way.verb && $0.code >= 200 }) else { return }
        isTimeSet.update { $0 = reply.isPositive }
        if way.isUnknown(reply) { host.lacks(way, by: reply) }
    }

    func finished(_ count: Int64) -> FileObject {
        let date = isTimeSet.value ? options.modificationDate : nil
        return FileObject(
            path: path, type: .regular, size: isSeen.value ? count : nil,
            modifiedDate: date.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) })
    }

    func refused(_ kept: String) -> CocoaError {
        FileError.make(
            .fileWriteUnknown, path: path, url: provider.url(of: path),
            sentence: "The server kept \(kept) of “\(path)”" + (options.placement == .inPlace ? "." : "; nothing was replaced."))
    }
}
