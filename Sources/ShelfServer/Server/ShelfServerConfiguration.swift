import FileProviderCore
public import Foundation
public import WebServer

/// How a ``ShelfServer`` is reached, by whom, and what clients may take.
public struct ShelfServerConfiguration: Sendable {
    /// Who may use the shelf.
    public enum Access: String, Hashable, Sendable {
        /// Everyone who reaches the server, which has to be this machine alone.
        case everyone
        /// As ``everyone``, until somebody is added to the ``PeopleStore``; from then on as ``users``, even if all are
        /// removed again. A server that runs asks with each request.
        case everyoneBeforeUsers = "everyone-before-users"
        /// People with a name and a password; see ``PeopleStore``.
        case users
    }

    /// The header fields by which a trusted proxy says for whom it asks. A proxy sets one kind, and may pass on what a
    /// client sends in the other.
    public enum ProxyFields: String, Hashable, Sendable {
        /// `X-Forwarded-For`, `X-Forwarded-Proto`, `X-Forwarded-Host`, and `X-Forwarded-Prefix` with the path that the
        /// proxy removes from the front of addresses.
        case xForwarded = "x-forwarded"
        /// `Forwarded` (RFC 7239).
        case forwarded
    }

    /// The address to listen on. Beyond this machine needs ``Access/users``.
    public var host: String
    /// The port to listen on; 0 for any free one.
    public var port: Int
    /// What sessions and reading addresses are made of, 16 bytes or more. Keep it as a secret: with another key, everyone
    /// has to log in again.
    public var key: Data
    /// The address under which a reverse proxy shows this server, with its path: `https://books.example/shelf/`. The
    /// proxy passes the path on unchanged, or sends in `X-Forwarded-Prefix` what it removed. Nil if there is none, or if
    /// the proxy's header fields say all of this.
    public var publicURL: URL?
    /// Names beside those of the address itself by which clients may call this server in `Host`.
    public var hosts: [String] = []
    /// Addresses of proxies, or networks such as `10.0.0.0/8`, that are believed about the client's address, scheme,
    /// host and path. Prefer single addresses: every machine of a network may invent its clients.
    public var trustedProxies: [String] = []
    /// What trusted proxies send.
    public var proxyFields = ProxyFields.xForwarded
    /// Who may use the shelf.
    public var access: Access
    /// Whether KOReader may create accounts.
    public var allowsRegistration = false
    /// The name of the shelf.
    public var title = "Books"
    /// Whether scripts of publications run, in a sandbox; see ``/PublicationServer/ServerConfiguration/allowsScripts``.
    public var allowsScripts = false
    /// How much clients may take of the server.
    public var limits = ServerLimits()
    /// How many wrong logins are allowed.
    public var loginLimits = LoginLimits.Settings()
    /// The widest picture that page streaming makes, in pixels; 2,400.
    public var maxPageWidth = 2_400
    /// How many pictures of each source are read at once, and how many of all sources are scaled at once; 4. Four times
    /// as many of all sources are in memory at once.
    public var concurrentPictures = 4
    /// Keeps what is read of books' files on this machine, so that it is read from their storages once. Nil, the default,
    /// keeps nothing.
    public var cachesFiles: FileCache?
    /// What a monitoring system sends as `Authorization: Bearer …` to read `metrics`, 16 characters or more. Without it,
    /// only programs on this machine may.
    public var metricsToken: String?

    /// A server on this machine alone, on a free port, with a new key.
    public init(
        host: String = "127.0.0.1", port: Int = 0, key: Data? = nil, publicURL: URL? = nil, access: Access = .everyone
    ) {
        self.host = host
        self.port = port
        self.key = key ?? ShelfKey.random()
        self.publicURL = publicURL
        self.access = access
    }

    /// The host of ``publicURL``; an IPv6 address in its brackets.
    var publicHost: String? {
        publicURL.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true)?.encodedHost }
            .flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The path in front of all addresses; begins and ends with a slash.
    var base: String {
        let path = publicURL?.path(percentEncoded: true) ?? ""
        return path.hasSuffix("/") ? path : path + "/"
    }

    /// Checks that the settings fit together.
    ///
    /// - Throws: `CocoaError(.formatting)` with a sentence that names the first setting that cannot be.
    public func validate() throws {
        func refuse(_ setting: String, _ sentence: String) throws -> Never {
            throw FileError.make(.formatting, path: setting, sentence: "\(setting): \(sentence)")
        }
        if host.isEmpty { try refuse("host", "an address to listen on is missing.") }
        if !(0...65_535).contains(port) { try refuse("port", "\(port) is not a port; they are 0 to 65535.") }
        if key.count < 16 { try refuse("key", "it needs 16 bytes or more.") }
        if let publicURL {
            if publicHost == nil || !["http", "https"].contains(publicURL.scheme ?? "") {
                try refuse("publicURL", "the public address has to be an http or https URL.")
            }
            if publicURL.query() != nil || publicURL.fragment() != nil || publicURL.user() != nil {
                try refuse("publicURL", "the public address has no user, query or fragment.")
            }
            if base.utf8.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "\"") }) {
                try refuse("publicURL", "the path has no semicolons, quotes or spaces.")
            }
        }
        if access != .users {
            if !PeerAddress.isLoopback(host) {
                try refuse("access", "a server that other machines reach (\(host)) needs users.")
            }
            if let publicHost, !PeerAddress.isLoopback(publicHost) {
                try refuse("access", "a server with a public address (\(publicHost)) needs users.")
            }
            if let name = hosts.first(where: { !PeerAddress.isLoopback($0) }) {
                try refuse("access", "a server with a name for other machines (\(name)) needs users.")
            }
            if !trustedProxies.isEmpty { try refuse("access", "a server behind a proxy needs users.") }
        }
        for proxy in trustedProxies where AddressRange(proxy) == nil {
            try refuse("trustedProxies", "“\(proxy)” is neither an address nor a network such as 10.0.0.0/8.")
        }
        if title.isEmpty || title.count > 200 { try refuse("title", "it needs 1 to 200 characters.") }
        let counts = [loginLimits.perAddress, loginLimits.perName, loginLimits.perNameOverall]
        if counts.contains(where: { $0 < 1 }) || loginLimits.window < .seconds(1) {
            try refuse("loginLimits", "each has to be 1 or more.")
        }
        if !(1...4_096).contains(maxPageWidth) { try refuse("maxPageWidth", "it has to be 1 to 4096 pixels.") }
        if !(1...64).contains(concurrentPictures) { try refuse("concurrentPictures", "it has to be 1 to 64.") }
        if let cachesFiles {
            if !cachesFiles.folder.isFileURL { try refuse("cachesFiles", "it needs a folder on this machine.") }
            if cachesFiles.capacity < 1 << 20 { try refuse("cachesFiles", "it needs 1 MiB or more.") }
        }
        if let metricsToken, metricsToken.utf8.count < 16 {
            try refuse("metricsToken", "it needs 16 characters or more.")
        }
    }
}
