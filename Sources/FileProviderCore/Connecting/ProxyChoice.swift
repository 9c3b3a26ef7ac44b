import Foundation

/// The proxy by which a provider that opens its own connections reaches one server.
///
/// For requests through libcurl, libcurl makes the same choice itself.
package struct ProxyChoice: Sendable, Hashable, CustomReflectable {
    package let server: ProxyServer
    /// Whether the environment names it, and not the options: then the variable has the login too.
    package let isFromEnvironment: Bool
    package let environmentPassword: String?

    /// Without the password.
    package var customMirror: Mirror { Mirror(self, children: ["server": server]) }
}

extension ProxyPolicy {
    /// Returns the proxy on the way to `host`; nil for none.
    ///
    /// With ``environment`` it is the one of `sftp_proxy` for the scheme `sftp`, `SFTP_PROXY`, `all_proxy` or
    /// `ALL_PROXY`, the first that is not empty, and none for this machine itself. Source: libcurl-env(3).
    ///
    /// - Parameters:
    ///   - host: The host to connect to; an IPv6 address without brackets.
    ///   - environment: The process's, with `NO_PROXY` in it.
    /// - Throws: `URLError(.badURL)` for a variable that holds no proxy's URL; the sentence doesn't repeat its value.
    package func proxy(scheme: String, host: String, environment: [String: String]) throws -> ProxyChoice? {
        func value(_ names: String...) -> (name: String, text: String)? {
            names.lazy.compactMap { name in environment[name].map { (name: name, text: $0) } }
                .first { !$0.text.isEmpty }
        }
        let inherited = value("no_proxy", "NO_PROXY").map { [$0.text] } ?? []
        switch self {
        case .none: return nil
        case .server(let server):
            let isException = ProxyExceptions(server.exceptions ?? inherited).contains(host)
            return isException ? nil : ProxyChoice(server: server, isFromEnvironment: false, environmentPassword: nil)
        case .environment:
            guard !Origin(scheme: scheme, host: host, port: 0).isLoopback, !ProxyExceptions(inherited).contains(host),
                let (name, text) = value("\(scheme)_proxy", "\(scheme)_proxy".uppercased(), "all_proxy", "ALL_PROXY")
            else { return nil }
            guard let choice = ProxyChoice(text) else {
                throw FileError.make(
                    .badURL, url: nil,
                    sentence:
                        "The variable \(name) names no proxy that Carrel knows: a URL of http, https, socks5 or socks5h."
                )
            }
            return choice
        }
    }
}

extension ProxyChoice {
    /// Reads a variable: without a scheme it is an HTTP proxy's, without a port 1080, 443 for `https`. Source:
    /// CURLOPT_PROXY(3).
    fileprivate init?(_ text: String) {
        guard var parts = URLComponents(string: text.contains("://") ? text : "http://" + text) else { return nil }
        let password = parts.password
        parts.password = nil
        (parts.path, parts.query, parts.fragment) = ("", nil, nil)
        if parts.port == nil, parts.scheme?.lowercased() != "https" { parts.port = 1080 }
        guard let url = parts.url, let server = try? ProxyServer(url: url) else { return nil }
        self.init(server: server, isFromEnvironment: true, environmentPassword: password)
    }
}
