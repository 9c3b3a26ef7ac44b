import FileProviderCore
import Foundation
import SFTPEngine

/// One upload of a file.
struct SFTPUpload: Sendable {
    let provider: SFTPFileProvider
    let path: ProviderPath
    let source: any WriteSource
    let options: WriteOptions
    /// What may be on the server.
    let state: LockedValue<SFTPWriteState>

    init(provider: SFTPFileProvider, path: ProviderPath, source: any WriteSource, options: WriteOptions) {
        self.provider = provider
        self.path = path
        self.source = source
        self.options = options
        state = LockedValue(SFTPWriteState(location: path, permissions: options.permissions.map { UInt32($0) & 0o777 }))
    }

    /// Bytes up to which a file is read into memory and sent together with the requests that follow its bytes, 128 KiB.
    private static let small: Int64 = 128 << 10
    /// Bytes above which an interrupted upload is resumed, 1 MiB.
    private static let large: Int64 = 1 << 20

    var isSmall: Bool { (source.length ?? .max) <= Self.small }
    var isLarge: Bool { (source.length ?? .max) > Self.large }
    var connection: SFTPConnection { provider.connection }
    var host: SFTPHost { provider.connection.host }
    /// Where the bytes go: a temporary name beside the path, or the path itself.
    var location: ProviderPath { state.value.location }
    var isPublished: Bool { options.placement == .published }
    /// Whether the file at the location can only be this upload's: the server creates it and refuses a name in use.
    var isNew: Bool { isPublished || !options.overwrite }

    /// What the server has acknowledged.
    struct Sent: Sendable {
        let count: Int64
        let isTimeSet: Bool
        /// Whether the server has shown the number of bytes. Otherwise its acknowledgements are the only proof.
        let isSeen: Bool
    }

    /// Removes the file at the location.
    func removeNow() async { await provider.removeLeftover(location, openedOn: state.value.session) }

    var taken: CocoaError { FileError.make(.fileWriteFileExists, path: path, url: provider.url(of: path)) }

    // MARK: Sending

    /// Opens the file, writes it, and verifies that all of it is on the server.
    func send() async throws -> Sent {
        let sent = isSmall ? try await sendSmall() : try await sendLarge()
        state.update { $0.stage = .sent }
        return sent
    }

    /// Whether the upload may be tried again: if the source can be read again, or has not been read.
    func mayRepeat(after error: any Error) -> Bool {
        error.isTransient && (source.isRepeatable || state.value.stage < .opened)
    }

    /// Takes two round trips. Reads the source first, because reading it may need the only handle that the server
    /// allows.
    private func sendSmall() async throws -> Sent {
        let content = LockedValue<Data?>(nil)
        return try await connection.retrying(
            path, operation: "write", tally: { TransferTally(bytesOut: Int64(content.value?.count ?? 0)) },
            mayRepeat: { mayRepeat(after: $0) }
        ) {
            let session = try await connection.pool.session()
            let data: Data
            if let known = content.value { data = known } else { data = try await allBytes() }
            content.update { $0 = data }
            if state.value.stage != .untouched, isNew { await removeNow() }
            let handle = try await open(from: 0, on: session)
            do { try await connection.sendingPace?.wait(data.count) } catch {
                session.close([handle])
                throw error
            }
            return try await finish(handle, on: session, count: Int64(data.count), writing: data)
        }
    }

    /// Opens the file to write from `start` on, and notes that it may exist.
    func open(from start: Int64, on session: SFTPSession) async throws -> SFTPHandle {
        // The reply may be lost. The path itself may be another writer's file until the reply arrives.
        if isPublished { state.update { $0.stage = max($0.stage, .opening) } }
        let handle = start > 0 ? try await reopen(on: session) : try await create(on: session)
        state.update { $0.stage = .opened }
        return handle
    }

