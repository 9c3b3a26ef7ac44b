import FileProviderCore
import Foundation

/// The settings for libpq's `PQconnectStartParams`. Source: PostgreSQL 15 manual, 34.1.2.
struct PostgresKeywords {
    /// One connection to try.
    struct Attempt: Sendable {
        /// In the order in which libpq reads them: a later one replaces an earlier one.
        var settings: [(name: String, value: String)]
    }

    let url: PostgresURL
    let configuration: PostgresConfiguration
    let environment: [String: String]

    init(_ configuration: PostgresConfiguration, environment: [String: String]) throws {
        url = try PostgresURL(configuration.url)
        self.configuration = configuration
        self.environment = environment
    }

    /// - Parameter password: nil for what libpq finds itself.
    func attempts(password: String?) -> [Attempt] {
        let passes = prefersStandby ? ["standby", "any"] : [nil]
        return passes.flatMap { servers -> [Attempt] in
            let common = defaults + [("dbname", configuration.url)] + forced(password)
            let tried = url.tried(environment)
            if tried.isEmpty { return [Attempt(settings: common)] }
            return tried.map { host in
                let port = host.port.isEmpty ? environment["PGPORT"] ?? "5432" : host.port
                var settings = common + [("host", host.name), ("port", port)]
                if let servers { settings.append(("target_session_attrs", servers)) }
                return Attempt(settings: settings)
            }
        }
    }

    /// libpq would try all hosts twice by itself, but each is one attempt here.
    private var prefersStandby: Bool {
        !url.tried(environment).isEmpty
            && (url.parameters["target_session_attrs"] ?? environment["PGTARGETSESSIONATTRS"]) == "prefer-standby"
    }

    /// What the URL may replace.
    private var defaults: [(name: String, value: String)] {
        var settings: [(name: String, value: String)] = [
            ("application_name", "carrel"), ("keepalives", "1"), ("keepalives_idle", "15"),
            ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", String(Int(min(max(configuration.idleLimit, 1), 86_400) * 1000))),
        ]
        var mode = url.parameters["sslmode"]
        if mode == nil, url.parameters["ssl"] == nil, !url.isOnThisMachine(environment) {
            mode = "verify-full"
            settings.append(("sslmode", "verify-full"))
        }
        if let mode, mode.hasPrefix("verify-"), let authorities = systemAuthorities {
            settings.append(("sslrootcert", authorities))
        }
        return settings
    }

    private func forced(_ password: String?) -> [(name: String, value: String)] {
        [("client_encoding", "UTF8")] + (password.map { [("password", $0)] } ?? [])
    }

    /// The system's certificates; nil if the user has named others, or there are none. libpq 15 knows no
    /// `sslrootcert=system`.
    private var systemAuthorities: String? {
        let own = (environment["HOME"] ?? NSHomeDirectory()) + "/.postgresql/root.crt"
        if environment["PGSSLROOTCERT"]?.isEmpty == false || access(own, R_OK) == 0 { return nil }
        let files = [
            environment["SSL_CERT_FILE"], "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
            "/etc/ssl/cert.pem",
        ]
        return files.compactMap(\.self).first { access($0, R_OK) == 0 }
    }
}
