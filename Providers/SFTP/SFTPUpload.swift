import FileProviderCore
import Foundation
import SFTPEngine

/// One file on its way to the server.
struct SFTPUpload: Sendable {
    let provider: SFTPFileProvider
    let path: ProviderPath
    let source: any WriteSource
    let options: WriteOptions
    /// Where the file was opened: what is asked there comes after the opening, whoever waited for that.
    let opening = Locked<SFTPSession?>(nil)

    /// Bytes up to which a file goes in one packet, with all that follows it, and is held for that.
    private static let small: Int64 = 128 << 10
    /// Bytes above which it pays to go on where an upload was cut.
    private static let large: Int64 = 1 << 20

    var isSmall: Bool { (source.length ?? .max) <= Self.small }
    var isLarge: Bool { (source.length ?? .max) > Self.large }
    var connection: SFTPConnection { provider.connection }
    var host: SFTPHost { provider.connection.host }

    /// Where the bytes are, and what the server says of them.
    struct Sent: Sendable {
        let count: Int64
        let isTimeSet: Bool
    }

    // MARK: Published

    /// Under a temporary name, and then in one step under its own.
    func publish() async throws -> FileObject {
        let part = try partPath()
        do {
            let sent = try await send(to: part)
            try Task.checkCancellation()
            // From here on the file is there or not, cancelled or not.
            return try await Task {
                try await putInPlace(part, sent.count)
                return finished(sent)
            }.value
        } catch {
            let error = await explained(error)
            if !keepsPart { await removeNow(part) }
            throw error
        }
    }

    /// Some servers have no more to say of a full disk than "failure": they are asked for its room.
    private func explained(_ error: any Error) async -> any Error {
        guard let told = error as? SFTPStatusError, told.code == .failure, let session = opening.value, host.has(.statvfs, session) else {
            return error
        }
        let folder = host.bytes(of: path.parent ?? .root)
        guard case .extended(let reply)? = try? await connection.send(.statvfs(folder), session),
            let volume = try? SFTPVolume(reply: reply),
            volume.available < UInt64(clamping: max(1, source.length ?? 1))
        else { return error }
        return FileError.make(.fileWriteOutOfSpace, path: path, url: provider.url(of: path), underlying: told)
    }

    private func putInPlace(_ part: ProviderPath, _ count: Int64) async throws {
        let wasTried = Locked(false)
        let isTaken = Locked(false)
        do {
            try await connection.run(path) { session in
                // The answer to a renaming may have been lost: then the file is where it belongs.
                if wasTried.value, try await wasRenamed(part, count, session) { return }
                wasTried.update { $0 = true }
                if options.overwrite {
                    try await SFTPReplacement(provider: provider, path: path, session: session).rename(part)
                } else {
                    try await SFTPNewName(provider: provider, path: path, session: session, isTaken: isTaken).rename(part)
                }
            }
        } catch {
            if isTaken.value { await removeEmpty() }
            throw error
        }
    }

    private func wasRenamed(_ part: ProviderPath, _ count: Int64, _ session: SFTPSession) async throws -> Bool {
        let replies = try await connection.send([.lstat(host.bytes(of: part)), .lstat(host.bytes(of: path))], session)
        guard try provider.item(replies[1], at: path)?.size == count else { return false }
        guard try provider.item(replies[0], at: part) != nil else { return true }
        guard !options.overwrite, case .attributes(let attributes) = replies[0], try await isLinked(part, attributes, session) else {
            return false
        }
        _ = try await connection.send(.remove(host.bytes(of: part)), session)
        return true
    }

