import FileProviderCore
public import Foundation

/// The address and the settings of an SFTP server, without secrets. Can be stored.
public struct SFTPConfiguration: Codable, Hashable, Sendable {
    /// The SSH implementation to use.
    public enum Transport: String, Codable, Hashable, Sendable, CaseIterable {
        /// libssh2, or the system's `ssh` program if ssh's configuration asks for what libssh2 does not have, or if a
        /// login by an RSA key fails because libssh2 is too old for it.
        case automatic = "auto"
        /// libssh2, in this process. The program is only run to read ssh's configuration, and does not connect.
        case embedded = "libssh2"
        /// The system's `ssh` program, with everything that its user has configured: jump hosts, RSA keys, hardware
        /// keys.
        case program = "ssh"
    }

    /// The URL of the root folder, with the scheme `sftp`.
    public let baseURL: URL
    /// The user who logs in with a key, or with a password that has no user name; nil for the user of ssh's
    /// configuration, else the user of this process.
    public var user: String?
    /// The SSH implementation. The default is ``Transport/automatic``.
    public var transport = Transport.automatic
    /// Whether `~/.ssh/config` and `/etc/ssh/ssh_config` (ssh_config(5)) are followed. `ssh -G` reads them, once for
    /// each host in a process, and runs the commands of `Match exec`. Without the ssh program, they are not followed.
    public var readsSSHConfig = true
    /// Whether the account's shell may be used for checksums of files (`FileProviderChecksums`). The shell may see
    /// other paths than SFTP does.
    public var usesShell = false
    /// Whether the server writes a file to its disk (`fsync@openssh.com`) before the file gets its name. Costs no round
    /// trip, but the time that the disk takes.
    public var syncs = true
    /// The maximum number of SSH connections, 1 or more, and no more than `ConnectionOptions.connectionsPerHost`. Each
    /// connection encrypts on one processor. The second one is opened for the first file of 8 MiB or more.
    public var connections = 3
    /// Channels for large files on each connection, 1 or more. The server's window limits a channel's speed over a
    /// distance. With the ssh program, each channel is a process and a login.
    public var channels = 2

    /// Creates a configuration from `baseURL`, without its user, password, query and fragment. Keeps the user in
    /// ``user``; secrets come from the `ConnectionOptions`.
    public init(baseURL: URL) {
        self.baseURL = baseURL.withoutSecrets
        user = baseURL.user(percentEncoded: false)
    }
}

extension SFTPConfiguration {
    /// The names of the settings: `transport` (`auto`, `libssh2` or `ssh`), `config` (`yes` or `no`), `shell` (`yes` or
    /// `no`), `sync` (`yes` or `no`), `connections` (1 to 16) and `channels` (1 to 16).
    static let settingNames: Set<String> = ["transport", "config", "shell", "sync", "connections", "channels"]

    /// - Throws: `CocoaError(.featureUnsupported)` for a value that the setting does not accept.
    init(baseURL: URL, settings: [String: String]) throws {
        self.init(baseURL: baseURL)
        for (name, text) in settings {
            let value = text.lowercased()
            let isYes: Bool? = value == "yes" ? true : value == "no" ? false : nil
            let number = Int(value).flatMap { (1...16).contains($0) ? $0 : nil }
            switch (name, isYes, number) {
            case ("transport", _, _) where Transport(rawValue: value) != nil:
                transport = Transport(rawValue: value) ?? .automatic
            case ("config", let isYes?, _): readsSSHConfig = isYes
            case ("shell", let isYes?, _): usesShell = isYes
            case ("sync", let isYes?, _): syncs = isYes
            case ("connections", _, let number?): connections = number
            case ("channels", _, let number?): channels = number
            default:
                throw FileError.make(
                    .featureUnsupported, path: name, url: baseURL,
                    sentence: "“\(text)” is not a value of the SFTP setting “\(name)”.")
            }
        }
    }
}
