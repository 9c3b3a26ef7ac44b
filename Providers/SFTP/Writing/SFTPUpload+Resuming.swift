import FileProviderCore
import Foundation
import SFTPEngine

/// Sends a large file over several lanes, and resumes an upload that was interrupted in this process or in another.
extension SFTPUpload {
    /// Bytes at the head and at the tail of the part that are compared with the source before an upload is resumed, 64
    /// KiB.
    private static let proof: Int64 = 64 << 10

    /// Whether a part is kept for a later upload if this one fails.
    var keepsPart: Bool { options.resumption != nil && isPublished && isLarge && source.isRepeatable }

    /// The temporary name.
    func partPath() throws -> ProviderPath {
        try TemporaryName.make(beside: path, for: keepsPart ? options.resumption : nil)
    }

    func sendLarge() async throws -> Sent {
        try await connection.retrying(
            path, operation: "write", tally: { TransferTally(bytesOut: source.length ?? 0) },
            mayRepeat: { mayRepeat(after: $0) }
        ) {
            let session = try await connection.transferLane(for: source.length)
            let mayExist = keepsPart || state.value.stage != .untouched
            let start = mayExist ? try await provenCount(on: session) : 0
            let handle = try await open(from: start, on: session)
            return try await send(from: start, over: (session, handle))
        }
    }

    private func send(from start: Int64, over first: SFTPBulkWrite.Lane) async throws -> Sent {
        let lanes = LockedValue([first].map { SFTPReader.OpenFile(session: $0.session, handle: $0.handle) })
        defer { for lane in lanes.value { lane.session.close([lane.handle]) } }
        let transfer = SFTPBulkWrite([first], from: connection.pace(try source.bytes(from: start)), at: start)
        let more = Task { await addLanes(to: transfer, noting: lanes) }
        let isBesideRequests = try await connection.pool.session() === first.session
        // If a lane is a separate program with its own login, one is opened only if a request waits.
        let hasCheapLanes = host.processorsPerLane == 1
        if isBesideRequests, hasCheapLanes, syncs(first.session) { connection.pool.prepare(1) }
        do {
            let count = start + (try await transfer.run())
            more.cancel()
            await more.value
            try checkLength(count)
            lanes.update { _ = $0.removeFirst() }
            let isElsewhere = isBesideRequests && (hasCheapLanes || first.session.isWaiting)
            let isSynced = isElsewhere ? try await syncElsewhere(than: first.session) : false
            return try await finish(first.handle, on: first.session, count: count, isSynced: isSynced)
        } catch {
            more.cancel()
            await more.value
            state.update { $0.acknowledged = transfer.acknowledged }
            throw error
        }
    }

    private func addLanes(to transfer: SFTPBulkWrite, noting lanes: LockedValue<[SFTPReader.OpenFile]>) async {
        // Some servers empty the file at each opening, so that it can be written over one lane only.
        guard let first = lanes.value.first, (try? await host.isHonest(beside: location, first.session)) == true else {
            return
        }
        await connection.openLanes(for: source.length, beside: first.session) { session in
            // A failure that matters shows on the first lane, too.
            guard
                let replies = try? await connection.openNow(
                    [.open(host.bytes(of: location), .write)], session: session),
                case .handle(let handle) = replies[0]
            else { return }
            lanes.update { $0.append(SFTPReader.OpenFile(session: session, handle: handle)) }
            _ = transfer.add((session, handle))
        }
    }

    /// Sends `fsync` over another lane than `session`: some servers answer nothing else meanwhile, and requests would
    /// wait.
    ///
    /// - Returns: Whether the server has synced the file.
    private func syncElsewhere(than session: SFTPSession) async throws -> Bool {
        guard syncs(session), let lane = await connection.pool.lane(1), lane !== session,
            let replies = try await connection.openNow([.open(host.bytes(of: location), .write)], session: lane),
            case .handle(let handle) = replies[0]
        else { return false }
        defer { lane.close([handle]) }
        return try await connection.send(.fsync(handle), lane).status?.isOK == true
    }

