import FileProviderCore
import Foundation
import SFTPEngine

/// Renames a file onto a name that may be in use: in one step if the server can do that. Otherwise moves the old file
/// aside first and keeps it until the new one has the name.
struct SFTPReplacement: Sendable {
    let provider: SFTPFileProvider
    let path: ProviderPath
    let session: SFTPSession
    /// Receives the path of the displaced file, which ``SFTPPlacement`` removes or moves back.
    let state: LockedValue<SFTPWriteState>
    /// Whether a folder gets the name. rename(2) doesn't replace a file by a folder.
    var isFolder = false

    private var host: SFTPHost { provider.connection.host }

    /// Renames `source`, on the same server, to the path.
    func rename(_ source: ProviderPath) async throws {
        if let reply = try await renameInOneStep(source) { try await makeRoom(for: source, after: reply) }
    }

    /// - Returns: The server's refusal, or `nil` if the file was renamed.
    func renameInOneStep(_ source: ProviderPath) async throws -> SFTPReply? {
        if host.has(.posixRename, session) {
            let reply = try await send(.posixRename(host.bytes(of: source), to: host.bytes(of: path)))
            if reply.status?.isOK == true { return nil }
            guard reply.status?.code == SFTPStatus.Code.unsupported else { return reply }
            host.lacks(.posixRename)
        }
        // On some servers `RENAME` replaces files, too.
        let reply = try await send(.rename(host.bytes(of: source), to: host.bytes(of: path)))
        return reply.status?.isOK == true ? nil : reply
    }

    /// Moves the old file aside and `source` to the path. If that fails and the server still answers, moves the old
    /// file back.
    private func makeRoom(for source: ProviderPath, after reply: SFTPReply) async throws {
        let refusal = try await provider.refusal(reply, ofWriting: path, session)
        guard let item = try await provider.item(path, session) else { throw refusal }
        if item.isDirectory {
            try await provider.removeOne(item, session)
            return try await provider.rename(source, to: path, session)
        }
        // A server that replaces in one step has refused for a reason that remains when the old file is moved aside.
        if host.has(.posixRename, session), !isFolder { throw refusal }
        let before = state.value
        let aside =
            try before.displaced
            ?? (path.parent ?? .root).appending(
                nameBytes: Array(path.nameBytes.prefix(200)) + ".\(UInt32.random(in: 0 ... .max)).old".utf8)
        // Once begun, this ends with one of the two files at the path, cancelled or not.
        try await withCancellationShield {
            // Noted before the request is sent: the reply may be lost.
            state.update { $0.stage = .displaced(to: aside) }
            guard try await send(.rename(host.bytes(of: path), to: host.bytes(of: aside))).status?.isOK == true else {
                state.update { $0.stage = before.stage }
                throw refusal
            }
            do { try await provider.rename(source, to: path, session) } catch {
                let reply = try? await send(.rename(host.bytes(of: aside), to: host.bytes(of: path)))
                if reply?.status?.isOK == true { state.update { $0.stage = .renaming } }
                throw error
            }
        }
    }

    private func send(_ request: SFTPRequest) async throws -> SFTPReply {
        try await provider.connection.send(request, session)
    }
}
