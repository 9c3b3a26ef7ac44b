import FileProviderCore
import Foundation
import SFTPEngine

/// A file that comes to a name only while nothing is there; of two that try at once, exactly one wins.
struct SFTPNewName: Sendable {
    let provider: SFTPFileProvider
    let path: ProviderPath
    let session: SFTPSession
    /// Whether the empty file of this try or one before holds the name, which ``SFTPPlacing`` sees to.
    let isTaken: Locked<Bool>
    /// Where that file is while the other comes in its place.
    let old: Locked<ProviderPath?>

    private var host: SFTPHost { provider.connection.host }

    /// Renames `source`, on the same server, to the path.
    ///
    /// By `hardlink@openssh.com`, which refuses what is there, where the server has it; the file then has both names for a moment. Else the
    /// name is taken first, by an empty file that only one can make, and that is replaced.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)`.
    func rename(_ source: ProviderPath) async throws {
        guard try await host.isHonest(beside: path, session) else { return try await renameAfterLook(source) }
        if !isTaken.value, host.has(.hardlink, session) {
            let replies = try await send([.hardlink(host.bytes(of: source), as: host.bytes(of: path))])
            if replies[0].status?.isOK == true {
                // The file is there, whether its other name goes or not.
                _ = try await send([.remove(host.bytes(of: source))])
                return
            }
            if replies[0].status?.code == SFTPStatus.Code.unsupported { host.lacks(.hardlink) }
            // File systems without links refuse it, too.
            if try await provider.item(path, session) != nil { throw taken }
        }
        if !isTaken.value { try await take() }
        try await SFTPReplacement(provider: provider, path: path, session: session, old: old).rename(source)
        isTaken.update { $0 = false }
    }

    private func take() async throws {
        let reply = try await send([.open(host.bytes(of: path), [.write, .create, .exclusive])])[0]
        guard case .handle(let handle) = reply else {
            if try await provider.item(path, session) != nil { throw taken }
            throw try await provider.refusal(reply, ofWriting: path, session)
        }
        isTaken.update { $0 = true }
        _ = try await send([.close(handle)])
    }

    /// For servers that cannot do both in one step.
    private func renameAfterLook(_ source: ProviderPath) async throws {
        if try await provider.item(path, session) != nil { throw taken }
        try await provider.rename(source, to: path, session)
    }

    private var taken: CocoaError { FileError.make(.fileWriteFileExists, path: path, url: provider.url(of: path)) }

    private func send(_ requests: [SFTPRequest]) async throws -> [SFTPReply] { try await provider.connection.send(requests, session) }
}
