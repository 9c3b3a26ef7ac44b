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

    /// The root folder: `ftp` (in clear), `ftpes` (explicit TLS) or `ftps` (implicit TLS).
    public let baseURL: URL
    /// ``DataMode/passive`` unless said otherwise.
    public var dataMode: DataMode

    /// Keeps `baseURL` without user, password, query and fragment; credentials come with the `ConnectionOptions`.
    public init(baseURL: URL, dataMode: DataMode = .passive) {
        self.baseURL = baseURL.withoutSecrets
        self.dataMode = dataMode
    }
}
