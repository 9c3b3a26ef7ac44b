import FileProviderCore
import Foundation
import SFTPEngine

/// Copies a file on the server by `copy-data` (draft-ietf-secsh-filexfer-extensions-00, section 7), to a temporary name
/// first.
struct SFTPServerCopy: Sendable {
    let provider: SFTPFileProvider
    let path: ProviderPath
    let destination: ProviderPath
    let overwrite: Bool
    let session: SFTPSession

    /// Bytes to copy with one request. A server sends nothing while it copies.
    private static let piece: UInt64 = 16 << 20
    /// Requests sent before the first reply, so that the server is never idle.
    private static let depth = 2

    private var host: SFTPHost { provider.connection.host }

    /// - Returns: False if the server doesn't copy this file; then nothing has changed.
    func run(_ progress: ProgressReporter) async throws -> Bool {
        if !overwrite, try await provider.item(destination, session) != nil {
            throw FileError.make(.fileWriteFileExists, path: destination, url: provider.url(of: destination))
        }
        let temporary = try TemporaryName.make(beside: destination)
        var handles: [SFTPHandle] = []
        do {
            let replies = try await provider.connection.open(
                [
                    .open(host.bytes(of: path), .read), .stat(host.bytes(of: path)),
                    .open(host.bytes(of: temporary), [.write, .create, .exclusive]),
                ], session)
            handles = replies.compactMap { reply in if case .handle(let handle) = reply { handle } else { nil } }
            guard handles.count == 2, case .attributes(let attributes) = replies[1], let size = attributes.size else {
                guard mayGoElsewhere(replies) else { throw try await refusal(replies) }
                session.close(handles)
                await provider.removeLeftover(temporary, openedOn: session)
                return false
            }
            progress.expect(Int64(clamping: size))
            guard try await copy(handles[0], size, to: handles[1], progress) else {
                session.close(handles)
                await provider.removeLeftover(temporary, openedOn: session)
                return false
            }
            let closing = close(handles, temporary, attributes)
            handles = []
            try check(try await closing.value(), size)
            try await withCancellationShield { try await putInPlace(temporary) }
            return true
        } catch {
            session.close(handles)
            await provider.removeLeftover(temporary, openedOn: session)
            throw error
        }
    }

    /// - Returns: False if the server refuses the first request.
    private func copy(_ source: SFTPHandle, _ size: UInt64, to target: SFTPHandle, _ progress: ProgressReporter)
        async throws -> Bool
    {
        var calls: [(call: SFTPCall, count: UInt64)] = []
        var (asked, done): (UInt64, UInt64) = (0, 0)
        while done < size {
            while calls.count < Self.depth, asked < size {
                let count = min(Self.piece, size - asked)
                let request = SFTPRequest.copyData(from: source, at: asked, count: count, to: target, at: asked)
                calls.append((provider.connection.begin([request], session), count))
                asked += count
            }
            let (call, count) = calls.removeFirst()
            let reply = try await call.value()[0]
            guard let status = reply.status else { throw provider.unexpected(destination) }
            if !status.isOK {
                if status.code == SFTPStatus.Code.unsupported { host.lacks(.copyData) }
                if done == 0, isInconclusive(status) { return false }
                throw condition(status)
            }
            done += count
            progress.advance(by: Int64(count))
        }
        return true
    }

    /// Closes the files and asks for the attributes of the copy.
    private func close(_ handles: [SFTPHandle], _ temporary: ProviderPath, _ source: SFTPAttributes) -> SFTPCall {
        var requests = handles.map { SFTPRequest.close($0) }
        requests.append(.lstat(host.bytes(of: temporary)))
        // The copy is complete, even if this is refused.
        let allowed = source.permissions.map { $0 & 0o777 }
        return provider.connection.begin(
            [.fsetstat(handles[1], SFTPAttributes(permissions: allowed))] + requests, session)
    }

    private func check(_ replies: [SFTPReply], _ size: UInt64) throws {
        for reply in replies[1...2] {
            if let status = reply.status, !status.isOK { throw condition(status) }
        }
        guard case .attributes(let found) = replies[3], found.size == size else {
            throw FileError.make(
                .fileWriteUnknown, path: destination, url: provider.url(of: destination),
                sentence:
                    "The server did not copy all \(size) bytes of “\(path)” to “\(destination)”; nothing was replaced.")
        }
    }

    private func putInPlace(_ temporary: ProviderPath) async throws {
        let placement = SFTPPlacement(
            provider: provider, path: destination, state: LockedValue(SFTPWriteState(location: temporary)))
        try await placement.run { try await placement.rename(temporary, overwrite: overwrite, on: session) }
    }

    /// Whether the refusal may concern only this way of copying.
    private func isInconclusive(_ status: SFTPStatus) -> Bool {
        status.code == SFTPStatus.Code.unsupported
            || status.code == SFTPStatus.Code.failure && condition(status) is SFTPStatusError
    }

    /// The server may allow one open handle, not two. Then reading the file and writing it afterwards may succeed.
    private func mayGoElsewhere(_ replies: [SFTPReply]) -> Bool {
        guard case .handle = replies[0], case .attributes = replies[1], let status = replies[2].status else {
            return false
        }
        return isInconclusive(status) || status.isAboutHandles
    }

    private func condition(_ status: SFTPStatus) -> any Error {
        SFTPCondition(status: status, path: destination, url: provider.url(of: destination), isWriting: true).error
    }

    private func refusal(_ replies: [SFTPReply]) async throws -> any Error {
        if replies[0].status != nil {
            guard let status = replies[0].status else { return provider.unexpected(path) }
            return SFTPCondition(status: status, path: path, url: provider.url(of: path)).error
        }
        return try await provider.refusal(replies[2], ofWriting: destination, session)
    }

    private func send(_ requests: [SFTPRequest]) async throws -> [SFTPReply] {
        try await provider.connection.send(requests, session)
    }
}
