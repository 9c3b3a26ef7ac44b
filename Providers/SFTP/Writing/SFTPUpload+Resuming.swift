import FileProviderCore
import Foundation
import SFTPEngine

/// Sending over several lanes, and going on behind what an earlier try has brought to the server, in this process or in another.
extension SFTPUpload {
    /// Bytes at the head and at the tail of what came that are compared before an upload goes on behind them.
    private static let proof: Int64 = 64 << 10

    /// Whether the part stays when the upload stops, for a later one.
    var keepsPart: Bool { options.resumption != nil && options.placement == .published && isLarge && source.isRepeatable }

    /// Where the bytes go before they are published.
    func partPath() throws -> ProviderPath {
        guard keepsPart, let identity = options.resumption else { return try TemporaryName.make(beside: path) }
        return try TemporaryName.make(beside: path, for: identity)
    }

    func sendLarge(to place: ProviderPath) async throws -> Sent {
        let hasBegun = Locked(false)
        let mayBeThere = Locked(keepsPart)
        // Nil where nobody knows which parts of what is there are whole.
        let arrived = Locked<Int64?>(nil)
        return try await connection.retrying(path, mayRepeat: { $0.isTransient && (source.isRepeatable || !hasBegun.value) }) {
            let session = try await connection.transferLane(for: source.length)
            let start = mayBeThere.value ? try await proven(at: place, upTo: arrived.value, session) : 0
            // The answer to the opening may be lost. Of a name that others may take, too, it has to have come.
            if place != path { mayBeThere.update { $0 = true } }
            let handle = start > 0 ? try await reopen(place, session) : try await open(place, session)
            mayBeThere.update { $0 = true }
            hasBegun.update { $0 = true }
            return try await send(from: start, to: place, (session, handle), arrived)
        }
    }

    private func send(
        from start: Int64, to place: ProviderPath, _ first: SFTPBulkWrite.Lane, _ arrived: Locked<Int64?>
    ) async throws -> Sent {
        let lanes = Locked([first].map { SFTPReader.Opened(session: $0.session, handle: $0.handle) })
        defer { for lane in lanes.value { lane.session.close([lane.handle]) } }
        let transfer = SFTPBulkWrite([first], from: connection.pace(try source.bytes(from: start)), at: start)
        let more = Task { await addLanes(to: transfer, place, lanes) }
        let isBesideRequests = try await connection.pool.session() === first.session
        // Where a lane is a program with a login of its own, one is opened only if somebody waits.
        let hasCheapLanes = host.processorsPerLane == 1
        if isBesideRequests, hasCheapLanes, syncs(first.session) { connection.pool.prepare(1) }
        do {
            let count = start + (try await transfer.run())
            more.cancel()
            await more.value
            try checkLength(count)
            lanes.update { _ = $0.removeFirst() }
            let isElsewhere = isBesideRequests && (hasCheapLanes || first.session.isWaiting)
            let isSynced = isElsewhere ? try await syncElsewhere(place, first.session) : false
            return try await finish(place, first.handle, first.session, count: count, isSynced: isSynced)
        } catch {
            more.cancel()
            await more.value
            arrived.update { $0 = transfer.acknowledged }
            throw error
        }
    }

    private func addLanes(to transfer: SFTPBulkWrite, _ place: ProviderPath, _ lanes: Locked<[SFTPReader.Opened]>) async {
        // One that empties the file for each that opens it cannot be sent to from several sides.
        guard let first = lanes.value.first, (try? await host.isHonest(beside: place, first.session)) == true else { return }
        await connection.openLanes(for: source.length, beside: first.session) { session in
            // What is wrong with a lane shows in the first one, too; or is none of the transfer's business.
            guard let replies = try? await connection.openNow([.open(host.bytes(of: place), .write)], session),
                case .handle(let handle) = replies[0]
            else { return }
            lanes.update { $0.append(SFTPReader.Opened(session: session, handle: handle)) }
            _ = transfer.add((session, handle))
        }
    }

