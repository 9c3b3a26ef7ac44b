import CurlTransport
public import FileProviderCore
public import Foundation

extension FTPFileProvider: FileProviderAttributes {
    /// By `SITE CHMOD`, and by `MFMT` (draft-somers-ftp-mfxx), `SITE UTIME`, or `MDTM` with a time in front where a server takes that.
    ///
    /// - Complexity: One round trip for each.
    public func setAttributes(path: ProviderPath, permissions: UInt16?, modificationDate: Date?) async throws {
        defer { cache.drop(path) }
        try await connection.run(path) { session in
            let name = try session.host.bytes(of: path)
            if let permissions {
                let mode = Array("CHMOD \(String(permissions & 0o7777, radix: 8)) ".utf8)
                let reply = try await session.send([FTPCommand("SITE", mode + name)])["SITE"]
                if let reply, !reply.isPositive { throw try await self.refusal(reply, "Setting permissions", path, session) }
            }
            guard let modificationDate else { return }
            guard let command = try self.timeCommand(session.host.features)?(modificationDate, name) else {
                throw FileError.unsupported("Setting times", path: path, url: self.url(of: path))
            }
            let reply = try await session.send([command])[command.verb]
            if let reply, !reply.isPositive { throw try await self.refusal(reply, "Setting times", path, session) }
        }
    }

    private func refusal(_ reply: FTPReply, _ what: String, _ path: ProviderPath, _ session: FTPSession) async throws -> any Error {
        if FileProviderFTPErrorCode(rawValue: reply.code).isUnknownCommand {
            return FileError.unsupported(what, path: path, url: url(of: path))
        }
        return try await refusal(reply, ofChanging: path, session)
    }

    /// Makes the command that sets a time; nil where the server is not known to have one.
    func timeCommand(_ features: FTPFeatures?) -> ((Date, [UInt8]) throws -> FTPCommand?)? {
        guard let features else { return nil }
        let space = [UInt8(ascii: " ")]
        func make(_ verb: String, _ word: String) -> (Date, [UInt8]) throws -> FTPCommand? {
            { date, name in try FTPDate.text(date).map { try FTPCommand(verb, Array(word.utf8) + Array($0.utf8) + space + name) } }
        }
        if features.has("MFMT") { return make("MFMT", "") }
        if features.hasSite("UTIME") { return make("SITE", "UTIME ") }
        // vsftpd and others set the time of a file whose name comes behind one; to the rest it is the name of a file that is not there.
        if features.has("MDTM"), !features.hasMachineListings { return make("MDTM", "") }
        return nil
    }
}
