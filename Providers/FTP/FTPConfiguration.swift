import FileProviderCore
public import Foundation

/// The address and the settings of an FTP server, without secrets. Can be stored.
public struct FTPConfiguration: Codable, Hashable, Sendable {
    /// Which side opens data connections, and with which command.
    public enum DataMode: String, Codable, Hashable, Sendable, CaseIterable {
        /// `EPSV` (RFC 2428). If the server refuses it, `PASV` (RFC 959) from then on.
        case passive
        /// Only `PASV`.
        case ipv4Passive
        /// The server connects to this machine: `EPRT` (RFC 2428), or `PORT` (RFC 959) if the server refuses `EPRT`.
        case active
    }

    /// How an upload is verified.
    public enum Verification: String, Codable, Hashable, Sendable, CaseIterable {
        /// By the number of bytes. A resumed upload is also verified by a hash, if the server offers one.
        case size
        /// By a hash that the server computes (`HASH`, `MD5`, `XSHA256` and similar), if it offers one. Costs one more
        /// round trip for each file, and the server reads the file once more.
        case hash
    }

    /// The URL of the root folder, with the scheme `ftp` (in clear), `ftpes` (explicit TLS) or `ftps` (implicit TLS).
    public let baseURL: URL
    /// Which side opens data connections. The default is ``DataMode/passive``.
    public var dataMode = DataMode.passive
    /// The identifier of the server's time zone, as `TimeZone(identifier:)` accepts it, for the dates of `LIST`; nil
    /// for UTC. Each date is read with the offset that was in force on it. Machine-readable listings are always in UTC.
    public var timeZone: String?
    /// Whether versions above TLS 1.2 are offered. The default is false: many servers require data connections to
    /// resume the TLS session of the control connection, and uploads over TLS 1.3 may lose their end with this libcurl.
    public var offersNewestTLS = false
    /// How uploads are verified. The default is ``Verification/size``.
    public var verification = Verification.size
    var charset = FTPCharset.utf8

    /// The IANA name of the character set of file names. The default is `utf-8`.
    public var charsetName: String { charset.name }

    /// Creates a configuration from `baseURL`, without its user, password, query and fragment. Credentials come from
    /// the `ConnectionOptions`.
    public init(baseURL: URL) {
        self.baseURL = baseURL.withoutSecrets
    }

    /// Sets the character set of file names by its IANA name, such as `windows-1251`.
    ///
    /// - Throws: `CocoaError(.fileReadUnknownStringEncoding)` for a name that this system does not know, and for a
    ///   character set that encodes ASCII differently.
    public mutating func setCharset(_ name: String) throws { charset = try FTPCharset(name) }
}

extension FTPConfiguration {
    /// The names of the settings: `charset`, `data` (`passive`, `ipv4passive` or `active`), `time-zone`, `tls` (`1.2`
    /// or `newest`) and `verify` (`size` or `hash`).
    static let settingNames: Set<String> = ["charset", "data", "time-zone", "tls", "verify"]

    /// - Throws: `CocoaError(.featureUnsupported)` for a value that the setting does not accept;
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
                    sentence: "“\(value)” is not a value of the FTP setting “\(name)”.")
            }
        }
    }
}
