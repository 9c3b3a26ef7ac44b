import FileProviderCore
import Foundation
import SFTPEngine

/// The way of a file that is whole to its name, over all tries: what they have left on the server goes in the end.
struct SFTPPlacing: Sendable {
    let provider: SFTPFileProvider
    let path: ProviderPath
    /// Where what was at the name has been moved, or may have been.
    let old = Locked<ProviderPath?>(nil)
    /// Whether an empty file holds the name.
    let isTaken = Locked(false)

    private var connection: SFTPConnection { provider.connection }
    private var host: SFTPHost { provider.connection.host }

    /// Runs `tries`; then nothing is left of what ``old`` and ``isTaken`` tell, or the error tells it.
    func run(_ tries: () async throws -> Void) async throws {
        do { try await tries() } catch {
            let told = await putBack(after: error)
            if isTaken.value { await removeEmpty() }
            throw told
        }
        // The new one is in its place, and the old one in nobody's way but that of order.
        if let old = old.value { await provider.removeLeft(old) }
    }

    /// Renames `source` to the path.
    func rename(_ source: ProviderPath, overwrite: Bool, _ session: SFTPSession) async throws {
        if overwrite {
            try await SFTPReplacement(provider: provider, path: path, session: session, old: old).rename(source)
        } else {
            try await SFTPNewName(provider: provider, path: path, session: session, isTaken: isTaken).rename(source)
        }
    }

    /// - Returns: `error`, or what tells where the old file is.
    private func putBack(after error: any Error) async -> any Error {
        guard let old = old.value else { return error }
        let isAside = await withCancellationShield {
            try? await connection.run(path) { session in
                let reply = try await connection.send(.rename(host.bytes(of: old), to: host.bytes(of: path)), session)
                if reply.status?.isOK == true { return false }
                if try await provider.item(old, session) == nil { return false }
                guard try await provider.item(path, session) != nil else { return true }
                // Another writer's version, or this one's after all, has come in its place, as was asked for.
                return try await connection.send(.remove(host.bytes(of: old)), session).status?.isOK != true
            }
        }
        if isAside == false { return error }
        return FileError.make(
            .fileWriteUnknown, path: path, url: provider.url(of: path),
            sentence: "“\(path)” could not be replaced; what was there is now “\(old)”.", underlying: error)
    }

    /// Removes the empty file that has held the name, unless it is something else by now.
    private func removeEmpty() async {
        let item = await withCancellationShield { try? await connection.run(path) { try await provider.item(path, $0) } }
        if let item, item.isRegularFile, item.size == 0 { await provider.removeLeft(path) }
    }
}

extension SFTPFileProvider {
    /// Seconds for which somebody who is cancelled waits until the server has removed what was left.
    private static let farewell = 3.0

    /// Removes a file that nobody is to find, in a task of its own: this one may be cancelled. What cannot be removed is left.
    ///
    /// - Parameter session: Where the file was opened: what is asked there comes after the opening, whoever waited for that.
    func removeLeft(_ place: ProviderPath, openedOn session: SFTPSession? = nil) async {
        let request = SFTPRequest.remove(connection.host.bytes(of: place))
        let removal = Task<Void, any Error> {
            // The second try is for a session of which nobody knew that it was lost.
            var alive = session?.ending == nil ? session : nil
            for _ in 0..<2 {
                let session = if let alive { alive } else { try await connection.pool.session() }
                // Of a name that was never made, the server says that it is not there.
                if (try? await connection.send(request, session)) != nil { return }
                alive = nil
            }
        }
        if (try? await removal.sharedValue()) != nil || !Task.isCancelled { return }
        await withCancellationShield {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await removal.sharedValue() }
                group.addTask { try? await Task.sleep(for: .seconds(Self.farewell)) }
                await group.next()
                group.cancelAll()
            }
        }
    }
}
