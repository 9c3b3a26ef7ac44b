public import Foundation
public import Logging
import FileProviderCore
public import Shelf
public import WebServer

/// Serves the books of a shelf over HTTP: as catalogues for reading apps (OPDS 1.2 and 2.0), as web pages with a reading
/// page for each book, and for KOReader's synchronisation.
///
/// ```swift
/// let people = try await PeopleStore.open(folder: folder)
/// let server = try ShelfServer(shelf: shelf, people: people)
/// try await server.run()
/// ```
///
/// Files, pages and covers are read by ranges from where the books are. Nothing is copied, unless
/// ``ShelfServerConfiguration/cachesFiles`` asks for a cache. ``run()`` needs the package trait `Serving`. Without it, or
/// in an HTTP server of the app's own, ``respond(to:)`` does the same by hand.
public final class ShelfServer: Sendable {
    /// As it was given.
    public let configuration: ShelfServerConfiguration
    let shelf: Shelf
    let people: PeopleStore
    let files: BookFiles
    let books: OpenBooks
    let listener: WebListener
    let logger: Logger?
    let metrics = ShelfMetrics()
    private let access: ShelfAccess
    private let logins: LoginCheck
    private let pictureTurns: PictureTurns
    private let key: ShelfKey
    private let hosts: HostCheck
    private let proxies: [AddressRange]

    /// A server that doesn't listen before ``run()``.
    ///
    /// - Parameters:
    ///   - shelf: What is served. It stays the caller's, who closes it after the server.
    ///   - people: Who may log in, and their places. It stays the caller's, too.
    /// - Throws: `CocoaError(.formatting)` with a sentence for a configuration that cannot be.
    public init(
        shelf: Shelf, people: PeopleStore, configuration: ShelfServerConfiguration = ShelfServerConfiguration(),
        logger: Logger? = nil
    ) throws {
        try configuration.validate()
        self.configuration = configuration
        self.shelf = shelf
        self.people = people
        self.logger = logger
        let key = ShelfKey(configuration.key)
        let files = try BookFiles(shelf, cache: configuration.cachesFiles, key: key)
        self.files = files
        books = OpenBooks(files)
        let logins = LoginCheck(people, LoginLimits(configuration.loginLimits))
        self.key = key
        self.logins = logins
        access = ShelfAccess(people: people, logins: logins, key: key, access: configuration.access)
        pictureTurns = PictureTurns(configuration.concurrentPictures)
        let proxies = configuration.trustedProxies.compactMap { AddressRange($0) }
        self.proxies = proxies
        hosts = HostCheck(
            boundHost: configuration.host,
            allowed: configuration.hosts + [configuration.publicHost].compactMap(\.self))
        listener = WebListener(
            host: configuration.host, port: configuration.port, limits: configuration.limits, logger: logger,
            shownPath: { Self.shown($0, configuration.base) },
            bodyLimit: { ReceivedRequest($0, trusting: proxies, configuration).route?.largestBody ?? 0 })
    }

    // MARK: Requests