    /// Brings the file to the server's disk on a lane of its own: some servers answer nothing else meanwhile, and requests would wait.
    ///
    /// - Returns: Whether it was done.
    private func syncElsewhere(_ place: ProviderPath, _ session: SFTPSession) async throws -> Bool {
        guard syncs(session), let lane = await connection.pool.lane(1), lane !== session,
            let replies = try await connection.openNow([.open(host.bytes(of: place), .write)], lane), case .handle(let handle) = replies[0]
        else { return false }
        defer { lane.close([handle]) }
        return try await connection.send(.fsync(handle), lane).status?.isOK == true
    }

    private func reopen(_ place: ProviderPath, _ session: SFTPSession) async throws -> SFTPHandle {
        let replies = try await connection.open([.open(host.bytes(of: place), .write), .lstat(host.bytes(of: path))], session)
        guard case .handle(let handle) = replies[0] else { throw try await provider.refusal(replies[0], ofWriting: path, session) }
        if place == path { return handle }
        keepPermissions(replies[1])
        do {
            // Opening follows a link that may have come since the part was looked at.
            let found = try await connection.send(.fstat(handle), session)
            guard let item = try await provider.item(place, session), isOpen(found, as: item) else {
                throw FileError.make(
                    .fileWriteUnknown, path: path, url: provider.url(of: path),
                    sentence: "Somebody has put another file in the place of “\(place)”, the part of “\(path)”; nothing was written to it.")
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
        func agree<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool { one == nil || other == nil || one == other }
        return open.isRegularFile && agree(open.size, item.size) && agree(open[.sftpOwner], item[.sftpOwner])
            && agree(open.permissions, item.permissions)
    }

    /// How many bytes of the upload are on the server and seen to be the source's; 0 to begin anew, with nothing in the way.
    ///
    /// - Parameter known: The offset up to which this process knows everything to be there. Another may have left holes, but no further
    ///   than ``SFTPBulkWrite/spread`` from the end.
    private func proven(at place: ProviderPath, upTo known: Int64?, _ session: SFTPSession) async throws -> Int64 {
        guard let item = try await provider.item(place, session) else { return 0 }
        let isHonest = try await host.isHonest(beside: place, session)
        let size = item.isRegularFile ? item.size ?? 0 : 0
        let start = min(known ?? max(0, size - SFTPBulkWrite.spread), size)
        if isHonest, start > 0, size <= source.length ?? .max, try await isOurs(item, session),
            try await isOwn(upTo: start, at: place, session)
        {
            return start
        }
        // Under the name itself it may be what is to be replaced, which the opening truncates.
        if isNew(place) { _ = try await connection.send(.remove(host.bytes(of: place)), session) }
        return 0
    }

    /// Whether a part whose name others can foretell was left by this account. Without its owner's number, others must not be able to write
    /// to it.
    private func isOurs(_ part: FileObject, _ session: SFTPSession) async throws -> Bool {
        guard keepsPart else { return true }
        if let owner = part[.sftpOwner], let own = try await user(beside: part.path, session) { return owner == own }
        return (part.permissions ?? 0) & 0o022 == 0
    }

    /// The number of this account, from an empty file that is made for that where none was made yet; nil where the server tells no owners.
    private func user(beside place: ProviderPath, _ session: SFTPSession) async throws -> UInt32? {
        if let known = host.user { return known }
        let probe = try TemporaryName.make(beside: place)
        do {
            let replies = try await connection.open([.open(host.bytes(of: probe), [.write, .create, .exclusive])], session)
            guard case .handle(let handle) = replies[0] else { return nil }
            let requests: [SFTPRequest] = [.close(handle), .lstat(host.bytes(of: probe)), .remove(host.bytes(of: probe))]
            let found = try await connection.begin(requests, session).value()
            if case .attributes(let attributes) = found[1] { host.user = attributes.owner?.user }
        } catch {
            await provider.removeLeft(probe, openedOn: session)
            throw error
        }
        return host.user
    }

    /// Whether head and tail of the first `count` bytes are the source's.
    private func isOwn(upTo count: Int64, at place: ProviderPath, _ session: SFTPSession) async throws -> Bool {
        let reader = SFTPReader(path: place, provider: provider)
        let parts = [0..<min(Self.proof, count), max(0, count - Self.proof)..<count]
        let theirs: [Data]
        do {
            theirs = try await reader.read(parts)
            await reader.close()
        } catch {
            await reader.close()
            // What an upload has sent that was stopped a moment ago may still be arriving.
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
