public import Foundation
public import Logging
import FileProviderCore
public import Publication
public import WebServer

/// Serves publications to browsers and web views over HTTP, read by ranges from wherever they are.
///
/// ```swift
/// let server = try PublicationServer()
/// let serving = Task { try await server.run() }
/// let url = try await server.add(book)    // http://127.0.0.1:40213/…/ is a page to read on
/// ```
///
/// Below the address of a publication are its reading page, `manifest.json` (a Readium Web Publication Manifest), its
/// resources at the hrefs of the manifest, and its services under `~readium/`. Addresses cannot be guessed.
///
/// ``run()`` needs the package trait `Serving`. Without it, or in an HTTP server of the app's own, ``mount(_:identity:)``
/// and ``respond(to:)`` do the same by hand.
public final class PublicationServer: Sendable {
    /// As it was given.
    public let configuration: ServerConfiguration
    private let logger: Logger?
    private let key: ServerKey
    private let token: AccessToken?
    private let hosts: HostCheck
    /// The path in front of the first segment that is this server's own; ends with a slash.
    private let root: String
    private let mounted = LockedValue<[String: Entry]>([:])
    let listener: WebListener

    /// What is at the first segment of a path.
    private enum Entry: Sendable {
        /// The question for the token, which leads to the segment with the content.
        case door(grant: String)
        case content(MountedPublication)
    }

    /// A server that serves nothing yet, and doesn't listen before ``run()``.
    ///
    /// - Throws: `CocoaError(.formatting)` with a sentence for a configuration that cannot be.
    public init(_ configuration: ServerConfiguration = ServerConfiguration(), logger: Logger? = nil) throws {
        try configuration.validate()
        self.configuration = configuration
        self.logger = logger
        key = ServerKey(configuration.key)
        token = configuration.token.map { AccessToken($0) }
        let proxy = configuration.publicURL
        hosts = HostCheck(
            boundHost: configuration.host,
            allowed: configuration.hosts + [configuration.publicHost].compactMap(\.self))
        let path = proxy?.path(percentEncoded: true) ?? ""
        let root = path.hasSuffix("/") ? path : path + "/"
        self.root = root
        listener = WebListener(
            host: configuration.host, port: configuration.port, limits: configuration.limits, logger: logger,
            shownPath: { Self.shown($0, below: root) })
    }

    // MARK: Publications

    /// Serves `publication` from now on, and returns the address of its reading page. Suspends until ``run()`` listens.
    ///
    /// The publication stays the caller's: the server doesn't close it.
    ///
    /// - Parameter identity: What names the publication for good, such as its location; the same key and identity give
    ///   the same path. Nil takes its identifier, or else what is in it.
    /// - Throws: The error with which ``run()`` ended, if it did.
    public func add(_ publication: Publication, identity: String? = nil) async throws -> URL {
        let path = mount(publication, identity: identity)
        do { return try await address(ofPath: path) } catch {
            remove(path: path)
            throw error
        }
    }

    /// Serves `publication` from now on, and returns the path of its reading page, for a server of the app's own.
    ///
    /// - Parameter identity: As for ``add(_:identity:)``.
    public func mount(_ publication: Publication, identity: String? = nil) -> String {
        let identity = identity ?? publication.identity
        let path = key.path(identity: identity)
        guard let token = configuration.token else {
            let content = mountedPublication(publication, identity: identity, segment: path)
            mounted.update { $0[path] = .content(content) }
            return root + path + "/"
        }
        let grant = key.grant(path: path, token: token)
        let content = mountedPublication(publication, identity: identity, segment: grant)
        mounted.update { entries in
            entries[path] = .door(grant: grant)
            entries[grant] = .content(content)
        }
        return root + path + "/"
    }

    private func mountedPublication(_ publication: Publication, identity: String, segment: String) -> MountedPublication
    {
        MountedPublication(
            publication: publication, identity: identity, base: root + segment + "/",
            allowsScripts: configuration.allowsScripts, allowedOrigins: configuration.origins, logger: logger)
    }

    /// Serves the publication at `url` no longer. Answers that are being sent go on.
    public func remove(_ url: URL) { remove(path: url.path(percentEncoded: true)) }

    private func remove(path: String) {
        guard let segment = split(path)?.segment else { return }
        mounted.update { entries in
            if case .door(let grant) = entries.removeValue(forKey: segment) { entries[grant] = nil }
        }
    }

