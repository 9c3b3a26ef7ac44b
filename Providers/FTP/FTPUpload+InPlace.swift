import CurlTransport
import FileProviderCore
import Foundation

extension FTPUpload {
    /// `STOR` to the name itself.
    func writeInPlace() async throws -> FileObject {
        if options.overwrite || !isSmall {
            try await connection.run(path) { session in
                if options.overwrite, let item = try await provider.item(path, session) {
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
            // In clear, what was sent with its length and taken with 226 has arrived: TCP tells the server of an end that is none, and TLS
            // need not. Of the rest, the size is looked at.
            if isLarge || source.length == 0 || options.modificationDate != nil || connection.isEncrypted {
                try await connection.run(path) { session in
                    let name = try session.host.bytes(of: path)
                    let time = try timeCommand(name)
                    let commands = session.binary + [time?.command].compactMap(\.self) + [try FTPCommand("SIZE", name)]
                    let outcome = try await session.sendTogether(commands)
                    noteTime(time?.way, outcome, session.host)
                    try verify(outcome, count)
                }
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

    /// Removes a file that nobody has written anything into: servers that find no data connection may leave one.
    private func removeEmpty(_ place: ProviderPath) async {
        await connection.tidy { session in
            let name = try session.host.bytes(of: place)
            guard try await session.send(session.binary + [FTPCommand("SIZE", name)]).size == 0 else { return }
            _ = try await session.send([FTPCommand("DELE", name)])
        }
    }
}
