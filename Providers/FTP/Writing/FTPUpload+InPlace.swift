import CurlTransport
import FileProviderCore
import Foundation

extension FTPUpload {
    /// `STOR` to the name itself.
    func writeInPlace() async throws -> FileObject {
        if options.overwrite || !isSmall {
            try await connection.run(path) { session in
                if options.overwrite, let item = try await provider.sight(path, session).item {
                    before.update { $0 = item }
                    if item.isDirectory { try await provider.removeOne(item, session) }
                    isFree.update { $0 = true }
                } else {
                    try await refuseTaken(session)
                }
            }
        }
        do {
            let sent = try await send()
            try await compare(sent, at: path)
            let count = sent.count
            if !isTold.value || options.modificationDate != nil {
                try await connection.run(path) { try await lookInPlace(count, $0) }
            }
            return finished(count)
        } catch {
            // What has come to a name that was free is nobody else's, once the server has begun to store it.
            if !options.overwrite, isFree.value, !error.isFileExists, !error.isNoSuchFile {
                if isStored.value { await removeNow(path) } else { await removeEmpty(path) }
            }
            throw error
        }
    }

    /// Sets the time, and looks at the size.
    private func lookInPlace(_ count: Int64, _ session: FTPSession) async throws {
        let name = try session.host.bytes(of: path)
        let time = try timeCommand(name)
        let commands = session.binary + [time?.command].compactMap(\.self) + [try FTPCommand("SIZE", name)]
        let outcome = try await session.sendTogether(commands)
        noteTime(time?.way, outcome, session.host)
        if try !verify(outcome, count) { try await look(for: count, at: path, session) }
    }

    /// Removes a file that nobody has written anything into: servers that find no data connection may leave one.
    private func removeEmpty(_ place: ProviderPath) async {
        await connection.tidy { session in
            let name = try session.host.bytes(of: place)
            guard try await session.send(session.binary + [FTPCommand("SIZE", name)]).size == 0 else { return }
            _ = try await session.send([FTPCommand("DELE", name)])
        }
    }
}
