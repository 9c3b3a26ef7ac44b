import FileProviderCore
import Foundation
import SFTPEngine

/// Renames a file to a name that must be free. If two writers try at once, exactly one succeeds.
struct SFTPNewName: Sendable {
    let provider: SFTPFileProvider
    let path: ProviderPath
    let session: SFTPSession
    /// Says whether this try, or an earlier one, has created a placeholder, which ``SFTPPlacement`` removes.
    let state: LockedValue<SFTPWriteState>

    private var host: SFTPHost { provider.connection.host }
    private var placeholderExists: Bool { state.value.stage == .placeholder }

    /// Renames `source`, on the same server, to the path.
    ///
    /// Uses `hardlink@openssh.com` if the server has it, which refuses a name in use; the file then has both names for
    /// a moment. OpenSSH's `RENAME` does the same, and other servers' `RENAME` also refuses a name in use, as the draft
    /// demands. On the remaining servers an empty file, which only one writer can create, takes the name and is then
    /// replaced.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` if the name is in use.
    func rename(_ source: ProviderPath) async throws {
        guard try await host.isHonest(beside: path, session) else { return try await renameAfterLook(source) }
        if !placeholderExists, host.renamesByLink(to: path, session) {
            if try await send([.rename(host.bytes(of: source), to: host.bytes(of: path))])[0].status?.isOK == true {
                return
            }
            if try await provider.isThere(path, session) { throw taken }
        }
        if !placeholderExists, host.has(.hardlink, session) {
            let replies = try await send([.hardlink(host.bytes(of: source), as: host.bytes(of: path))])
            if replies[0].status?.isOK == true {
                host.hasLinked(path)
                // The file has its name, even if the other name cannot be removed.
                _ = try await send([.remove(host.bytes(of: source))])
                return
            }
            if replies[0].status?.code == SFTPStatus.Code.unsupported { host.lacks(.hardlink) }
            // A file system without hard links also refuses this.
            if try await provider.isThere(path, session) { throw taken }
        }
        if !placeholderExists, try await !replaces() {
            do { return try await provider.rename(source, to: path, session) } catch {
                if try await provider.isThere(path, session) { throw taken }
                throw error
            }
        }
        try await replacePlaceholder(by: source)
    }

    /// Renames an existing file. If the new name is in use, the file keeps its old one.
    ///
    /// Most servers' `RENAME` refuses a name in use. On the others a placeholder takes the name first.
    func move(_ source: ProviderPath) async throws {
        guard try await host.isHonest(beside: path, session), !host.renamesAsOpenSSH(session),
            try await renameReplaces()
        else {
            return try await provider.rename(source, to: path, session)
        }
        do { try await replacePlaceholder(by: source) } catch {
            if try await provider.item(source, session) == nil { throw provider.missing(source, isWriting: true) }
            throw error
        }
    }

    private func replacePlaceholder(by source: ProviderPath) async throws {
        if !placeholderExists { try await createPlaceholder() }
        let replacement = SFTPReplacement(provider: provider, path: path, session: session, state: state)
        if let reply = try await replacement.renameInOneStep(source) {
            throw try await provider.refusal(reply, ofWriting: path, session)
        }
        state.update { $0.stage = .placed }
    }

    /// Whether one of the server's renaming requests replaces an existing file.
    private func replaces() async throws -> Bool {
        if host.has(.posixRename, session) { return true }
        return try await renameReplaces()
    }

    /// Whether `RENAME` replaces an existing file. Tried once for each host, with two empty files.
    private func renameReplaces() async throws -> Bool {
        if let known = host.replaces { return known }
        let names = try [TemporaryName.make(beside: path), TemporaryName.make(beside: path)]
        let paths = names.map(host.bytes)
        do {
            // One after the other: a server may allow only one open handle.
            var made = 0
            for path in paths where try await createEmpty(path).status == nil { made += 1 }
            let replies = try await send([.rename(paths[0], to: paths[1]), .remove(paths[0]), .remove(paths[1])])
            // If the files cannot be created, the answer stays unknown.
            guard made == paths.count else { return true }
            let replaces = replies[0].status?.isOK == true
            host.replaces = replaces
            return replaces
        } catch {
            for name in names { await provider.removeLeftover(name) }
            throw error
        }
    }

    private func createPlaceholder() async throws {
        let reply = try await createEmpty(host.bytes(of: path)) { state.update { $0.stage = .placeholder } }
        guard case .handle = reply else {
            if try await provider.isThere(path, session) { throw taken }
            throw try await provider.refusal(reply, ofWriting: path, session)
        }
    }

    /// Creates an empty file and closes it.
    ///
    /// - Parameter onCreation: Called when the file exists, before it is closed.
    /// - Returns: The reply to the opening.
    private func createEmpty(_ path: [UInt8], onCreation: () -> Void = {}) async throws -> SFTPReply {
        let reply = try await provider.connection.open([.open(path, [.write, .create, .exclusive])], session)[0]
        guard case .handle(let handle) = reply else { return reply }
        onCreation()
        _ = try await send([.close(handle)])
        return reply
    }

    /// For servers on which no request both checks the name and takes it.
    private func renameAfterLook(_ source: ProviderPath) async throws {
        if try await provider.isThere(path, session) { throw taken }
        try await provider.rename(source, to: path, session)
    }

    private var taken: CocoaError { FileError.make(.fileWriteFileExists, path: path, url: provider.url(of: path)) }

    private func send(_ requests: [SFTPRequest]) async throws -> [SFTPReply] {
        try await provider.connection.send(requests, session)
    }
}
