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
    /// The permission bits that were asked for, else of what is to be replaced.
    let permissions: Locked<UInt32?>

    init(provider: SFTPFileProvider, path: ProviderPath, source: any WriteSource, options: WriteOptions) {
        self.provider = provider
        self.path = path
        self.source = source
        self.options = options
        permissions = Locked(options.permissions.map { UInt32($0) & 0o777 })
    }

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
        /// Whether the server has shown that it has them; else nothing but its acknowledgements says so.
        let isSeen: Bool
    }

    /// Removes what an upload left.
    func removeNow(_ place: ProviderPath) async { await provider.removeLeft(place, openedOn: opening.value) }

    // MARK: In place

    /// To the name itself.
    func writeInPlace() async throws -> FileObject {
        let isMissing = try await connection.run(path) { session in
            let item: FileObject?
            do { item = try await provider.item(path, session) } catch let error where error.isRefusal {
                // Where nobody may look, the opening tells whether the name is taken.
                return false
            }
            guard let item else { return true }
            if !options.overwrite { throw taken }
            if item.isDirectory { try await provider.removeOne(item, session) }
            return item.isDirectory
        }
        do { return finished(try await send(to: path)) } catch {
            // A file that was not there before is nobody else's.
            if isMissing, !error.isFileExists, !error.isNoSuchFile { await removeNow(path) }
            throw error
        }
    }

    private var taken: CocoaError { FileError.make(.fileWriteFileExists, path: path, url: provider.url(of: path)) }

    // MARK: Sending

    /// Opens, writes, and sees that it is all there.
    func send(to place: ProviderPath) async throws -> Sent {
        if isSmall { return try await sendSmall(to: place) }
        return try await sendLarge(to: place)
    }

    /// Whether the file is a new one: a temporary name, and a new one, are nobody else's.
    func isNew(_ place: ProviderPath) -> Bool { place != path || !options.overwrite }

    private func flags(_ place: ProviderPath) -> SFTPRequest.OpenFlags {
        isNew(place) ? [.write, .create, .exclusive] : [.write, .create, .truncate]
    }

    /// Two round trips. The source is read first: what it reads from may need the only handle that the server has to give.
    private func sendSmall(to place: ProviderPath) async throws -> Sent {
        let hasBegun = Locked(false)
        let mayBeThere = Locked(false)
        let held = Locked<Data?>(nil)
        return try await connection.retrying(path, mayRepeat: { $0.isTransient && (source.isRepeatable || !hasBegun.value) }) {
            let session = try await connection.pool.session()
            let data: Data
            if let known = held.value { data = known } else { data = try await allBytes() }
            held.update { $0 = data }
            if mayBeThere.value, isNew(place) { await removeNow(place) }
            // The answer to the opening may be lost. Of a name that others may take, too, it has to have come.
            if place != path { mayBeThere.update { $0 = true } }
            let handle = try await open(place, session)
            mayBeThere.update { $0 = true }
            hasBegun.update { $0 = true }
            do { try await connection.sendingPace?.wait(data.count) } catch {
                session.close([handle])
                throw error
            }
            return try await finish(place, handle, session, count: Int64(data.count), writing: data)
        }
    }

    /// Opens the file; what has its name already is looked at in the same round trip.
    func open(_ place: ProviderPath, _ session: SFTPSession) async throws -> SFTPHandle {
        opening.update { $0 = session }
        // What is asked for holds from the first byte on, but for what another try needs.
        let attributes = SFTPAttributes(permissions: permissions.value.map { $0 | 0o600 })
        var requests = [SFTPRequest.open(host.bytes(of: place), flags(place), attributes)]
        // A small file is sent before the answer to a look is there: its name is refused when it is to get it.
        let looks = place != path && (options.overwrite || !isSmall)
        if looks { requests.append(.lstat(host.bytes(of: path))) }
        let replies = try await connection.open(requests, session)
        if looks { keepPermissions(replies[1]) }
        if !options.overwrite, looks, case .attributes = replies[1] {
            // The empty file is of no use to a later upload either.
            if case .handle(let handle) = replies[0] {
                _ = try await connection.begin([.close(handle), .remove(host.bytes(of: place))], session).value()
            }
            throw taken
        }
        guard case .handle(let handle) = replies[0] else {
            if place == path, !options.overwrite, try await provider.isThere(path, session) { throw taken }
            throw try await provider.refusal(replies[0], ofWriting: path, session)
        }
        return handle
    }

    /// Keeps what a file that is replaced has allowed.
    func keepPermissions(_ reply: SFTPReply) {
        guard options.overwrite, options.permissions == nil, case .attributes(let attributes) = reply, let found = attributes.permissions
        else { return }
        if found & 0o170000 == 0o100000 { permissions.update { $0 = found & 0o777 } }
    }

    private func allBytes() async throws -> Data {
        // One byte more is enough to know that there are more than were announced.
        let data = try await source.bytes(from: 0).bytes(upTo: Int(source.length ?? Self.small) + 1)
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

    func syncs(_ session: SFTPSession) -> Bool { provider.configuration.syncs && host.has(.fsync, session) }

    /// Everything that follows the opening, or the last byte, in one round trip; and what the server has in the end. It closes the handle,
    /// whatever comes of it.
    func finish(
        _ place: ProviderPath, _ handle: SFTPHandle, _ session: SFTPSession, count: Int64, writing data: Data? = nil,
        isSynced: Bool = false
    ) async throws -> Sent {
        var requests: [SFTPRequest] = []
        if let data { requests += blocks(data, handle, session.limits.write) }
        let writes = requests.count
        let time = options.modificationDate.flatMap { SFTPFileProvider.time($0) }
        if let time { requests.append(.fsetstat(handle, SFTPAttributes(times: (access: time, modification: time)))) }
        let syncs = !isSynced && syncs(session)
        if syncs { requests.append(.fsync(handle)) }
        // Whether it is refused or not, the file is whole.
        let permissions = permissions.value
        if let permissions { requests.append(.fsetstat(handle, SFTPAttributes(permissions: permissions))) }
        // For servers that show nothing under a name.
        let asksHandle = !host.showsSizes
        if asksHandle { requests.append(.fstat(handle)) }
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
        if permissions != nil { _ = replies.popFirst() }
        let byHandle = asksHandle ? replies.popFirst() : nil
        try check(replies.popFirst())
        guard let byName = replies.popFirst() else { throw provider.unexpected(path) }
        let isSeen = try await isSeen(place, byName, byHandle: byHandle, count, session)
        return Sent(count: count, isTimeSet: isTimeSet, isSeen: isSeen)
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

    func finished(_ sent: Sent) -> FileObject {
        let date = sent.isTimeSet ? options.modificationDate : nil
        return FileObject(
            path: path, type: .regular, size: sent.isSeen ? sent.count : nil,
            modifiedDate: date.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) })
    }
}
