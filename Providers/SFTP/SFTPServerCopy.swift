import FileProviderCore
import Foundation
import SFTPEngine

/// A file copied on the server by `copy-data` (draft-ietf-secsh-filexfer-extensions-00, section 7), to a temporary name first.
struct SFTPServerCopy: Sendable {
    let provider: SFTPFileProvider
    let path: ProviderPath
    let destination: ProviderPath
    let overwrite: Bool
    let session: SFTPSession

    /// Bytes of one request: a server is silent while it copies.
    private static let piece: UInt64 = 256 << 20

    private var host: SFTPHost { provider.connection.host }

    /// - Returns: False when the server does not copy this after all; then nothing has changed.
    func run(_ progress: ProgressReporter) async throws -> Bool {
        if !overwrite, try await provider.item(destination, session) != nil {
            throw FileError.make(.fileWriteFileExists, path: destination, url: provider.url(of: destination))
        }
        let temporary = try TemporaryName.make(beside: destination)
        var handles: [SFTPHandle] = []
        do {
            let replies = try await send([
                .open(host.bytes(of: path), .read), .stat(host.bytes(of: path)),
                .open(host.bytes(of: temporary), [.write, .create, .exclusive]),
            ])
            handles = replies.compactMap { reply in if case .handle(let handle) = reply { handle } else { nil } }
            guard handles.count == 2, case .attributes(let attributes) = replies[1], let size = attributes.size else {
                throw try await refusal(replies)
            }
            progress.expect(Int64(clamping: size))
            guard try await copy(handles[0], size, to: handles[1], progress) else {
                session.close(handles)
                await removeNow(temporary)
                return false
            }
            let closing = provider.connection.begin(handles.map { .close($0) } + [.lstat(host.bytes(of: temporary))], session)
            handles = []
            try await check(closing, size)
            try await Task { try await putInPlace(temporary) }.value
            return true
        } catch {
            session.close(handles)
            await removeNow(temporary)
            throw error
        }
    }

    /// - Returns: False when the server refuses to begin.
    private func copy(_ source: SFTPHandle, _ size: UInt64, to target: SFTPHandle, _ progress: ProgressReporter) async throws -> Bool {
        var offset: UInt64 = 0
        while offset < size {
            let count = min(Self.piece, size - offset)
            let reply = try await send([.copyData(from: source, at: offset, count: count, to: target, at: offset)])[0]
            guard reply.status?.isOK == true else {
                if offset > 0, let status = reply.status { throw SFTPRefusal(status: status) }
                if reply.status?.code == SFTPStatus.Code.unsupported { host.lacks(.copyData) }
                return false
            }
            offset += count
            progress.advance(by: Int64(count))
        }
        return true
    }

    private func check(_ closing: SFTPCall, _ size: UInt64) async throws {
        let replies = try await closing.value()
        for reply in replies {
            if let status = reply.status, !status.isOK { throw SFTPRefusal(status: status) }
        }
        guard case .attributes(let attributes) = replies[replies.count - 1], attributes.size == size else {
            throw FileError.make(
                .fileWriteUnknown, path: destination, url: provider.url(of: destination),
                sentence: "The server did not copy all \(size) bytes of “\(path)”; nothing was replaced.")
        }
    }

    private func putInPlace(_ temporary: ProviderPath) async throws {
        if overwrite { return try await SFTPReplacement(provider: provider, path: destination, session: session).rename(temporary) }
        try await SFTPNewName(provider: provider, path: destination, session: session).rename(temporary)
    }

    private func refusal(_ replies: [SFTPReply]) async throws -> any Error {
        if replies[0].status != nil {
            guard let status = replies[0].status else { return provider.unexpected(path) }
            return SFTPCondition(status: status, path: path, url: provider.url(of: path)).error
        }
        return try await provider.refusal(replies[2], ofWriting: destination, session)
    }

    private func removeNow(_ temporary: ProviderPath) async {
        // Outside the task, which may be cancelled. What cannot be removed is left under a name that tells.
        await Task {
            _ = try? await provider.connection.run(temporary) {
                try await provider.connection.send(.remove(host.bytes(of: temporary)), $0)
            }
        }.value
    }

    private func send(_ requests: [SFTPRequest]) async throws -> [SFTPReply] { try await provider.connection.send(requests, session) }
}