    /// Opens the file and, in the same round trip, looks at the file that has the final name.
    private func create(on session: SFTPSession) async throws -> SFTPHandle {
        state.update { $0.session = session }
        // The requested bits hold from the first byte on, except that another try must be able to open the file.
        let attributes = SFTPAttributes(permissions: state.value.permissions.map { $0 | 0o600 })
        let flags: SFTPRequest.OpenFlags = isNew ? [.write, .create, .exclusive] : [.write, .create, .truncate]
        var requests = [SFTPRequest.open(host.bytes(of: location), flags, attributes)]
        // A small file is sent before the reply to a look arrives; if its name is in use, the renaming is refused.
        let looks = isPublished && (options.overwrite || !isSmall)
        if looks { requests.append(.lstat(host.bytes(of: path))) }
        let replies = try await connection.open(requests, session)
        if looks { keepPermissions(of: replies[1]) }
        if !options.overwrite, looks, case .attributes = replies[1] {
            // An empty file is of no use to a later upload, either.
            if case .handle(let handle) = replies[0] {
                _ = try await connection.begin([.close(handle), .remove(host.bytes(of: location))], session).value()
            }
            throw taken
        }
        guard case .handle(let handle) = replies[0] else {
            if !isPublished, !options.overwrite, try await provider.isThere(path, session) { throw taken }
            throw try await provider.refusal(replies[0], ofWriting: path, session)
        }
        return handle
    }

    /// Keeps the permission bits of the file that is replaced.
    func keepPermissions(of reply: SFTPReply) {
        guard options.overwrite, options.permissions == nil, case .attributes(let attributes) = reply,
            let found = attributes.permissions
        else { return }
        if found & 0o170000 == 0o100000 { state.update { $0.permissions = found & 0o777 } }
    }

    private func allBytes() async throws -> Data {
        // One byte more shows that the source has more bytes than it announced.
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
            sentence: "The source of “\(path)” gave \(count) bytes, but announced \(source.length ?? 0).")
    }

    func syncs(_ session: SFTPSession) -> Bool { provider.configuration.syncs && host.has(.fsync, session) }

    /// Sends everything that follows the opening, or the last byte, in one round trip, and verifies the result. Closes
    /// the handle even if it throws.
    func finish(
        _ handle: SFTPHandle, on session: SFTPSession, count: Int64, writing data: Data? = nil, isSynced: Bool = false
    ) async throws -> Sent {
        var requests: [SFTPRequest] = []
        if let data { requests += blocks(of: data, for: handle, limit: session.limits.write) }
        let writes = requests.count
        let time = options.modificationDate.flatMap { SFTPFileProvider.time($0) }
        if let time { requests.append(.fsetstat(handle, SFTPAttributes(times: (access: time, modification: time)))) }
        let syncs = !isSynced && syncs(session)
        if syncs { requests.append(.fsync(handle)) }
        // The file is complete, even if this is refused.
        let permissions = state.value.permissions
        if let permissions { requests.append(.fsetstat(handle, SFTPAttributes(permissions: permissions))) }
        // Some servers show the size by handle only.
        let asksHandle = !host.showsSizes
        if asksHandle { requests.append(.fstat(handle)) }
        requests += [.close(handle), .lstat(host.bytes(of: location))]
        // Sent before anything is awaited, so that the handle is closed even if this task is cancelled.
        let call = connection.begin(requests, session)
        var replies = try await call.value()[...]
        for _ in 0..<writes { try check(replies.popFirst()) }
        // If the time cannot be set, the returned item has none.
        let isTimeSet = time != nil && replies.popFirst()?.status?.isOK == true
        if syncs, let status = replies.popFirst()?.status, !status.isOK {
            guard status.code == SFTPStatus.Code.unsupported else { throw SFTPRefusal(status: status) }
            host.lacks(.fsync)
        }
        if permissions != nil { _ = replies.popFirst() }
        let byHandle = asksHandle ? replies.popFirst() : nil
        try check(replies.popFirst())
        guard let byName = replies.popFirst() else { throw provider.unexpected(path) }
        let isSeen = try await isSeen(byName, byHandle: byHandle, count: count, on: session)
        return Sent(count: count, isTimeSet: isTimeSet, isSeen: isSeen)
    }

    private func blocks(of data: Data, for handle: SFTPHandle, limit: Int) -> [SFTPRequest] {
        stride(from: 0, to: data.count, by: limit).map { offset in
            .write(handle, at: UInt64(offset), data.dropFirst(offset).prefix(limit))
        }
    }

    private func check(_ reply: SFTPReply?) throws {
        guard let status = reply?.status else { throw provider.unexpected(path) }
        if !status.isOK {
            throw SFTPCondition(status: status, path: path, url: provider.url(of: path), isWriting: true).error
        }
    }

    func finished(_ sent: Sent) -> FileObject {
        let date = sent.isTimeSet ? options.modificationDate : nil
        return FileObject(
            path: path, type: .regular, size: sent.isSeen ? sent.count : nil,
            modifiedDate: date.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) })
    }
}
