public import Foundation
import Synchronization

/// A catalogue of three books on loopback, by OPDS 2.0 at `/opds` and by OPDS 1.2 at `/v1`, which may ask for a login.
public final class CatalogServer: Sendable {
    /// How the catalogue wants its visitors to log in.
    public enum Login: Sendable {
        /// Anyone may read.
        case none
        /// Basic, for this user and password, with an authentication document. Without a challenge only the document
        /// names Basic.
        case basic(user: String, password: String, isChallenged: Bool = true)
        /// Digest, for this user and password, without an authentication document.
        case digest(user: String, password: String)
        /// This token, which people get on a web page.
        case bearer(token: String)
        /// The flow `oauth/password`, whose address for tokens is `/token` of this server, or another one.
        case oauth(user: String, password: String, tokenAddress: String? = nil)
    }

    private struct State: Sendable {
        var tokens = 0
        /// The tokens that are still good.
        var good: Set<String> = []
    }

    private let login: Login
    private let book: Data
    private let isNamedByHeader: Bool
    private let state = Mutex(State())
    private let server = Mutex<FaultServer?>(nil)

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - book: The EPUB of each book.
    ///   - isNamedByHeader: Whether a refusal names the authentication document in a `Link`, instead of having it.
    ///   - misbehave: Answers in the catalogue's place; nil for its own answer.
    /// - Throws: `POSIXError` when no port can be had.
    public init(
        book: Data, login: Login = .none, isNamedByHeader: Bool = false,
        misbehave: @escaping @Sendable (FaultServer.Request) -> FaultServer.Answer? = { _ in nil }
    ) throws {
        self.book = book
        self.login = login
        self.isNamedByHeader = isNamedByHeader
        let started = try FaultServer { [weak self] request in
            misbehave(request) ?? self?.answer(request) ?? .reply(500)
        }
        server.withLock { $0 = started }
    }

    deinit { stop() }

    /// The address of `path`, which begins with a slash.
    public func url(_ path: String) -> URL {
        let root = server.withLock { $0?.url() }
        return URL(string: path, relativeTo: root)!.absoluteURL  // Well-formed by the caller.
    }

    /// The requests so far.
    public var requests: [FaultServer.Request] { server.withLock { $0?.requests ?? [] } }

    /// Bytes of answers so far.
    public var sent: Int { server.withLock { $0?.traffic.sent ?? 0 } }

    /// Refuses the tokens that were given so far.
    public func revokeTokens() { state.withLock { $0.good = [] } }

    /// Closes every connection and the port.
    public func stop() { server.withLock { $0?.stop() } }
}

extension CatalogServer {
    private func answer(_ request: FaultServer.Request) -> FaultServer.Answer {
        switch request.target {
        case "/token": return token(request)
        case "/login.json":
            return .reply(200, headers: ["Content-Type": Self.authentication], body: Data(document.utf8))
        default: break
        }
        guard admits(request) else { return refusal }
        if request.target.hasPrefix("/get") {
            return .file(book, for: request, headers: ["ETag": "\"1\"", "Content-Type": "application/epub+zip"])
        }
        guard let (type, text) = Self.pages(request.target) else { return .reply(404) }
        return .reply(200, headers: ["Content-Type": type], body: Data(text.utf8))
    }

    private func admits(_ request: FaultServer.Request) -> Bool {
        let shown = request.headers["authorization"] ?? ""
        switch login {
        case .none: return true
        case .basic(let user, let password, _):
            return shown == "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        case .digest(let user, let password):
            return DigestGuard(user: user, password: password).admits(request, nonce: Self.nonce)
        case .bearer(let token): return shown == "Bearer \(token)"
        case .oauth: return state.withLock { $0.good.contains(String(shown.dropFirst("Bearer ".count))) }
        }
    }

    private var refusal: FaultServer.Answer {
        var headers = ["Content-Type": Self.authentication]
        switch login {
        case .basic(_, _, true): headers["WWW-Authenticate"] = "Basic realm=\"books\""
        case .digest:
            headers = ["Content-Type": "text/plain", "WWW-Authenticate": DigestGuard().challenge(Self.nonce)]
            return .reply(401, headers: headers, body: Data("Log in, please.".utf8))
        default: break
        }
        guard isNamedByHeader else { return .reply(401, headers: headers, body: Data(document.utf8)) }
        headers["Content-Type"] = "text/html"
        headers["Link"] = "</help>; rel=help, </login.json>; type=\"\(Self.authentication)\"; rel=\"\(Self.relation)\""
        return .reply(401, headers: headers, body: Data("<html>no</html>".utf8))
    }

    private static let authentication = "application/opds-authentication+json"
    private static let nonce = "n1"
    private static let relation = "http://opds-spec.org/auth/document"

    private var document: String {
        let flow =
            switch login {
            case .oauth(_, _, let address):
                #"{"type": "http://opds-spec.org/auth/oauth/password", "links": [{"rel": "authenticate", "href": "\#(address ?? "/token")"}, {"rel": "refresh", "href": "/token"}]}"#
            case .bearer:
                #"{"type": "http://opds-spec.org/auth/oauth/implicit", "links": [{"rel": "authenticate", "href": "/login.html"}]}"#
            default: #"{"type": "http://opds-spec.org/auth/basic", "labels": {"login": "Card", "password": "PIN"}}"#
            }
        return #"{"id": "/login.json", "title": "Harbour Library", "authentication": [\#(flow)]}"#
    }

