import FileProviderCore
public import Foundation

/// An SFTP server's address, and what is known of it: a value without secrets, to be kept.
public struct SFTPConfiguration: Codable, Hashable, Sendable {
    /// Who speaks SSH.
    public enum Transport: String, Codable, Hashable, Sendable, CaseIterable {
        /// libssh2, or the system's `ssh` program where ssh's configuration asks for what libssh2 does not have, or
        /// where a login by an RSA key fails because libssh2 is too old for it.
        case automatic = "auto"
        /// libssh2, in this process. The program is asked what ssh's configuration says, and connects nowhere.
        case embedded = "libssh2"
        /// The system's `ssh` program, with everything that its user has configured: jump hosts, RSA keys, hardware
        /// keys.
        case program = "ssh"
    }

    /// The root folder, with the scheme `sftp`.
    public let baseURL: URL
    /// Who logs in with a key, and with a password that names nobody; nil for whom ssh's configuration names, else this
    /// process's user.
    public var user: String?
    /// ``Transport/automatic`` unless said otherwise.
    public var transport = Transport.automatic
    /// Whether hosts are looked up in the user's `~/.ssh/config` and in `/etc/ssh/ssh_config` (ssh_config(5)). `ssh -G`
    /// reads them, once for each host in a process, and runs what `Match exec` says there. Without the ssh program
    /// nothing of them is followed.
    public var readsSSHConfig = true
    /// Whether the account's shell may be used, for hashes of files (`FileProviderChecksums`). What it reads is the
    /// shell's path, not SFTP's, where these differ.
    public var usesShell = false
    /// Whether the server brings a file to its disk (`fsync@openssh.com`) before it gets its name. Costs no round trip,
    /// and the time that the disk takes.
    public var syncs = true
    /// SSH connections at most, 1 or more, and no more than `ConnectionOptions.connectionsPerHost`: one encrypts on one
    /// processor. The second one is made for the first file of 8 MiB or more.
    public var connections = 3
    /// Channels for large files on each connection, 1 or more: the server's window bounds what one carries over a
    /// distance. With the ssh program each is a process and a login.
    public var channels = 2

    /// Keeps `baseURL` without user, password, query and fragment, and its user beside it; secrets come with the
    /// `ConnectionOptions`.
    public init(baseURL: URL) {
        self.baseURL = baseURL.withoutSecrets
        user = baseURL.user(percentEncoded: false)
    }
}

extension SFTPConfiguration {
    /// The names of the settings: `transport` (`auto`, `libssh2` or `ssh`), `config` (`yes` or `no`), `shell` (`yes` or
    /// `no`), `sync` (`yes` or `no`), `connections` (1 to 16) and `channels` (1 to 16).
    static let settingNames: Set<String> = ["transport", "config", "shell", "sync", "connections", "channels"]

    /// - Throws: `CocoaError(.featureUnsupported)` naming the setting whose value makes no sense.
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
                    sentence: "“\(text)” is no value of the setting “\(name)” of SFTP.")
            }
        }
    }
}