    /// Answers one request.
    ///
    /// The answer's body may read from a book's storage while it is sent; it stops when the sink throws or the task is
    /// cancelled.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        let began = ContinuousClock.now
        let received = ReceivedRequest(request, trusting: proxies, configuration)
        let route = received.route
        var answer = await find(route, received)
        for field in ContentPolicy.service() where answer.header(field.name) == nil {
            answer.set(field.name, field.value)
        }
        metrics.count(route?.name ?? "nothing", status: answer.status, duration: ContinuousClock.now - began)
        return request.method == "HEAD" ? answer.withoutBody : answer
    }

    private func find(_ route: ShelfRoute?, _ received: ReceivedRequest) async -> ServerResponse {
        let request = received.request
        guard hosts.allows(received.forwarded.host) else {
            return RefusalAnswer.make(421, sentence: "This server does not answer by this name.")
        }
        guard let route else {
            // Without the slash at its end, the base is no address below itself.
            let isBase = request.path + "/" == received.base
            return isBase ? Redirection.make(to: received.base, status: 308) : RefusalAnswer.nothingHere
        }
        if let methods = route.methods, !methods.contains(request.method) {
            return RefusalAnswer.wrongMethod(allowed: methods)
        }
        do { return try await answer(route, received) } catch {
            let answer = BookRefusal.make(for: error)
            let isExpected = answer.status < 500 || error.isCancellation
            logger?.log(
                level: isExpected ? .debug : .warning, "A request could not be answered.",
                metadata: [
                    "kind": "\(route.name)", "status": "\(answer.status)",
                    "error": "\(LogText.shown(error.sentence))",
                ])
            return answer
        }
    }

    private func answer(_ route: ShelfRoute, _ received: ReceivedRequest) async throws -> ServerResponse {
        let (request, forwarded) = (received.request, received.forwarded)
        switch route {
        case .health: return try await HealthAnswer.make(shelf)
        case .metrics: return try await metricsAnswer(request, forwarded)
        default: break
        }
        let isOpen = try await access.isOpen()
        // Addresses that anybody may ask for need no look at who it is; the form to log in and out does.
        let visitor: Visitor
        switch route {
        case .asset, .koreader, .reading: visitor = .nobody
        default: visitor = isOpen ? .nobody : try await access.visitor(request, client: forwarded.client)
        }
        let context = context(visitor, received, isOpen: isOpen)
        if case .tooMany(let seconds)? = visitor.refusal { return Redirection.tooManyLogins(retryAfter: seconds) }
        if visitor.user == nil, !isOpen, route.door != .open {
            return refusal(route, request, context)
        }
        var answer = try await content(route, request, visitor, context) ?? RefusalAnswer.nothingHere
        if let cookie = visitor.newFormCookie, visitor.session == nil, route == .login || route.door == .page {
            answer.headers.append(("Set-Cookie", formCookie(cookie, context)))
        }
        return answer
    }

    private func content(
        _ route: ShelfRoute, _ request: ServerRequest, _ visitor: Visitor, _ context: ShelfContext
    ) async throws -> ServerResponse? {
        switch route {
        case .feed(let path): return try await FeedAnswer.make(for: request, path: path, context)
        case .koreader(let path): return try await KOReaderAnswer.make(for: request, path: path, context)
        case .page(let path), .asset(let path):
            if request.method == "POST", !FormOrigin.isOwn(request, context.origin) { return FormOrigin.refusal }
            return try await ShelfPageAnswer.make(for: request, path: path, context)
        case .login: return try await LoginAnswer.login(request, visitor, context)
        case .logout: return try await LoginAnswer.logout(request, visitor, context)
        case .reading(let segment, let rest):
            await KOReaderSync.prepare(segment: segment, rest: rest, request, context)
            return try await ReadingAnswer.make(for: request, segment: segment, rest: rest, context)
        case .file(let id):
            guard let book = try await shelf.book(id) else { return nil }
            return await KOReaderDocuments(context).noting(
                book, in: try await FileAnswer.make(for: request, book, context))
        case .cover(let id):
            guard let book = try await shelf.book(id) else { return nil }
            return try await CoverAnswer.make(for: request, book, context)
        case .picture(let id, let number):
            guard let book = try await shelf.book(id) else { return nil }
            return try await PictureAnswer.make(for: request, book, page: number, context)
        case .health, .metrics: return nil
        }
    }

    /// The question for a name and a password.
    private func refusal(_ route: ShelfRoute, _ request: ServerRequest, _ context: ShelfContext) -> ServerResponse {
        if route.door == .page, request.method == "GET" || request.method == "HEAD" {
            return LoginAnswer.question(request, context)
        }
        return LoginAnswer.catalogueQuestion(context)
    }

    // MARK: Contexts

    private func context(_ visitor: Visitor, _ received: ReceivedRequest, isOpen: Bool) -> ShelfContext {
        var settings = ShelfContext.Settings()
        settings.isOpen = isOpen
        settings.allowsRegistration = configuration.allowsRegistration
        settings.allowsScripts = configuration.allowsScripts
        settings.maxPageWidth = configuration.maxPageWidth
        return ShelfContext(
            shelf: shelf, people: people, files: files, books: books, user: visitor.user,
            address: origin(received.forwarded) + received.base, base: received.base, title: configuration.title,
            key: key, formToken: access.formToken(visitor), client: received.forwarded.client, logins: logins,
            pictureTurns: pictureTurns, settings: settings, logger: logger)
    }

    /// The origin as the client knows it.
    private func origin(_ forwarded: ForwardedRequest) -> String {
        guard let proxy = configuration.publicURL, let scheme = proxy.scheme, let host = configuration.publicHost else {
            return forwarded.scheme + "://" + (forwarded.host ?? configuration.host)
        }
        return scheme + "://" + host + (proxy.port.map { ":\($0)" } ?? "")
    }

    private func formCookie(_ value: String, _ context: ShelfContext) -> String {
        Session.field(
            Session.formCookie, value, path: context.base, isSecure: context.isSecure, seconds: 24 * 3_600)
    }

    private func metricsAnswer(_ request: ServerRequest, _ forwarded: ForwardedRequest) async throws -> ServerResponse {
        guard forwarded.isLocal || MetricsAnswer.isAllowed(request, token: configuration.metricsToken) else {
            return RefusalAnswer.make(403, sentence: "Metrics need a token, or a program on the server's machine.")
        }
        return await MetricsAnswer.make(metrics, shelf: shelf, openBooks: await books.count)
    }

    // MARK: Addresses

    /// The path of `target` for log lines: without its query, and without the segment that opens a book.
    private static func shown(_ target: String, _ base: String) -> String {
        let path = ServerRequest(target: target).path
        // A proxy may have removed the base.
        for start in [base + "read/", "/read/"] where path.hasPrefix(start) {
            return LogText.shown(start + "…" + path.dropFirst(start.count).drop { $0 != "/" })
        }
        return LogText.shown(path)
    }

    /// The address of the first page. Suspends until ``run()`` listens.
    ///
    /// - Throws: The error with which ``run()`` ended, if it did; `CancellationError`.
    public func url() async throws -> URL {
        let port = try await listener.port()
        if let proxy = configuration.publicURL {
            let text = proxy.absoluteString
            return text.hasSuffix("/") ? proxy : URL(string: text + "/") ?? proxy
        }
        var parts = URLComponents()
        parts.scheme = "http"
        let isAny = ["0.0.0.0", "::"].contains(configuration.host)
        let host = isAny ? ProcessInfo.processInfo.hostName : configuration.host
        parts.host = host.contains(":") ? "[\(host)]" : host
        parts.port = port
        parts.percentEncodedPath = configuration.base
        guard let url = parts.url else { throw FileError.make(.formatting, path: configuration.base) }
        return url
    }
}
