public import FileProviderCore
import Foundation
import SFTPEngine

extension SFTPFileProvider: FileProviderAppending {
    /// Appends bytes with `WRITE`, at the end of the open file.
    ///
    /// If the server refuses a `WRITE` but completes a later one, truncates the file before the first gap (`FSETSTAT`).
    /// This also happens after a cancellation, which waits for the pending replies.
    ///
    /// - Throws: Also `CocoaError(.featureUnsupported)` if the server reports no sizes of open files, or truncates
    ///   files that are opened for writing.
    /// - Complexity: Three round trips besides those for the bytes; up to four more for the first append to a server
    ///   without hard links.
    public func append(path: ProviderPath, from source: any WriteSource, createsFile: Bool) async throws -> FileObject {
        if path.isRoot { throw FileError.isADirectory(path, url: url(of: path), writing: true) }
        defer { cache.drop(path) }
        return try await connection.run(path, mayRepeat: false) { session in
            guard try await self.keepsContent(beside: path, session) else { throw self.cannotAppend(path) }
            let name = self.connection.host.bytes(of: path)
            let flags: SFTPRequest.OpenFlags = createsFile ? [.write, .create] : .write
            let reply = try await self.connection.open([.open(name, flags)], session)[0]
            guard case .handle(let handle) = reply else {
                let refusal = try await self.refusal(reply, ofWriting: path, session)
                if !createsFile, !refusal.isNoSuchFile, try await self.item(path, session) == nil {
                    throw self.missing(path, isWriting: true, underlying: refusal)
                }
                throw refusal
            }
            do {
                return try await self.append(source, to: handle, path: path, session: session)
            } catch {
                session.close([handle])
                throw error
            }
        }
    }

    private func append(
        _ source: any WriteSource, to handle: SFTPHandle, path: ProviderPath, session: SFTPSession
    ) async throws -> FileObject {
        let reply = try await connection.send(.fstat(handle), session)
        guard case .attributes(let attributes) = reply, let size = attributes.size,
            let start = Int64(exactly: size), start < 1 << 62
        else { throw cannotAppend(path) }
        let bytes = connection.pace(try source.bytes(from: 0))
        let write = SFTPBulkWrite([(session, handle)], from: bytes, at: start)
        let count: Int64
        do {
            count = try await write.run()
        } catch {
            await withCancellationShield { await self.cutAtGap(write, handle, session) }
            throw error
        }
        if let length = source.length, length != count {
            throw FileError.make(
                .fileWriteUnknown, path: path, url: url(of: path),
                sentence: "The source of “\(path)” gave \(count) bytes, but announced \(length).")
        }
        let syncs = configuration.syncs && connection.host.has(.fsync, session)
        let requests: [SFTPRequest] =
            (syncs ? [.fsync(handle)] : []) + [.close(handle), .stat(connection.host.bytes(of: path))]
        // Sent before anything is awaited, so that the handle is closed even if this task is cancelled.
        let replies = try await connection.begin(requests, session).value()
        guard let status = replies[replies.count - 2].status else { throw unexpected(path) }
        // A server that cannot write a byte may say so here.
        if !status.isOK { throw SFTPRefusal(status: status) }
        let item = try? self.item(replies[replies.count - 1], at: path)
        return item ?? FileObject(path: path, type: .regular)
    }

    /// Truncates the file after the last byte before the first gap. Leaves a file alone that is longer than this append
    /// made it, because another client writes to it too.
    private func cutAtGap(_ write: SFTPBulkWrite, _ handle: SFTPHandle, _ session: SFTPSession) async {
        await write.settle()
        let (whole, end) = (UInt64(write.acknowledged), UInt64(write.end))
        guard whole < end, case .attributes(let found)? = try? await connection.send(.fstat(handle), session),
            let size = found.size, size > whole, size <= end
        else { return }
        _ = try? await connection.send(.fsetstat(handle, SFTPAttributes(size: whole)), session)
    }

    /// Whether the server keeps the content of a file that is opened for writing; false if that cannot be tried.
    ///
    /// ``SFTPHost/isHonest(beside:_:)`` answers this only for servers that announce hard links. On others, a temporary
    /// file of one byte is opened again: looking at the file itself after it was opened would be too late.
    private func keepsContent(beside path: ProviderPath, _ session: SFTPSession) async throws -> Bool {
        let host = connection.host
        guard try await host.isHonest(beside: path, session) else { return false }
        if session.has(.hardlink) || host.keepsContent { return true }
        let probe = try TemporaryName.make(beside: path)
        let name = host.bytes(of: probe)
        do {
            let made = try await connection.open([.open(name, [.write, .create, .exclusive])], session)[0]
            guard case .handle(let new) = made else { return false }
            let written = try await connection.begin([.write(new, at: 0, [1]), .close(new)], session).value()
            var size: UInt64?
            if case .handle(let again) = try await connection.open([.open(name, .write)], session)[0] {
                let replies = try await connection.begin([.fstat(again), .close(again)], session).value()
                if case .attributes(let attributes) = replies[0] { size = attributes.size }
            }
            _ = try await connection.send(.remove(name), session)
            // On a full disk there is nothing to keep.
            guard let size, written[0].status?.isOK == true else { return false }
            host.keeps(content: size == 1)
            return size == 1
        } catch {
            await removeLeftover(probe, openedOn: session)
            throw error
        }
    }

    private func cannotAppend(_ path: ProviderPath) -> CocoaError {
        FileError.unsupported("append", by: Self.type, path: path, url: url(of: path))
    }
}