    /// Whether the part has the name that it is to get as well: then a mark that is set at one shows at the other.
    private func isLinked(_ part: ProviderPath, _ attributes: SFTPAttributes, _ session: SFTPSession) async throws -> Bool {
        guard let times = attributes.times else { return false }
        // A time of access, of which nobody takes note.
        let mark = UInt32.random(in: 1..<1 << 30)
        let replies = try await connection.send(
            [
                .setstat(host.bytes(of: part), SFTPAttributes(times: (access: mark, modification: times.modification))),
                .lstat(host.bytes(of: path)),
            ], session)
        guard case .attributes(let found) = replies[1] else { return false }
        return found.times?.access == mark
    }

    /// Removes the empty file that has held the name, unless it is something else by now.
    private func removeEmpty() async {
        let item = await Task { try? await connection.run(path) { try await provider.item(path, $0) } }.value
        if let item, item.isRegularFile, item.size == 0 { await removeNow(path) }
    }

    /// Removes what an upload left, in a task of its own: this one may be cancelled.
    func removeNow(_ place: ProviderPath) async {
        let request = SFTPRequest.remove(host.bytes(of: place))
        await Task {
            // Of a name that was never made, the server says that it is not there.
            if let session = opening.value, (try? await connection.send(request, session)) != nil { return }
            _ = try? await connection.run(place) { try await connection.send(request, $0) }
        }.value
    }

    // MARK: In place

    /// To the name itself.
    func writeInPlace() async throws -> FileObject {
        let item = try await connection.run(path) { session in
            let item = try await provider.item(path, session)
            if let item, !options.overwrite { throw taken(item) }
            if let item, item.isDirectory { try await provider.removeOne(item, session) }
            return item
        }
        do { return finished(try await send(to: path)) } catch {
            // A file that was not there before is nobody else's.
            if item == nil, !error.isFileExists, !error.isNoSuchFile { await removeNow(path) }
            throw error
        }
    }

    private func taken(_ item: FileObject) -> CocoaError { FileError.make(.fileWriteFileExists, path: path, url: provider.url(of: path)) }

    // MARK: Sending

    /// Opens, writes, and sees that it is all there.
    func send(to place: ProviderPath) async throws -> Sent {
        if isSmall { return try await sendSmall(to: place) }
        return try await sendLarge(to: place)
    }

    /// How the file is opened: a temporary name, and a new one, are nobody else's.
    func flags(_ place: ProviderPath) -> SFTPRequest.OpenFlags {
        options.placement == .published || !options.overwrite ? [.write, .create, .exclusive] : [.write, .create, .truncate]
    }

    /// Two round trips.
    private func sendSmall(to place: ProviderPath) async throws -> Sent {
        let hasBegun = Locked(false)
        let mayBeThere = Locked(false)
        return try await connection.options.retries.run(
            counters: connection.options.counters, mayRepeat: { $0.isTransient && (source.isRepeatable || !hasBegun.value) }
        ) {
            do {
                let session = try await connection.pool.session()
                if mayBeThere.value { await removeNow(place) }
                // The answer to the opening may be lost. Of a name that others may take, too, it has to have come.
                if place != path { mayBeThere.update { $0 = true } }
                let handle = try await open(place, session)
                mayBeThere.update { $0 = true }
                hasBegun.update { $0 = true }
                let data: Data
                do {
                    data = try await allBytes()
                    try await connection.sendingPace?.wait(data.count)
                } catch {
                    session.close([handle])
                    throw error
                }
                return try await finish(place, handle, session, count: Int64(data.count), writing: data)
            } catch { throw connection.translated(error, path) }
        }
    }

    /// Opens the file; where it is to be a new one, what is in the way is looked at in the same round trip.
    func open(_ place: ProviderPath, _ session: SFTPSession) async throws -> SFTPHandle {
        opening.update { $0 = session }
        var requests = [SFTPRequest.open(host.bytes(of: place), flags(place))]
        if !options.overwrite, place != path { requests.append(.lstat(host.bytes(of: path))) }
        var replies = try await connection.send(requests, session)
        if replies[0].status?.code == SFTPStatus.Code.failure, try await provider.handles.giveBackIdle() {
            replies = try await connection.send(requests, session)
        }
        if replies.count > 1, case .attributes = replies[1] {
            if case .handle(let handle) = replies[0] { session.close([handle]) }
            throw FileError.make(.fileWriteFileExists, path: path, url: provider.url(of: path))
        }
        guard case .handle(let handle) = replies[0] else {
            if place == path, !options.overwrite, let item = try await provider.item(path, session) { throw taken(item) }
            throw try await provider.refusal(replies[0], ofWriting: path, session)
        }
        return handle
    }

