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

    private var host: SFTPHost { provider.connection.host }

    /// Renames `source`, on the same server, to the path.
    ///
    /// By `hardlink@openssh.com`, which refuses what is there, where the server has it; the file then has both names for a moment. OpenSSH
    /// does that by itself, and other servers' `RENAME` refuses what is there, too, as the draft demands. Else the name is taken first, by
    /// an empty file that only one can make, and that is replaced.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)`.
    func rename(_ source: ProviderPath) async throws {
        guard try await host.isHonest(beside: path, session) else { return try await renameAfterLook(source) }
        if !isTaken.value, host.renamesByLink(to: path, session) {
            if try await send([.rename(host.bytes(of: source), to: host.bytes(of: path))])[0].status?.isOK == true { return }
            if try await provider.isThere(path, session) { throw taken }
        }
        if !isTaken.value, host.has(.hardlink, session) {
            let replies = try await send([.hardlink(host.bytes(of: source), as: host.bytes(of: path))])
            if replies[0].status?.isOK == true {
                host.hasLinked(path)
                // The file is there, whether its other name goes or not.
                _ = try await send([.remove(host.bytes(of: source))])
                return
            }
            if replies[0].status?.code == SFTPStatus.Code.unsupported { host.lacks(.hardlink) }
            // File systems without links refuse it, too.
            if try await provider.isThere(path, session) { throw taken }
        }
        if !isTaken.value, try await !replaces() {
            do { return try await provider.rename(source, to: path, session) } catch {
                if try await provider.isThere(path, session) { throw taken }
                throw error
            }
        }
        try await replaceEmpty(by: source)
    }

    /// Renames a file that is somebody's, and keeps its name where the other one is taken.
    ///
    /// Most servers' `RENAME` refuses what is there. Where it does not, an empty file takes the name first.
    func move(_ source: ProviderPath) async throws {
        guard try await host.isHonest(beside: path, session), !host.renamesAsOpenSSH(session), try await renameReplaces() else {
            return try await provider.rename(source, to: path, session)
        }
        do { try await replaceEmpty(by: source) } catch {
            if try await provider.item(source, session) == nil { throw provider.missing(source, isWriting: true) }
            throw error
        }
    }

    private func replaceEmpty(by source: ProviderPath) async throws {
        if !isTaken.value { try await take() }
        let replacement = SFTPReplacement(provider: provider, path: path, session: session)
        if let reply = try await replacement.renameInOneStep(source) {
            throw try await provider.refusal(reply, ofWriting: path, session)
        }
        isTaken.update { $0 = false }
    }

    /// Whether one of the server's renamings takes away what has the name.
    private func replaces() async throws -> Bool {
        if host.has(.posixRename, session) { return true }
        return try await renameReplaces()
    }

    /// Whether `RENAME` takes away what has the name; tried once with two empty files.
    private func renameReplaces() async throws -> Bool {
        if let known = host.replaces { return known }
        let names = try [TemporaryName.make(beside: path), TemporaryName.make(beside: path)]
        let places = names.map(host.bytes)
        do {
            // One after the other: a server may have one handle to give.
            var made = 0
            for place in places where try await makeEmpty(place).status == nil { made += 1 }
            let replies = try await send([.rename(places[0], to: places[1]), .remove(places[0]), .remove(places[1])])
            // Where nothing can be made, nothing is learned.
            guard made == places.count else { return true }
            let replaces = replies[0].status?.isOK == true
            host.replaces = replaces
            return replaces
        } catch {
            for name in names { await provider.removeLeft(name) }
            throw error
        }
    }

    private func take() async throws {
        let reply = try await makeEmpty(host.bytes(of: path)) { isTaken.update { $0 = true } }
        guard case .handle = reply else {
            if try await provider.isThere(path, session) { throw taken }
            throw try await provider.refusal(reply, ofWriting: path, session)
        }
    }

    /// Makes an empty file where nothing is, and closes it.
    ///
    /// - Parameter note: Called when it is there.
    /// - Returns: The reply to the opening.
    private func makeEmpty(_ place: [UInt8], _ note: () -> Void = {}) async throws -> SFTPReply {
        let reply = try await provider.connection.open([.open(place, [.write, .create, .exclusive])], session)[0]
        guard case .handle(let handle) = reply else { return reply }
        note()
        _ = try await send([.close(handle)])
        return reply
    }

    /// For servers that cannot do both in one step.
    private func renameAfterLook(_ source: ProviderPath) async throws {
        if try await provider.isThere(path, session) { throw taken }
        try await provider.rename(source, to: path, session)
    }

    private var taken: CocoaError { FileError.make(.fileWriteFileExists, path: path, url: provider.url(of: path)) }

    private func send(_ requests: [SFTPRequest]) async throws -> [SFTPReply] { try await provider.connection.send(requests, session) }
}
