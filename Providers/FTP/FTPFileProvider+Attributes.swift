import CurlTransport
public import FileProviderCore
public import Foundation

extension FTPFileProvider: FileProviderAttributes {
    /// Sets permissions with `SITE CHMOD`, and the time with `MFMT` (draft-somers-ftp-mfxx), `SITE UTIME`, or `MDTM`
    /// with a time before the name, whichever the server accepts.
    ///
    /// - Complexity: One round trip for each.
    public func setAttributes(path: ProviderPath, permissions: UInt16?, modificationDate: Date?) async throws {
        defer { cache.drop(path) }
        try await connection.run(path) { session in
            let name = try session.host.bytes(of: path)
            if let permissions {
                let mode = Array("CHMOD \(String(permissions & 0o7777, radix: 8)) ".utf8)
                let reply = try await session.send([FTPCommand("SITE", argument: mode + name)])["SITE"]
                if let reply, !reply.isPositive {
                    throw try await self.refusal(reply, "set permissions", path, session)
                }
            }
            if let modificationDate {
                try await self.setTime(modificationDate, path: path, name: name, session: session)
            }
        }
    }

    private func setTime(_ date: Date, path: ProviderPath, name: [UInt8], session: FTPSession) async throws {
        while let way = timeCommand, let command = try way.command(date, name) {
            guard let reply = try await session.send([command])[command.verb], !reply.isPositive else { return }
            guard way.isUnknown(reply) else { throw try await refusal(reply, "set times", path, session) }
            if reply.code == 550, try await item(path, session) == nil { throw missing(path, isWriting: true) }
            session.host.lacks(way, by: reply)
        }
        throw FileError.unsupported("set times", by: Self.type, path: path, url: url(of: path))
    }

    private func refusal(_ reply: FTPReply, _ what: String, _ path: ProviderPath, _ session: FTPSession) async throws
        -> any Error
    {
        if FileProviderFTPErrorCode(rawValue: reply.code).isUnknownCommand {
            return FileError.unsupported(what, by: Self.type, path: path, url: url(of: path))
        }
        return try await refusal(reply, ofChanging: path, session)
    }

    /// The command that sets a time; nil if the server is not known to have one.
    var timeCommand: FTPTimeCommand? {
        let host = connection.host
        guard let features = host.features else { return nil }
        return FTPTimeCommand.allCases.first { host.mayKnow($0.rawValue) && $0.isOffered(features) }
    }
}

extension FTPHost {
    /// Notes that the server does not know `way`; if it does not know `SITE UTIME` at all, both forms of it.
    func lacks(_ way: FTPTimeCommand, by reply: FTPReply) {
        lacks(way.rawValue)
        if way == .utime, reply.code != 501 { lacks(FTPTimeCommand.longUtime.rawValue) }
    }
}

/// A command that sets a file's modification time. The raw value is the name under which ``FTPHost`` notes that the
/// server does not know it.
enum FTPTimeCommand: String, CaseIterable {
    /// draft-somers-ftp-mfxx.
    case mfmt = "MFMT"
    case utime = "SITE UTIME"
    /// The access, modification and creation times after the name, as some servers expect them.
    case longUtime = "SITE UTIME with three times"
    /// vsftpd and others set the time of a file if a time comes before its name. To the rest, time and name together
    /// are the name of a missing file.
    case mdtm = "MDTM with a time"

    var verb: String {
        switch self {
        case .mfmt: "MFMT"
        case .utime, .longUtime: "SITE"
        case .mdtm: "MDTM"
        }
    }

    func isOffered(_ features: FTPFeatures) -> Bool {
        switch self {
        case .mfmt: features.has("MFMT")
        case .utime, .longUtime: features.hasSite("UTIME")
        case .mdtm: features.has("MDTM") && !features.hasMachineListings
        }
    }

    /// The command, or nil if the year does not have four digits.
    func command(_ date: Date, _ name: [UInt8]) throws -> FTPCommand? {
        guard let text = FTPDate.text(date) else { return nil }
        if self == .longUtime {
            return try FTPCommand(
                verb, argument: Array("UTIME ".utf8) + name + Array(" \(text) \(text) \(text) UTC".utf8))
        }
        return try FTPCommand(verb, argument: Array((self == .utime ? "UTIME \(text) " : "\(text) ").utf8) + name)
    }

    /// Whether `reply`, to this command for an existing file, means that the server does not know the command.
    func isUnknown(_ reply: FTPReply) -> Bool {
        [500, 502, 504].contains(reply.code) || [.utime, .longUtime].contains(self) && reply.code == 501
            || self == .mdtm && [501, 550].contains(reply.code)
    }
}
