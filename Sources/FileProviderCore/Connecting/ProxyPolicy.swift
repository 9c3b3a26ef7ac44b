public import Foundation

/// Whether requests go by a proxy.
public enum ProxyPolicy: Sendable, Hashable {
    /// As `http_proxy`, `HTTPS_PROXY`, `ftp_proxy`, `sftp_proxy`, `ALL_PROXY` and `NO_PROXY` say, user and password in
    /// them included; never to this machine itself.
    ///
    /// Source: libcurl-env(3).
    case environment
    /// Never, whatever the environment says.
    case none
    /// By this one.
    case server(ProxyServer)

    /// Whether a request to this machine reaches it without leaving it.
    public var staysOnThisMachine: Bool {
        if case .server(let server) = self { server.origin.isLoopback } else { true }
    }
}

/// A proxy, without its password: that comes from the ``CredentialSource``, which is asked for ``origin``.
///
/// SFTP goes by `http`, with a tunnel (`CONNECT`) and a login by Basic, and by `socks5` and `socks5h`, but not by
/// `https`. The source is asked where the URL names a user, and else when the proxy asks for a login. A password goes in clear
/// only to a proxy that is reached over TLS, that is this machine, or where ``ConnectionOptions/allowsClearPassword``
/// says so.
public struct ProxyServer: Sendable, Hashable {
    /// The schemes that a proxy's URL can have, with their ports.
    public static let ports = ["http": 80, "https": 443, "socks5": 1080, "socks5h": 1080]

    /// Scheme, host and port alone.
    public let url: URL
    /// Whom to log in as; nil to leave that to the credential source.
    public let user: String?
    /// Hosts that are reached without it, domains with all that is in them, networks as `10.0.0.0/8`, `*` for all; nil
    /// for those in `NO_PROXY`. Source: CURLOPT_NOPROXY(3).
    public var exceptions: [String]?
    /// Whether an HTTP proxy is asked for a tunnel (`CONNECT`) to servers without TLS too, instead of passing on each
    /// request.
    public var tunnelsAll: Bool

    /// - Parameter url: `http` or `https` for an HTTP proxy, `socks5` for SOCKS, `socks5h` where the proxy looks up the
    ///   names too.
    /// - Throws: `URLError(.badURL)` for another scheme, without a host, and with anything behind it or a password in
    ///   it.
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

    /// Whom the password is for.
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
    /// Sends requests by the proxy at `url`, where a password may stand too: it is kept as that proxy's and shown
    /// nowhere.
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