    /// The URL at which clients find `path`.
    private func address(ofPath path: String) async throws -> URL {
        let port = try await listener.port()
        var parts = URLComponents()
        if let proxy = configuration.publicURL {
            parts.scheme = proxy.scheme
            parts.encodedHost = configuration.publicHost
            parts.port = proxy.port
        } else {
            parts.scheme = "http"
            let isAny = ["0.0.0.0", "::"].contains(configuration.host)
            let host = isAny ? ProcessInfo.processInfo.hostName : configuration.host
            parts.host = host.contains(":") ? "[\(host)]" : host
            parts.port = port
        }
        parts.percentEncodedPath = path
        guard let url = parts.url else { throw FileError.make(.formatting, path: path) }
        return url
    }

    // MARK: Requests

    /// Answers one request.
    ///
    /// The answer's body may read from the publication's storage while it is sent; it stops when the sink throws or the
    /// task is cancelled.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        let answer = await find(request)
        return request.method == "HEAD" ? answer.withoutBody : answer
    }

    private func find(_ request: ServerRequest) async -> ServerResponse {
        guard hosts.allows(request.header("Host")) else {
            return RefusalAnswer.make(421, sentence: "This server does not answer by this name.")
        }
        guard let (segment, rest) = split(request.path), let entry = mounted.value[segment] else {
            return RefusalAnswer.nothingHere
        }
        guard let rest else { return moved(to: root + segment + "/") }
        switch entry {
        case .door(let grant): return await answer(request, rest: rest, grant: grant)
        case .content(let content):
            return await content.respond(to: request, rest: rest, origin: origin(of: request))
        }
    }

    /// The origin as the client knows it.
    private func origin(of request: ServerRequest) -> String {
        guard let proxy = configuration.publicURL, let scheme = proxy.scheme,
            let host = configuration.publicHost
        else {
            return "http://" + (request.header("Host") ?? configuration.host)
        }
        return scheme + "://" + host + (proxy.port.map { ":\($0)" } ?? "")
    }

    /// The question for the token, and the answer to the token.
    private func answer(_ request: ServerRequest, rest: String, grant: String) async -> ServerResponse {
        guard rest.isEmpty, let token else { return RefusalAnswer.nothingHere }
        switch request.method {
        case "GET", "HEAD":
            let form = TokenForm.answer(wasWrong: false)
            return request.method == "HEAD" ? form.withoutBody : form
        case "POST":
            switch token.check(TokenForm.token(in: request.body)) {
            case .right: return moved(to: root + grant + "/", status: 303)
            case .wrong: return TokenForm.answer(wasWrong: true)
            case .tooMany: return RefusalAnswer.make(429, sentence: "Too many wrong tokens; try again in a minute.")
            }
        default: return RefusalAnswer.wrongMethod(allowed: ["GET", "HEAD", "POST"])
        }
    }

    private func moved(to path: String, status: Int = 308) -> ServerResponse {
        var answer = ServerResponse(status: status, headers: ContentPolicy.service())
        answer.set("Location", path)
        answer.set("Cache-Control", "no-store")
        return answer
    }

    /// The path of `target` for log lines: without its query, and without the segment behind `root`, which opens a
    /// publication.
    static func shown(_ target: String, below root: String) -> String {
        guard let (segment, rest) = split(ServerRequest(target: target).path, below: root), !segment.isEmpty else {
            return root + "…"
        }
        return root + "…" + (rest.map { "/" + $0 } ?? "")
    }

    private func split(_ path: String) -> (segment: String, rest: String?)? { Self.split(path, below: root) }

    /// The first segment of `path` behind the root, and what follows its slash; `rest` is nil without a slash.
    private static func split(_ path: String, below root: String) -> (segment: String, rest: String?)? {
        guard path.hasPrefix(root) else { return nil }
        let own = path.dropFirst(root.count)
        guard let slash = own.firstIndex(of: "/") else { return (String(own), nil) }
        return (String(own[..<slash]), String(own[own.index(after: slash)...]))
    }
}

extension Publication {
    /// What names the publication: its identifier, or else its title and reading order.
    fileprivate var identity: String {
        metadata.identifier ?? ([metadata.title.string] + readingOrder.map(\.href)).joined(separator: "\n")
    }
}
