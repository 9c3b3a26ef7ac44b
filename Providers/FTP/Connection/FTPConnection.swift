import CurlTransport
import FileProviderCore
import Foundation

/// Access to one FTP server: logs in, keeps connections, retries, and translates the server's refusals to Foundation's
/// errors.
final class FTPConnection: Sendable {
    /// The root's URL, without secrets.
    let baseURL: URL
    let options: ConnectionOptions
    let host: FTPHost
    let pool: FTPPool
    private let configuration: FTPConfiguration
    /// Whether commands and data are encrypted.
    let isEncrypted: Bool
    private let login: FTPAccess

    init(configuration: FTPConfiguration, user: String?, password: String?, options: ConnectionOptions) throws {
        let url = configuration.baseURL
        guard let name = url.host(), !name.isEmpty, let security = FTPConfiguration.security(of: url) else {
            throw FileError.make(
                .badURL, url: url, sentence: "“\(url.withoutSecrets.absoluteString)” is not an FTP address.")
        }
        baseURL = url.withoutSecrets
        isEncrypted = security != .none
        self.configuration = configuration
        self.options = options
        let origin = Origin(
            scheme: url.scheme ?? "ftp", host: name, port: url.port ?? (security == .implicit ? 990 : 21))
        let own = password.map { FixedCredential(.password(user: user ?? "", password: $0), for: origin) }
        let login = FTPAccess(
            origin: origin, user: user, credentials: own ?? options.credentials, options: options, url: baseURL)
        self.login = login
        let host = FTPHost(
            charset: configuration.charset,
            root: try ProviderPath(percentEncoded: configuration.baseURL.path(percentEncoded: true)))
        self.host = host
        let server = FTPServer(
            host: name.trimmingCharacters(in: CharacterSet(charactersIn: "[]")), port: origin.port, security: security,
            dataMode: configuration.dataMode.transportMode, tlsCeiling: configuration.offersNewestTLS ? .newest : .tls12
        )
        let share = options.bandwidth.map { max(1, $0 / Int64(max(1, options.connectionsPerHost))) }
        let patience = Duration.seconds(min(options.timeouts.connect + options.timeouts.idle, 2_600_000))
        pool = FTPPool(maxCount: options.connectionsPerHost, patience: patience) { isAlone, begin in
            try await login.use(isAlone: isAlone) { login in
                var server = server
                if host.prefersPASV, server.dataMode == .passive { server.dataMode = .ipv4Passive }
                let session = FTPSession(
                    try FTPControlConnection(
                        server: server, login: login, options: options, pipelining: host.pipelining), host: host,
                    bytesPerSecond: share)
                begin(session)
                do { try await session.open() } catch {
                    session.abort()
                    throw error
                }
                return session
            }
        }
    }

    /// The URL of `path`.
    func url(of path: ProviderPath) -> URL {
        let base = baseURL.absoluteString
        // Never nil: the base is a URL, and only unreserved or percent-encoded characters are added.
        return URL(string: (base.hasSuffix("/") ? base : base + "/") + path.percentEncoded) ?? baseURL
    }

    /// Runs `body` with a connection, retries after transient failures, and throws Foundation's errors.
    ///
    /// - Parameter mayRepeat: Whether `body` may run twice. If not, only the attempt to get a connection is retried.
    func run<Value: Sendable>(
        _ path: ProviderPath, mayRepeat: Bool = true, _ body: @Sendable (FTPSession) async throws -> Value
    ) async throws -> Value {
        if mayRepeat {
            return try await options.retries.run(counters: options.counters) {
                do { return try await self.pool.withSession(body) } catch { throw self.translated(error, path: path) }
            }
        }
        let session = try await options.retries.run(counters: options.counters) {
            do { return try await self.pool.take() } catch { throw self.translated(error, path: path) }
        }
        defer { pool.giveBack(session) }
        do { return try await body(session) } catch { throw translated(error, path: path) }
    }

    /// `error` as a Foundation error.
    func translated(_ error: any Error, path: ProviderPath) -> any Error {
        // A connection that is cut because its caller was cancelled is not a failure.
        if Task.isCancelled { return CancellationError() }
        guard let failure = error as? FTPFailure else { return error }
        return FTPAccess.error(failure, url: url(of: path), path: path)
    }
}

extension FTPConfiguration {
    /// The security that the scheme asks for; nil for a scheme that is not FTP's.
    static func security(of url: URL) -> FTPServer.Security? {
        switch url.scheme?.lowercased() {
        case "ftp": FTPServer.Security.none
        case "ftpes": .explicit
        case "ftps": .implicit
        default: nil
        }
    }
}

extension FTPConfiguration.DataMode {
    fileprivate var transportMode: FTPServer.DataMode {
        switch self {
        case .passive: .passive
        case .ipv4Passive: .ipv4Passive
        case .active: .active
        }
    }
}