    /// Opens the part of an earlier try.
    func reopen(on session: SFTPSession) async throws -> SFTPHandle {
        let replies = try await connection.open(
            [.open(host.bytes(of: location), .write), .lstat(host.bytes(of: path))], session)
        guard case .handle(let handle) = replies[0] else {
            throw try await provider.refusal(replies[0], ofWriting: path, session)
        }
        if !isPublished { return handle }
        keepPermissions(of: replies[1])
        do {
            // Somebody may have put a link in place of the part since it was verified, and opening follows links.
            let found = try await connection.send(.fstat(handle), session)
            guard let item = try await provider.item(location, session), isOpen(found, as: item) else {
                throw FileError.make(
                    .fileWriteUnknown, path: path, url: provider.url(of: path),
                    sentence: "Another file has replaced “\(location)”, the part of “\(path)”; "
                        + "nothing was written to it.")
            }
            return handle
        } catch {
            session.close([handle])
            throw error
        }
    }

    /// Whether the open file described by `reply` is `item`, as far as the server's attributes show.
    private func isOpen(_ reply: SFTPReply, as item: FileObject) -> Bool {
        guard item.isRegularFile else { return false }
        guard case .attributes(let found) = reply else { return true }
        let open = FileObject(found, at: item.path)
        func agree<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool {
            one == nil || other == nil || one == other
        }
        return open.isRegularFile && agree(open.size, item.size) && agree(open[.sftpOwner], item[.sftpOwner])
            && agree(open.permissions, item.permissions)
    }

    /// The number of bytes on the server that are verified to be the source's. If it is 0, the location is free or may
    /// be overwritten.
    ///
    /// Without ``SFTPWriteState/acknowledged``, another process may have left gaps, but only within
    /// ``SFTPBulkWrite/spread`` of the end.
    private func provenCount(on session: SFTPSession) async throws -> Int64 {
        guard let item = try await provider.item(location, session) else { return 0 }
        let isHonest = try await host.isHonest(beside: location, session)
        let size = item.isRegularFile ? item.size ?? 0 : 0
        let start = min(state.value.acknowledged ?? max(0, size - SFTPBulkWrite.spread), size)
        if isHonest, start > 0, size <= source.length ?? .max, try await isOurs(item, on: session),
            try await isOwn(upTo: start)
        {
            return start
        }
        // At the path itself it may be the file to replace, which the opening truncates.
        if isNew { _ = try await connection.send(.remove(host.bytes(of: location)), session) }
        return 0
    }

    /// Whether this account has left the part, whose name others can predict. If the server shows no owner, requires
    /// that no other user can write to the part.
    private func isOurs(_ part: FileObject, on session: SFTPSession) async throws -> Bool {
        guard keepsPart else { return true }
        if let owner = part[.sftpOwner], let own = try await user(on: session) { return owner == own }
        return (part.permissions ?? 0) & 0o022 == 0
    }

    /// This account's user number. If it is not known yet, creates an empty file to learn it. `nil` if the server shows
    /// no owners.
    private func user(on session: SFTPSession) async throws -> UInt32? {
        if let known = host.user { return known }
        let probe = try TemporaryName.make(beside: location)
        do {
            let replies = try await connection.open(
                [.open(host.bytes(of: probe), [.write, .create, .exclusive])], session)
            guard case .handle(let handle) = replies[0] else { return nil }
            let requests: [SFTPRequest] = [
                .close(handle), .lstat(host.bytes(of: probe)), .remove(host.bytes(of: probe)),
            ]
            let found = try await connection.begin(requests, session).value()
            if case .attributes(let attributes) = found[1] { host.user = attributes.owner?.user }
        } catch {
            await provider.removeLeftover(probe, openedOn: session)
            throw error
        }
        return host.user
    }

    /// Whether head and tail of the first `count` bytes on the server are the source's.
    private func isOwn(upTo count: Int64) async throws -> Bool {
        let reader = SFTPReader(path: location, provider: provider)
        let parts = [0..<min(Self.proof, count), max(0, count - Self.proof)..<count]
        let theirs: [Data]
        do {
            theirs = try await reader.read(parts)
            await reader.close()
        } catch {
            await reader.close()
            // Bytes of an upload that stopped a moment ago may still be arriving.
            if ((error as? CocoaError)?.underlying as? POSIXError)?.code == .ESTALE { return false }
            throw error
        }
        for (part, data) in zip(parts, theirs) where try await own(part) != data { return false }
        return true
    }

    private func own(_ part: Range<Int64>) async throws -> Data {
        try await source.bytes(from: part.lowerBound).bytes(upTo: part.count)
    }
}