    /// Gives a token for the user and password, or for the token that came with the last one.
    private func token(_ request: FaultServer.Request) -> FaultServer.Answer {
        guard case .oauth(let user, let password, _) = login, request.method == "POST" else { return .reply(404) }
        let form = String(decoding: request.body, as: UTF8.self).split(separator: "&")
            .map { $0.removingPercentEncoding ?? "" }
        return state.withLock { state in
            let isUser = form.contains("username=\(user)") && form.contains("password=\(password)")
            guard isUser || form.contains("refresh_token=r\(state.tokens)") else {
                return .reply(400, body: Data(#"{"error": "invalid_grant"}"#.utf8))
            }
            state.tokens += 1
            state.good = ["t\(state.tokens)"]
            let answer =
                #"{"access_token": "t\#(state.tokens)", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "r\#(state.tokens)"}"#
            return .reply(200, headers: ["Content-Type": "application/json"], body: Data(answer.utf8))
        }
    }
}

extension CatalogServer {
    private static let feed = "application/opds+json"

    private static func pages(_ target: String) -> (type: String, text: String)? {
        switch target {
        case "/opds":
            let links = [
                #"{"rel": "self", "href": "/opds", "type": "\#(feed)"}"#,
                #"{"rel": "next", "href": "?page=2", "type": "\#(feed)"}"#,
                #"{"rel": "search", "href": "/search{?query,author}", "templated": true, "type": "\#(feed)"}"#,
            ]
            let navigation = #""navigation": [{"title": "New", "href": "new", "type": "\#(feed)"}], "#
            return (feed, page("Harbour Library", links, navigation, [mobyDick, walden]))
        case "/opds?page=2":
            return (feed, page("Harbour Library", [#"{"rel": "self", "href": "/opds?page=2"}"#], "", [middlemarch]))
        case "/circle":
            return (feed, page("Round", [#"{"rel": "next", "href": "/circle?2"}"#], "", [mobyDick]))
        case "/circle?2": return (feed, page("Round", [#"{"rel": "next", "href": "/circle"}"#], "", [mobyDick]))
        case "/mute": return (feed, page("Mute", [#"{"rel": "self", "href": "/mute"}"#], "", [mobyDick]))
        case "/entry/walden":
            return (
                "application/opds-publication+json",
                book("Walden", "Henry David Thoreau", [epub("/get?book=walden"), pdf("/walden.pdf")])
            )
        case "/walden.pdf": return ("text/html", "<!DOCTYPE html><html><body>Please log in.</body></html>")
        case "/find.xml":
            return (
                "application/opensearchdescription+xml",
                """
                <?xml version="1.0"?><OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/"><ShortName>Find</ShortName>
                <Url type="application/atom+xml;profile=opds-catalog" template="/v1?q={searchTerms}&amp;p={startPage?}"/>
                </OpenSearchDescription>
                """
            )
        case let target where target.hasPrefix("/search?"): return (feed, page("Found", [], "", [mobyDick]))
        case let target where target == "/v1" || target.hasPrefix("/v1?"): return ("application/atom+xml", atom)
        default: return nil
        }
    }

    private static func page(_ title: String, _ links: [String], _ more: String, _ books: [String]) -> String {
        let links = links.joined(separator: ", ")
        return
            #"{"metadata": {"title": "\#(title)"}, "links": [\#(links)], \#(more)"publications": [\#(books.joined(separator: ", "))]}"#
    }

    private static func book(_ title: String, _ author: String, _ links: [String]) -> String {
        let name = title.lowercased()
        return
            #"{"metadata": {"title": "\#(title)", "author": "\#(author)", "identifier": "urn:x-test:\#(name)"}, "links": [\#(links.joined(separator: ", "))]}"#
    }

    private static func epub(_ href: String) -> String {
        #"{"rel": "http://opds-spec.org/acquisition/open-access", "href": "\#(href)", "type": "application/epub+zip"}"#
    }

    private static func pdf(_ href: String) -> String {
        #"{"rel": "http://opds-spec.org/acquisition/open-access", "href": "\#(href)", "type": "application/pdf"}"#
    }

    private static let mobyDick = book("Moby-Dick", "Herman Melville", [epub("/get?book=moby")])
    /// In part: its links are in its entry.
    private static let walden = book(
        "Walden", "Henry David Thoreau",
        [#"{"rel": "self", "href": "/entry/walden", "type": "application/opds-publication+json"}"#])
    private static let middlemarch = book(
        "Middlemarch", "George Eliot",
        [#"{"rel": "http://opds-spec.org/acquisition/buy", "href": "/shop", "type": "text/html"}"#])

    private static let atom = """
        <?xml version="1.0" encoding="utf-8"?>
        <feed xmlns="http://www.w3.org/2005/Atom"><id>urn:x-test:v1</id><title>Harbour Library</title>
        <updated>2026-01-01T00:00:00Z</updated>
        <link rel="search" type="application/opensearchdescription+xml" href="/find.xml"/>
        <entry><id>urn:x-test:moby-dick</id><title>Moby-Dick</title><updated>2026-01-01T00:00:00Z</updated>
        <author><name>Herman Melville</name></author>
        <link rel="http://opds-spec.org/acquisition/open-access" type="application/epub+zip" href="/get?book=moby"/></entry>
        </feed>
        """
}
