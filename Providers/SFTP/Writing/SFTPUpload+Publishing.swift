import FileProviderCore
import Foundation
import SFTPEngine

extension SFTPUpload {
    /// Writes to a temporary name, then renames the complete file to the path in one step.
    func publish() async throws -> FileObject {
        let part = try partPath()
        state.update { $0.location = part }
        do {
            let sent = try await send()
            try Task.checkCancellation()
            // From here on the result is complete or none, cancelled or not.
            return try await withCancellationShield {
                try await putInPlace(sent)
                return finished(sent)
            }
        } catch {
            let error = await explained(error)
            if !keepsPart { await removeNow() }
            throw error
        }
    }

    /// Some servers report a full disk as "failure" only. Asks such a server for the space that is left.
    private func explained(_ error: any Error) async -> any Error {
        guard let failure = error as? SFTPStatusError, failure.code == .failure, let session = state.value.session,
            host.has(.statvfs, session)
        else { return error }
        let folder = host.bytes(of: path.parent ?? .root)
        guard case .extended(let reply)? = try? await connection.send(.statvfs(folder), session),
            let volume = try? SFTPVolume(reply: reply),
            volume.available < UInt64(clamping: max(1, source.length ?? 1))
        else { return error }
        return FileError.make(.fileWriteOutOfSpace, path: path, url: provider.url(of: path), underlying: failure)
    }

    private func putInPlace(_ sent: Sent) async throws {
        let placement = SFTPPlacement(provider: provider, path: path, state: state)
        try await placement.run {
            try await connection.run(path) { session in
                // The reply to an earlier try may be lost: then the file has its name already.
                if state.value.stage >= .renaming, try await wasRenamed(sent, on: session) { return }
                try await placement.rename(location, overwrite: options.overwrite, on: session)
            }
        }
    }

    /// Whether an earlier try has renamed the file. If the file has both names, removes the temporary one.
    private func wasRenamed(_ sent: Sent, on session: SFTPSession) async throws -> Bool {
        let part = location
        let replies = try await connection.send([.lstat(host.bytes(of: part)), .lstat(host.bytes(of: path))], session)
        guard try provider.item(replies[1], at: path)?.size == sent.count else { return false }
        guard try provider.item(replies[0], at: part) != nil else { return true }
        guard !options.overwrite, case .attributes(let attributes) = replies[0],
            try await isLinked(attributes, on: session)
        else {
            return false
        }
        _ = try await connection.send(.remove(host.bytes(of: part)), session)
        return true
    }

    /// Whether the file has both names: sets a mark at the one and looks for it at the other.
    ///
    /// - Parameter attributes: Those of the file at the location.
    private func isLinked(_ attributes: SFTPAttributes, on session: SFTPSession) async throws -> Bool {
        guard let times = attributes.times else { return false }
        // The mark is a time of access, which hardly any program reads.
        let mark = UInt32.random(in: 1..<1 << 30)
        let replies = try await connection.send(
            [
                .setstat(
                    host.bytes(of: location), SFTPAttributes(times: (access: mark, modification: times.modification))),
                .lstat(host.bytes(of: path)),
            ], session)
        guard case .attributes(let found) = replies[1] else { return false }
        return found.times?.access == mark
    }
}
