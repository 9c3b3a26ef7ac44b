import FileProviderCore
import Foundation

/// The host keys that this machine and this user know, in ssh's files. Source: sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT".
///
/// Rereads the files on every call, line by line, so every call waits for the disk.
package struct KnownHosts: Sendable, Hashable {
    /// Searched in this order. A missing file is an empty one. New keys go to the first.
    package let userFiles: [String]
    package let systemFiles: [String]

    /// - Parameters:
    ///   - userFiles: Paths of this machine.
    ///   - systemFiles: As ssh, `/etc/ssh/ssh_known_hosts` and its second.
    package init(userFiles: [String], systemFiles: [String] = KnownHosts.usualSystemFiles) {
        self.userFiles = userFiles
        self.systemFiles = systemFiles
    }

    /// The user's own files, by `$HOME`, and the machine's.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let folder = (environment["HOME"] ?? "") + "/.ssh/"
        self.init(userFiles: [folder + "known_hosts", folder + "known_hosts2"])
    }

    package static let usualSystemFiles = ["/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"]

    /// Returns all entries for a host.
    ///
    /// - Parameters:
    ///   - host: As the user typed it, an IPv6 address with or without brackets; or the alias that `HostKeyAlias`
    ///     gives, with port 22.
    /// - Throws: The error of open(2) for a file that exists but cannot be read, because a revoked key in it would be
    ///   missed. `CocoaError(.fileReadTooLarge)` for a file over 64 MiB, or with more than 10,000 lines for the host.
    package func entries(host: String, port: Int) throws -> KnownHostEntries {
        var entries = KnownHostEntries()
        let name = KnownHostName(host: host, port: port)
        for file in userFiles + systemFiles {
            var parser = KnownHostsParser(name: name, file: file)
            try KnownHostsFile.read(file) { parser.take($0) }
            parser.finish()
            if parser.isOverfull { throw Self.tooManyLines(file, host: host) }
            entries.entries += parser.entries
            entries.addSkipped(parser.skippedLines, count: parser.skippedCount)
        }
        return entries
    }

    private static func tooManyLines(_ file: String, host: String) -> CocoaError {
        FileError.make(.fileReadTooLarge, path: file, sentence: "“\(file)” has more lines for “\(host)” than are read.")
    }

    /// Looks up `key` for this host. Throws as ``entries(host:port:)``.
    package func verdict(host: String, port: Int, key: HostKey) throws -> HostKeyVerdict {
        try entries(host: host, port: port).verdict(of: key)
    }

    /// Returns the types of the known keys for this host, to be asked for first. Throws as ``entries(host:port:)``.
    package func keyTypes(host: String, port: Int) throws -> [String] {
        try entries(host: host, port: port).keyTypes
    }
}

/// The result of comparing a server's key with the known ones.
package enum HostKeyVerdict: Sendable, Equatable {
    case known
    /// No key is known for this host.
    case unknown
    /// Only other keys are known, perhaps of other types.
    case changed(known: [KnownHostEntry])
    /// The key was revoked and must never be accepted.
    case revoked(KnownHostEntry)
    /// Only an authority is known. It can vouch for certificates, not for this plain key.
    case authorityOnly(KnownHostEntry)
}

/// A line of a file of known keys.
package struct KnownHostEntry: Sendable, Hashable {
    package enum Marker: Sendable, Hashable {
        case none, authority, revoked
    }

    package let key: HostKey
    package let marker: Marker
    /// A path of this machine, and the line's number from 1.
    package let file: String
    package let line: Int
    /// False if the line names the host without its non-default port.
    package let hasPort: Bool

    /// `file:line`
    package var location: String { "\(file):\(line)" }
}

/// The lines that name one host.
package struct KnownHostEntries: Sendable {
    package internal(set) var entries: [KnownHostEntry] = []
    /// The first lines that could not be read, as `file:line`; at most ten. Those that name other hosts clearly are not
    /// among them.
    package private(set) var skippedLines: [String] = []
    package private(set) var skippedCount = 0

    mutating func addSkipped(_ locations: [String], count: Int) {
        skippedLines += locations.prefix(KnownHostsParser.maxSkippedLines - skippedLines.count)
        skippedCount += count
    }

    /// As ssh(1): one key that fits is enough; any other known one makes a change of it; a line without the port counts
    /// when it fits.
    package func verdict(of key: HostKey) -> HostKeyVerdict {
        if let revoked = entries.first(where: { $0.marker == .revoked && $0.key == key }) { return .revoked(revoked) }
        let plain = entries.filter { $0.marker == .none }
        if plain.contains(where: { $0.key == key }) { return .known }
        let others = plain.filter(\.hasPort)
        if !others.isEmpty { return .changed(known: others) }
        if let authority = entries.first(where: { $0.marker == .authority }) { return .authorityOnly(authority) }
        return .unknown
    }

    /// Each once, in the files' order; `ssh-rsa` stands for all signatures that RSA keys make.
    package var keyTypes: [String] {
        let plain = entries.filter { $0.marker == .none }
        let own = plain.filter(\.hasPort)
        var types: [String] = []
        for entry in own.isEmpty ? plain : own where !types.contains(entry.key.type) { types.append(entry.key.type) }
        return types
    }
}
