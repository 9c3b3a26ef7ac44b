public import Foundation

/// Whether requests go by a proxy.
public enum ProxyPolicy: Sendable, Hashable {
    /// The proxies in `http_proxy`, `HTTPS_PROXY`, `ftp_proxy`, `sftp_proxy`, `ALL_PROXY` and `NO_PROXY`, with the user
    /// and password there; none for this machine itself.
    ///
    /// Source: libcurl-env(3).
    case environment
    /// No proxy, whatever the environment says.
    case none
    /// This proxy.
    case server(ProxyServer)

    /// Whether a request to this machine reaches it without leaving it.
    public var staysOnThisMachine: Bool {
        if case .server(let server) = self { server.origin.isLoopback } else { true }
    }
}

/// A proxy, without its password, which the ``CredentialSource`` has for ``origin``.
///
/// SFTP works with `http`, by a tunnel (`CONNECT`) and a Basic login, and with `socks5` and `socks5h`, but not with
/// `https`. The source is asked if the URL names a user, and otherwise when the proxy asks for a login. A password is
/// sent in clear only to a proxy that is reached over TLS or is this machine, or if
/// ``ConnectionOptions/allowsClearPassword`` is set.
public struct ProxyServer: Sendable, Hashable {
    /// The schemes that a proxy's URL can have, with their ports.
    public static let ports = ["http": 80, "https": 443, "socks5": 1080, "socks5h": 1080]

    /// The URL with scheme, host and port only.
    public let url: URL
    /// The user to log in as; nil leaves that to the credential source.
    public let user: String?
    /// Hosts that are reached without it: names, domains with all their hosts, networks such as `10.0.0.0/8`, or `*`
    /// for all. Nil takes those in `NO_PROXY`. Source: CURLOPT_NOPROXY(3).
    public var exceptions: [String]?
    /// Whether to open a tunnel (`CONNECT`) through an HTTP proxy to servers without TLS too, instead of having it
    /// forward each request.
    public var tunnelsAll: Bool

    /// - Parameter url: `http` or `https` for an HTTP proxy, `socks5` for SOCKS, `socks5h` if the proxy is also to look
    ///   up names.
    /// - Throws: `URLError(.badURL)` for another scheme, a missing host, a password, or anything after the port.
    public init(url: URL, exceptions: [String]? = nil, tunnelsAll: Bool = false) throws {
        guard let scheme = url.scheme?.lowercased(), Self.ports[scheme] != nil, let host = url.host(), !host.isEmpty
        else {
            let known = Self.ports.keys.sorted().joined(separator: ", ")
            throw Self.refusal("needs a host and one of the schemes \(known)")
        }
        if url.password(percentEncoded: true) != nil {
            throw Self.refusal("has a password in it, which belongs in a credential source")
        }
        guard ["", "/"].contains(url.path(percentEncoded: true)), url.query == nil, url.fragment == nil else {
            throw Self.refusal("has something behind the host")
        }
        var parts = URLComponents()
        let isBare = host.contains(":") && !host.hasPrefix("[")
        (parts.scheme, parts.encodedHost, parts.port) = (scheme, isBare ? "[\(host)]" : host, url.port)
        guard let plain = parts.url else { throw Self.refusal("is not well-formed") }
        self.url = plain
        user = url.user(percentEncoded: false).flatMap { $0.isEmpty ? nil : $0 }
        self.exceptions = exceptions
        self.tunnelsAll = tunnelsAll
    }

    /// The origin that the password is for.
    public var origin: Origin {
        let scheme = url.scheme ?? ""
        return Origin(scheme: scheme, host: url.host() ?? "", port: url.port ?? Self.ports[scheme] ?? 0, isProxy: true)
    }

    /// ``url`` with the user in it.
    public var urlWithUser: URL {
        guard let user, var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return url }
        parts.percentEncodedUser = user.addingPercentEncoding(withAllowedCharacters: .unreserved)
        return parts.url ?? url
    }

    private static func refusal(_ reason: String) -> URLError {
        FileError.make(.badURL, url: nil, sentence: "The URL of a proxy \(reason).")
    }
}

extension ConnectionOptions {
    /// Sends requests by the proxy at `url`. A password in `url` is kept as that proxy's and never shown.
    ///
    /// - Throws: As ``ProxyServer/init(url:exceptions:tunnelsAll:)``.
    public mutating func useProxy(at url: URL, exceptions: [String]? = nil, tunnelsAll: Bool = false) throws {
        guard let password = url.password(percentEncoded: false) else {
            proxy = .server(try ProxyServer(url: url, exceptions: exceptions, tunnelsAll: tunnelsAll))
            return
        }
        var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        parts?.password = nil
        let server = try ProxyServer(url: parts?.url ?? url, exceptions: exceptions, tunnelsAll: tunnelsAll)
        proxy = .server(server)
        let own = FixedCredential(.password(user: server.user ?? "", password: password), for: server.origin)
        credentials = CredentialChain([own, credentials])
    }
}
