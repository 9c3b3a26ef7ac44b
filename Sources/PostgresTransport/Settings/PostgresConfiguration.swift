import FileProviderCore
import Foundation

/// Where a PostgreSQL database is, without secrets, and how long to wait for it.
///
/// The password comes from `PGPASSWORD`, the password file, or ``PostgresConnection``'s `password`. A server that is not
/// on this machine has to show a certificate for its name that the system trusts (`sslmode=verify-full`), unless the URL
/// sets `sslmode`; `sslrootcert` names other authorities.
public struct PostgresConfiguration: Codable, Equatable, Sendable, CustomStringConvertible {
    /// `postgresql://user@host:port/database?sslmode=…`, also with several hosts, which are tried in order.
    public let url: String
    /// Seconds in which each host has to open a connection. libpq looks up names before; that time is not limited here.
    public var connectTimeout: Double = 10
    /// Seconds without anything sent or received while the server owes a result, after which the connection is given
    /// up. The server ends a statement shortly before, unless `statement_timeout` is set for the user or the database.
    public var idleLimit: Double = 30
    /// The most bytes of all results of one call that are kept. A single row is received whole before it is refused.
    public var answerLimit: Int = 64 << 20

    /// A database by its URL. Source: PostgreSQL 15 manual, 34.1.1.2.
    ///
    /// - Throws: `URLError(.badURL)` if it is none, or contains a password.
    public init(_ url: String) throws {
        _ = try PostgresURL(url)
        self.url = url
    }

    private enum CodingKeys: CodingKey {
        case url, connectTimeout, idleLimit, answerLimit
    }

    /// - Throws: `DecodingError`; `URLError(.badURL)` as ``init(_:)``.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(values.decode(String.self, forKey: .url))
        connectTimeout = try values.decodeIfPresent(Double.self, forKey: .connectTimeout) ?? connectTimeout
        idleLimit = try values.decodeIfPresent(Double.self, forKey: .idleLimit) ?? idleLimit
        answerLimit = try values.decodeIfPresent(Int.self, forKey: .answerLimit) ?? answerLimit
    }

    /// The URL without its parameters.
    public var description: String { String(url.prefix { $0 != "?" }) }

    var errors: PostgresErrors {
        let server = (try? PostgresURL(url))?.shownServer ?? "the server"
        return PostgresErrors(server: server, url: URL(string: description)?.withoutSecrets)
    }
}
