public import FileProviderCore
import Foundation
import SFTPEngine

extension SFTPFileProvider: FileProviderAppending {
    /// Adds bytes by `WRITE`, from the size on that the open file has.
    ///
    /// - Throws: Also `CocoaError(.featureUnsupported)` if the server tells no sizes of open files, or empties files
    ///   that are opened for writing.
    /// - Complexity: Three round trips beside those that the bytes take.
    public func append(path: ProviderPath, from source: any WriteSource, createsFile: Bool) async throws -> FileObject {
        if path.isRoot { throw FileError.isADirectory(path, url: url(of: path), writing: true) }
        defer { cache.drop(path) }
        return try await connection.run(path, mayRepeat: false) { session in
            guard try await self.connection.host.isHonest(beside: path, session) else { throw self.cannotAppend(path) }
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
        let count = try await SFTPBulkWrite([(session, handle)], from: bytes, at: start).run()
        if let length = source.length, length != count {
            throw FileError.make(
                .fileWriteUnknown, path: path, url: url(of: path),
                sentence: "The source of “\(path)” gave \(count) bytes and had announced \(length).")
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

    private func cannotAppend(_ path: ProviderPath) -> CocoaError {
        FileError.unsupported("append", by: Self.type, path: path, url: url(of: path))
    }
}
