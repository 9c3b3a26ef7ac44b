import FileProviderCore
import Foundation

/// The user's and the machine's configuration of ssh, as far as it says how a host is reached and trusted. Source: ssh_config(5).
///
/// The files are read anew for each question; nothing is ever run.
package struct SSHConfig: Sendable {
    private let userFile: String?
    private let systemFile: String?
    private let account: SSHConfigAccount
    private let source: any SSHConfigSource

    /// `~/.ssh/config`, by `$HOME`, and `/etc/ssh/ssh_config`; a missing one says nothing.
    ///
    /// - Parameters:
    ///   - userFile: Another file in place of both, as with `ssh -F`; the empty text for none at all.
    ///   - environment: Its `HOME` is where `~` leads.
    package init(userFile: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment) {
        let account = SSHConfigAccount(environment: environment)
        self.init(
            userFile: userFile ?? account.home + "/.ssh/config", systemFile: userFile == nil ? "/etc/ssh/ssh_config" : nil,
            account: account,
            source: SSHConfigFiles())
    }

    init(userFile: String?, systemFile: String?, account: SSHConfigAccount, source: any SSHConfigSource) {
        self.userFile = userFile.flatMap { $0.isEmpty ? nil : $0 }
        self.systemFile = systemFile
        self.account = account
        self.source = source
    }

    /// How to reach and trust a host. Waits for the disk.
    ///
    /// - Parameters:
    ///   - host: As the user typed it, perhaps an alias that only the configuration knows.
    ///   - user: Nil where the user typed none; so `port`.
    /// - Throws: `CocoaError(.fileReadCorruptFile)`, with file and line, for a value that ssh refuses too, where it concerns this host;
    ///   `CocoaError(.fileReadNoPermission)` for a file that others may write to; `CocoaError(.fileReadTooLarge)` for files that are too
    ///   large, too many or include each other too deeply; `URLError(.badURL)` for a host that is none.
    package func settings(host: String, user: String? = nil, port: Int? = nil) throws -> SSHHostSettings {
        guard (1...255).contains(host.utf8.count), !host.hasPrefix("-"), host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw FileError.make(.badURL, url: nil, sentence: "“\(host)” is not the name of a host.")
        }
        var reader = SSHConfigReader(host: host, user: user, account: account, source: source)
        if let userFile { try reader.read(userFile, origin: .user) }
        if let systemFile { try reader.read(systemFile, origin: .system) }
        return try SSHHostSettings(reader.values, host: host, user: user, port: port, account: account)
    }
}
