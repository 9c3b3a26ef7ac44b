import FileProviderCore
import Foundation
import SFTPEngine

/// A file gets its name when all of it is on the server.
extension SFTPUpload {
    /// Under a temporary name, and then in one step under its own.
    func publish() async throws -> FileObject {
        let part = try partPath()
        do {
            let sent = try await send(to: part)
            try Task.checkCancellation()
            // From here on the file is there or not, cancelled or not.
            return try await withCancellationShield {
                try await putInPlace(part, sent)
                return finished(sent)
            }
        } catch {
            let error = await explained(error)
            if !keepsPart { await removeNow(part) }
            throw error
        }
    }

    /// Some servers have no more to say of a full disk than "failure": they are asked for its room.
    private func explained(_ error: any Error) async -> any Error {
        guard let told = error as? SFTPStatusError, told.code == .failure, let session = opening.value, host.has(.statvfs, session) else {
            return error
        }
        let folder = host.bytes(of: path.parent ?? .root)
        guard case .extended(let reply)? = try? await connection.send(.statvfs(folder), session),
            let volume = try? SFTPVolume(reply: reply),
            volume.available < UInt64(clamping: max(1, source.length ?? 1))
        else { return error }
        return FileError.make(.fileWriteOutOfSpace, path: path, url: provider.url(of: path), underlying: told)
    }

    private func putInPlace(_ part: ProviderPath, _ sent: Sent) async throws {
        let wasTried = Locked(false)
        let placing = SFTPPlacing(provider: provider, path: path)
        try await placing.run {
            try await connection.run(path) { session in
                // The answer to a renaming may have been lost: then the file is where it belongs.
                if wasTried.value, try await wasRenamed(part, sent.count, session) { return }
                wasTried.update { $0 = true }
                try await placing.rename(part, overwrite: options.overwrite, session)
            }
        }
    }

    private func wasRenamed(_ part: ProviderPath, _ count: Int64, _ session: SFTPSession) async throws -> Bool {
        let replies = try await connection.send([.lstat(host.bytes(of: part)), .lstat(host.bytes(of: path))], session)
        guard try provider.item(replies[1], at: path)?.size == count else { return false }
        guard try provider.item(replies[0], at: part) != nil else { return true }
        guard !options.overwrite, case .attributes(let attributes) = replies[0], try await isLinked(part, attributes, session) else {
            return false
        }
        _ = try await connection.send(.remove(host.bytes(of: part)), session)
        return true
    }

    /// Whether the part has the name that it is to get as well: then a mark that is set at one shows at the other.
    private func isLinked(_ part: ProviderPath, _ attributes: SFTPAttributes, _ session: SFTPSession) async throws -> Bool {
        guard let times = attributes.times else { return false }
        // A time of access, of which nobody takes note.
        let mark = UInt32.random(in: 1..<1 << 30)
        let replies = try await connection.send(
            [
                .setstat(host.bytes(of: part), SFTPAttributes(times: (access: mark, modification: times.modification))),
                .lstat(host.bytes(of: path)),
            ], session)
        guard case .attributes(let found) = replies[1] else { return false }
        return found.times?.access == mark
    }
}
