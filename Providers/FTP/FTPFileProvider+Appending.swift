import CurlTransport
public import FileProviderCore
import Foundation

extension FTPFileProvider: FileProviderAppending {
    /// Appends bytes with `APPE`.
    ///
    /// If the connection is lost before the server begins to store, the append is retried. After that, nothing is sent
    /// again.
    ///
    /// - Throws: Also `CocoaError(.featureUnsupported)` if the server has no `APPE`.
    /// - Complexity: One lookup before and one after, and a data connection.
    public func append(path: ProviderPath, from source: any WriteSource, createsFile: Bool) async throws -> FileObject {
        if path.isRoot { throw FileError.isADirectory(path, url: url(of: path), writing: true) }
        defer { cache.drop(path) }
        try await connection.run(path) { session in
            _ = try session.host.newBytes(of: path)
            switch try await self.sight(path, session) {
            case .item(let item) where item.isDirectory:
                throw FileError.isADirectory(path, url: self.url(of: path), writing: true)
            case .nothing where !createsFile: throw self.missing(path, isWriting: true)
            default: break
            }
        }
        let count = try await append(source, to: path)
        if let length = source.length, length != count {
            throw FileError.make(
                .fileWriteUnknown, path: path, url: url(of: path),
                sentence: "The source of “\(path)” gave \(count) bytes, but announced \(length).")
        }
        let item = try? await connection.run(path) { try await self.sight(path, $0).item }
        return item ?? FileObject(path: path, type: .regular)
    }

    /// - Returns: The number of bytes sent.
    private func append(_ source: any WriteSource, to path: ProviderPath) async throws -> Int64 {
        let hasBegun = LockedValue(false)
        return try await connection.options.retries.run(counters: connection.options.counters) { error in
            error.isTransient && source.isRepeatable && !hasBegun.value
        } _: {
            do {
                return try await connection.pool.withUpload(mayGiveWay: false) { session in
                    let name = try session.host.transferBytes(of: path)
                    let exchange = FTPExchange(transfer: .store(name, source, offset: 0, continuing: .append))
                    let outcome = try await session.send(exchange)
                    guard let reply = outcome.last, !reply.isPositive else { return outcome.bytes }
                    hasBegun.update { $0 = $0 || outcome.bytes > 0 }
                    if FileProviderFTPErrorCode(rawValue: reply.code).isUnknownCommand {
                        session.host.lacks("APPE")
                        throw FileError.unsupported(
                            "append", by: Self.type, path: path, url: self.url(of: path),
                            underlying: FTPReplyError(reply, path: path))
                    }
                    throw try await self.refusal(reply, ofWriting: path, session)
                }
            } catch {
                if let outcome = (error as? FTPFailure)?.outcome,
                    outcome.bytes > 0 || outcome.replies.contains(where: { $0.verb == "APPE" && $0.code < 300 })
                {
                    hasBegun.update { $0 = true }
                }
                throw connection.translated(error, path: path)
            }
        }
    }
}
