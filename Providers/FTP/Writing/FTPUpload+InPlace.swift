import CurlTransport
import FileProviderCore
import Foundation

extension FTPUpload {
    /// Writes to the path itself, by `STOR`.
    func writeInPlace() async throws -> FileObject {
        if options.overwrite || !isSmall {
            try await connection.run(path) { session in
                if options.overwrite, let item = try await provider.sight(path, session).item {
                    state.update { $0.previous = item }
                    if item.isDirectory { try await provider.removeOne(item, session) }
                    state.update { $0.isPathFree = true }
                } else {
                    try await refuseTaken(on: session)
                }
            }
        }
        do {
            let sent = try await send()
            try await compare(sent)
            if !state.value.isCountStated || options.modificationDate != nil {
                try await connection.run(path) { try await setTime(verifying: sent.count, on: $0) }
            }
            state.update { $0.stage = .placed }
            return finished(sent.count)
        } catch {
            // The path was free, so the file there is this upload's once the server has begun to store it.
            if !options.overwrite, state.value.isPathFree, !error.isFileExists, !error.isNoSuchFile {
                if state.value.stage == .storing { await removeNow() } else { await removeEmpty() }
            }
            throw error
        }
    }

    /// Sets the time and verifies the size.
    private func setTime(verifying count: Int64, on session: FTPSession) async throws {
        let name = try session.host.bytes(of: path)
        let time = try timeCommand(for: name)
        let commands = session.binary + [time?.command].compactMap(\.self) + [try FTPCommand("SIZE", argument: name)]
        let outcome = try await session.sendTogether(commands)
        noteTime(time?.way, in: outcome, from: session.host)
        if try !verify(outcome, has: count) { try await look(for: count, on: session) }
    }

    /// Removes an empty file, which a server may leave that finds no data connection.
    private func removeEmpty() async {
        await connection.tidy { session in
            let name = try session.host.bytes(of: path)
            guard try await session.send(session.binary + [FTPCommand("SIZE", argument: name)]).size == 0 else {
                return
            }
            _ = try await session.send([FTPCommand("DELE", argument: name)])
        }
    }
}