    private func allBytes() async throws -> Data {
        let bytes = try source.bytes(from: 0)
        var data = Data()
        while let piece = try await bytes.next() {
            data += piece
            guard data.count <= Self.small else { throw lengthDiffers(Int64(data.count)) }
        }
        try checkLength(Int64(data.count))
        return data
    }

    func checkLength(_ count: Int64) throws {
        if let length = source.length, length != count { throw lengthDiffers(count) }
    }

    private func lengthDiffers(_ count: Int64) -> CocoaError {
        FileError.make(
            .fileWriteUnknown, path: path, url: provider.url(of: path),
            sentence: "The source of “\(path)” gave \(count) bytes and had announced \(source.length ?? 0).")
    }

    /// Everything that follows the opening, or the last byte, in one round trip; and what the server has in the end. It closes the handle,
    /// whatever comes of it.
    func finish(
        _ place: ProviderPath, _ handle: SFTPHandle, _ session: SFTPSession, count: Int64, writing data: Data? = nil
    ) async throws -> Sent {
        var requests: [SFTPRequest] = []
        if let data { requests += blocks(data, handle, session.limits.write) }
        let writes = requests.count
        let time = options.modificationDate.flatMap { SFTPFileProvider.time($0) }
        if let time { requests.append(.fsetstat(handle, SFTPAttributes(times: (access: time, modification: time)))) }
        let syncs = provider.configuration.syncs && host.has(.fsync, session)
        if syncs { requests.append(.fsync(handle)) }
        requests += [.close(handle), .lstat(host.bytes(of: place))]
        // Begun first: from here on the handle is closed, whether somebody waits for that or not.
        let call = connection.begin(requests, session)
        var replies = try await call.value()[...]
        for _ in 0..<writes { try check(replies.popFirst()) }
        // A time that cannot be set is told by its absence.
        let isTimeSet = time != nil && replies.popFirst()?.status?.isOK == true
        if syncs, let status = replies.popFirst()?.status, !status.isOK {
            guard status.code == SFTPStatus.Code.unsupported else { throw SFTPRefusal(status: status) }
            host.lacks(.fsync)
        }
        try check(replies.popFirst())
        guard let reply = replies.popFirst(), let size = try provider.item(reply, at: place)?.size, size == count else {
            throw FileError.make(
                .fileWriteUnknown, path: path, url: provider.url(of: path),
                sentence: "The server did not keep \(count) bytes of “\(path)”"
                    + (options.placement == .inPlace ? "." : "; nothing was replaced."))
        }
        return Sent(count: count, isTimeSet: isTimeSet)
    }

    private func blocks(_ data: Data, _ handle: SFTPHandle, _ most: Int) -> [SFTPRequest] {
        stride(from: 0, to: data.count, by: most).map { offset in
            .write(handle, at: UInt64(offset), data.dropFirst(offset).prefix(most))
        }
    }

    private func check(_ reply: SFTPReply?) throws {
        guard let status = reply?.status else { throw provider.unexpected(path) }
        if !status.isOK { throw SFTPCondition(status: status, path: path, url: provider.url(of: path), isWriting: true).error }
    }

    private func finished(_ sent: Sent) -> FileObject {
        let date = sent.isTimeSet ? options.modificationDate : nil
        return FileObject(
            path: path, type: .regular, size: sent.count,
            modifiedDate: date.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) })
    }
}
