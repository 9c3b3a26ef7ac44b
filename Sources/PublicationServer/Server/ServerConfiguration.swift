import FileProviderCore
public import Foundation
public import WebServer

/// How a ``PublicationServer`` is reached, and by whom.
public struct ServerConfiguration: Sendable {
    /// The address to listen on. Beyond this machine (`0.0.0.0`, `::`, or an address of a network) needs a ``token``.
    public var host: String
    /// The port to listen on; 0 for any free one.
    public var port: Int
    /// What the paths of publications are made of, 16 bytes or more: with the same key and the same identity of a
    /// publication, a link is the same after a restart. Keep it as a secret.
    public var key: Data
    /// What a person has to enter before a publication is shown, 16 characters or more; nil for no question. It is part
    /// of no address.
    public var token: String?
    /// The address under which a reverse proxy shows this server, with its path: `https://books.example/read/`. Nil if
    /// there is none.
    public var publicURL: URL?
    /// Names beside those of the address itself by which clients may call this server in `Host`. Others are refused,
    /// so that a page of the Web cannot make its own name lead here (DNS rebinding).
    public var hosts: [String]
    /// Origins whose scripts may read manifests, services and resources (CORS), such as `https://reader.example`. None
    /// by default.
    public var origins: [String]
    /// Whether scripts of publications run: in a sandbox, without an origin, and with no requests but for the
    /// publication's files. Off by default, because browsers have no policy for WebRTC, by which a script can send what
    /// it knows.
    public var allowsScripts: Bool
    /// How much clients may take of the server.
    public var limits: Limits

    /// What clients may take of a server.
    public typealias Limits = ServerLimits

    /// A server on this machine alone, on a free port, with a new key.
    public init(
        host: String = "127.0.0.1", port: Int = 0, key: Data? = nil, token: String? = nil, publicURL: URL? = nil,
        hosts: [String] = [], origins: [String] = [], allowsScripts: Bool = false, limits: Limits = Limits()
    ) {
        self.host = host
        self.port = port
        self.key = key ?? Self.makeKey()
        self.token = token
        self.publicURL = publicURL
        self.hosts = hosts
        self.origins = origins
        self.allowsScripts = allowsScripts
        self.limits = limits
    }

    /// Returns a new key of 32 random bytes.
    public static func makeKey() -> Data {
        var numbers = SystemRandomNumberGenerator()
        return Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &numbers) })
    }

    /// The host of ``publicURL``; an IPv6 address in its brackets.
    var publicHost: String? {
        publicURL.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true)?.encodedHost }
            .flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether only this machine reaches ``host``.
    var isLoopback: Bool {
        let host = host.lowercased()
        return host == "localhost" || host == "::1"
            || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
    }

    /// - Throws: `CocoaError(.formatting)` with a sentence for the first setting that cannot be.
    func validate() throws {
        func refuse(_ sentence: String) throws -> Never {
            throw FileError.make(.formatting, path: host, sentence: sentence)
        }
        if key.count < 16 { try refuse("The server's key needs 16 bytes or more.") }
        if let token, token.utf8.count < 16 { try refuse("The server's token needs 16 characters or more.") }
        if !isLoopback, token == nil {
            try refuse("A server that other machines reach (\(host)) needs a token.")
        }
        if !(0...65_535).contains(port) { try refuse("\(port) is not a port: they are 0 to 65535.") }
        if let publicURL, publicHost == nil || !["http", "https"].contains(publicURL.scheme ?? "") {
            try refuse("The server's public address has to be an http or https URL.")
        }
    }
}
