import FileProviderCore
import Foundation
import SFTPEngine

/// Renames a complete file to its final name, across retries, then removes what the retries left behind.
struct SFTPPlacement: Sendable {
    let provider: SFTPFileProvider
    let path: ProviderPath
    let state: LockedValue<SFTPWriteState>

    private var connection: SFTPConnection { provider.connection }
    private var host: SFTPHost { provider.connection.host }

    /// Runs `body`, then removes the displaced file. If `body` fails, moves the displaced file back and removes the
    /// placeholder.
    ///
    /// - Throws: The error of `body`. If the displaced file could not be moved back, an error that says where it is.
    func run(_ body: () async throws -> Void) async throws {
        do { try await body() } catch {
            let failure = await putBack(after: error)
            if state.value.stage == .placeholder { await removePlaceholder() }
            throw failure
        }
        // The new file is in place; the displaced one is only clutter now.
        if let displaced = state.value.displaced { await provider.removeLeftover(displaced) }
        state.update { $0.stage = .placed }
    }

    /// Renames `source`, an uploaded file, to the path.
    func rename(_ source: ProviderPath, overwrite: Bool, on session: SFTPSession) async throws {
        if overwrite { return try await replace(by: source, on: session) }
        state.update { $0.stage = max($0.stage, .renaming) }
        try await SFTPNewName(provider: provider, path: path, session: session, state: state).rename(source)
    }

    /// Renames `source` to the path and replaces the file there.
    func replace(by source: ProviderPath, isFolder: Bool = false, on session: SFTPSession) async throws {
        state.update { $0.stage = max($0.stage, .renaming) }
        try await SFTPReplacement(provider: provider, path: path, session: session, state: state, isFolder: isFolder)
            .rename(source)
    }

    /// Renames `source`, an existing file, to the path, which must be free.
    func move(_ source: ProviderPath, on session: SFTPSession) async throws {
        state.update { $0.stage = max($0.stage, .renaming) }
        try await SFTPNewName(provider: provider, path: path, session: session, state: state).move(source)
    }

    /// Moves the displaced file back.
    ///
    /// - Returns: `error`, or an error that says where the displaced file is.
    private func putBack(after error: any Error) async -> any Error {
        guard let displaced = state.value.displaced else { return error }
        let isDisplaced = await withCancellationShield {
            try? await connection.run(path) { session in
                let reply = try await connection.send(
                    .rename(host.bytes(of: displaced), to: host.bytes(of: path)), session)
                if reply.status?.isOK == true { return false }
                if try await provider.item(displaced, session) == nil { return false }
                guard try await provider.item(path, session) != nil else { return true }
                // This write's file, or another writer's, has the name. The caller asked for the old one to be
                // replaced.
                return try await connection.send(.remove(host.bytes(of: displaced)), session).status?.isOK != true
            }
        }
        if isDisplaced == false {
            state.update { $0.stage = .renaming }
            return error
        }
        return FileError.make(
            .fileWriteUnknown, path: path, url: provider.url(of: path),
            sentence: "“\(path)” could not be replaced. The old file is now called “\(displaced)”.", underlying: error)
    }

    /// Removes the placeholder, unless another file has the name by now.
    private func removePlaceholder() async {
        let item = await withCancellationShield {
            try? await connection.run(path) { try await provider.item(path, $0) }
        }
        if let item, item.isRegularFile, item.size == 0 { await provider.removeLeftover(path) }
    }
}

extension SFTPFileProvider {
    /// Seconds for which a cancelled caller waits for the removal of a leftover.
    private static let removalTimeout = 3.0

    /// Removes a file that this process left, in a separate task because the current one may be cancelled. Ignores
    /// failures.
    ///
    /// - Parameter session: The session on which the file was opened. The removal arrives after the opening, even if
    ///   the caller didn't wait for that reply.
    func removeLeftover(_ path: ProviderPath, openedOn session: SFTPSession? = nil) async {
        let request = SFTPRequest.remove(connection.host.bytes(of: path))
        let removal = Task<Void, any Error> {
            // Retries once, in case the session was lost unnoticed.
            var alive = session?.ending == nil ? session : nil
            for _ in 0..<2 {
                let session = if let alive { alive } else { try await connection.pool.session() }
                // If the file was never created, the server replies that it is missing.
                if (try? await connection.send(request, session)) != nil { return }
                alive = nil
            }
        }
        if (try? await removal.sharedValue()) != nil || !Task.isCancelled { return }
        await withCancellationShield {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await removal.sharedValue() }
                group.addTask { try? await Task.sleep(for: .seconds(Self.removalTimeout)) }
                await group.next()
                group.cancelAll()
            }
        }
    }
}
