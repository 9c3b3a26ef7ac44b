import FileProviderCore
import Foundation
import SFTPEngine

/// A file that comes to a name, whatever is there: in one step where the server has that, else with the old file kept aside until it is
/// clear that it is not needed.
struct SFTPReplacement: Sendable {
    let provider: SFTPFileProvider
    let path: ProviderPath
    let session: SFTPSession
    /// Where what was at the path is, which ``SFTPPlacing`` sees to.
    var old = Locked<ProviderPath?>(nil)
    /// Whether it is a folder that comes to the name, for which rename(2) makes no room.
    var isFolder = false

    private var host: SFTPHost { provider.connection.host }

    /// Renames `source`, on the same server, to the path.
    func rename(_ source: ProviderPath) async throws {
        if let reply = try await renameInOneStep(source) { try await makeRoom(for: source, after: reply) }
    }

    /// - Returns: What the server refused it with, or nil.
    func renameInOneStep(_ source: ProviderPath) async throws -> SFTPReply? {
        if host.has(.posixRename, session) {
            let reply = try await send(.posixRename(host.bytes(of: source), to: host.bytes(of: path)))
            if reply.status?.isOK == true { return nil }
            guard reply.status?.code == SFTPStatus.Code.unsupported else { return reply }
            host.lacks(.posixRename)
        }
        // Servers there are that replace with this one, too.
        let reply = try await send(.rename(host.bytes(of: source), to: host.bytes(of: path)))
        return reply.status?.isOK == true ? nil : reply
    }

    /// What is in the way is moved out of it, and back where its place stays empty and the server still answers.
    private func makeRoom(for source: ProviderPath, after reply: SFTPReply) async throws {
        let refusal = try await provider.refusal(reply, ofWriting: path, session)
        guard let item = try await provider.item(path, session) else { throw refusal }
        if item.isDirectory {
            try await provider.removeOne(item, session)
            return try await provider.rename(source, to: path, session)
        }
        // With a replacement in one step it was refused for a reason that moving the old file away would not help.
        if host.has(.posixRename, session), !isFolder { throw refusal }
        let known = old.value
        let aside =
            try known
            ?? (path.parent ?? .root).appending(
                nameBytes: Array(path.nameBytes.prefix(200)) + ".\(UInt32.random(in: 0 ... .max)).old".utf8)
        // Begun, it comes to its end, cancelled or not.
        try await withCancellationShield {
            // Known before it is asked for: the answer may be lost.
            old.update { $0 = aside }
            guard try await send(.rename(host.bytes(of: path), to: host.bytes(of: aside))).status?.isOK == true else {
                old.update { $0 = known }
                throw refusal
            }
            do { try await provider.rename(source, to: path, session) } catch {
                let reply = try? await send(.rename(host.bytes(of: aside), to: host.bytes(of: path)))
                if reply?.status?.isOK == true { old.update { $0 = nil } }
                throw error
            }
        }
    }

    private func send(_ request: SFTPRequest) async throws -> SFTPReply { try await provider.connection.send(request, session) }
}
