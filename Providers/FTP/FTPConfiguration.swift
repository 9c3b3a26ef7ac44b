import FileProviderCore
public import Foundation

/// An FTP server's address, and what is known of it: a value without secrets, to be kept.
public struct FTPConfiguration: Codable, Hashable, Sendable {
    /// Who opens data connections, and with which command.
    public enum DataMode: String, Codable, Hashable, Sendable, CaseIterable {
        /// `EPSV` (RFC 2428), and `PASV` (RFC 959) from then on where that is refused.
        case passive
        /// `PASV` alone.
        case ipv4Passive
        /// The server connects to this machine: `EPRT` (RFC 2428), and `PORT` (RFC 959) where that is refused.
        case active
    }

    /// How an upload is known to have arrived as it was sent.
    public enum Verification: String, Codable, Hashable, Sendable, CaseIterable {
        /// By the number of bytes. One that went on behind a part also by a hash, where the server offers one.
        case size
        /// By a hash that the server computes (`HASH`, `MD5`, `XSHA256` and their like), where it offers one: a round
        /// trip more for each file, which the server reads once more.
        case hash
    }

    /// The root folder: `ftp` (in clear), `ftpes` (explicit TLS) or `ftps` (implicit TLS).
    public let baseURL: URL
    /// ``DataMode/passive`` unless said otherwise.
    public var dataMode = DataMode.passive
    /// The server's zone, for listings without one (`LIST`), as TimeZone(identifier:) takes it; nil for UTC. Each date
    /// is taken with the offset that held then. Machine-readable listings are in UTC always.
    public var timeZone: String?
    /// Whether more than TLS 1.2 is offered. Data connections have to go on with the session of the control connection
    /// on many servers, and uploads over TLS 1.3 may lose their end with this libcurl.
    public var offersNewestTLS = false
    /// ``Verification/size`` unless said otherwise.
    public var verification = Verification.size
    var charset = FTPCharset.utf8

    /// The IANA name of the character set of names; `utf-8` unless said otherwise.
    public var charsetName: String { charset.name }

    /// Keeps `baseURL` without user, password, query and fragment; credentials come with the `ConnectionOptions`.
    public init(baseURL: URL) {
        self.baseURL = baseURL.withoutSecrets
    }

    /// Takes a server's names for bytes in the character set of that IANA name, such as `windows-1251`.
    ///
    /// - Throws: `CocoaError(.fileReadUnknownStringEncoding)` for a name that this system does not know, and for a set
    ///   in which ASCII is written differently.
    public mutating func setCharset(_ name: String) throws { charset = try FTPCharset(name) }
}

extension FTPConfiguration {
    /// The names of the settings: `charset`, `data` (`passive`, `ipv4passive` or `active`), `time-zone`, `tls` (`1.2`
    /// or `newest`) and `verify` (`size` or `hash`).
    static let settingNames: Set<String> = ["charset", "data", "time-zone", "tls", "verify"]

    /// - Throws: `CocoaError(.featureUnsupported)` naming the setting whose value makes no sense;
    ///   `CocoaError(.fileReadUnknownStringEncoding)` for such a `charset`.
    init(baseURL: URL, settings: [String: String]) throws {
        self.init(baseURL: baseURL)
        for (name, value) in settings {
            switch (name, value.lowercased()) {
            case ("charset", _): try setCharset(value)
            case ("data", "passive"): dataMode = .passive
            case ("data", "ipv4passive"): dataMode = .ipv4Passive
            case ("data", "active"): dataMode = .active
            case ("time-zone", _) where TimeZone(identifier: value) != nil: timeZone = value
            case ("tls", "1.2"): offersNewestTLS = false
            case ("tls", "newest"): offersNewestTLS = true
            case ("verify", "size"): verification = .size
            case ("verify", "hash"): verification = .hash
            default:
                throw FileError.make(
                    .featureUnsupported, path: name, url: baseURL,
                    sentence: "“\(value)” is no value of the setting “\(name)” of FTP.")
            }
        }
    }
}
