public import CurlTransport
public import FileProviderCore
public import Foundation

/// A connection to one HTTP origin: logs in, follows redirects, retries, and throws a server's refusals as Foundation's
/// errors.
///
/// A secret goes only to its own origin, and to those that a service declares as its own. Redirects keep the method. A
/// redirect to another origin is followed only for reading, and without credentials; one from `https` to `http` is
/// refused.
public final class HTTPConnection: Sendable {
    /// The root's URL, `http` or `https`, without secrets.
    public let baseURL: URL
    /// The options of this connection. A password in the root's URL replaces their credentials.
    public let options: ConnectionOptions
    private let transport: CurlTransport
    private let login: HTTPLogin
    /// The query of the root's URL: sent with every request, and never shown in a message.
    private let query: String?
    private let signer: (any HTTPRequestSigner)?
    private let ownOrigins: Set<Origin>
    private let serverError: ServerError?
    private let kept = LockedValue<ResponseCache?>(nil)

    /// Returns a server's own error from its code, the item, and the start of the answer's body.
    public typealias ServerError =
        @Sendable (_ code: FileProviderHTTPErrorCode, _ path: ProviderPath, _ data: Data) -> any FileProviderHTTPError

    /// Creates a connection. Sends nothing.
    ///
    /// - Parameters:
    ///   - url: The root. Its user and password are used for the login and shown nowhere.
    ///   - signer: Signs requests, instead of a login by the server's challenge.
    ///   - ownOrigins: As ``HTTPService/ownOrigins``.
    ///   - serverError: Reads the server's own errors; without it, their readable text is used.
    ///   - provider: The provider's name in the log and in metrics.
    /// - Throws: `URLError(.badURL)` if `url` has no host.
    public init(
        url: URL, options: ConnectionOptions, signer: (any HTTPRequestSigner)? = nil, ownOrigins: Set<Origin> = [],
        serverError: ServerError? = nil,
        provider: String = "HTTP"
    ) throws {
        guard let host = url.host(), !host.isEmpty, let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme)
        else {
            throw FileError.make(
                .badURL, url: url, sentence: "“\(url.withoutSecrets.absoluteString)” is not the URL of an HTTP server.")
        }
        let origin = Origin(scheme: scheme, host: host, port: url.port ?? (scheme == "https" ? 443 : 80))
        baseURL = url.withoutSecrets
        query = url.query(percentEncoded: true)
        self.options = options
        self.signer = signer
        self.ownOrigins = ownOrigins.filter { $0.scheme == "https" || $0.isLoopback }
        self.serverError = serverError
        transport = try CurlTransport(options: options, provider: provider)
        let own = url.password(percentEncoded: false).map {
            FixedCredential(.password(user: url.user(percentEncoded: false) ?? "", password: $0), for: origin)
        }
        login = HTTPLogin(
            origin: origin, user: url.user(percentEncoded: false), credentials: own ?? options.credentials,
            options: options,
            isSigned: signer != nil)
    }

    /// Returns the URL of `path`; that of a folder ends in a slash.
    public func url(of path: ProviderPath, isFolder: Bool = false) -> URL {
        let base = baseURL.absoluteString
        let text = (base.hasSuffix("/") ? base : base + "/") + path.percentEncoded
        // Never nil: the base is a URL, and all that is added is unreserved or percent-encoded.
        return URL(string: isFolder && !path.isRoot ? text + "/" : text) ?? baseURL
    }

    /// Sends `request` and returns the head of the answer after the sink of its `receive` has the body.
    ///
    /// - Throws: `CocoaError`, `URLError` or ``HTTPStatusError`` for a status that is neither a success nor accepted;
    ///   errors of sink and source; `CancellationError`.
    public func send(_ request: HTTPRequest) async throws -> ResponseHead {
        try await options.retries.run(counters: options.counters) { error in
            request.mayRepeat(after: error)
        } _: {
            try await self.sendOnce(request)
        }
    }

    /// Sends `request` as ``send(_:)`` does, without retries: for callers that continue where it failed.
    public func sendOnce(_ request: HTTPRequest) async throws -> ResponseHead {
        if case .source = request.body { try await settleLogin(at: request.path) }
        guard request.isWriting, options.cache.folder != nil else { return try await sendCheckingStatus(request) }
        // Before, so that an answer that arrives meanwhile is not kept, and after.
        await forget(request.paths)
        let answer = await Result { try await sendCheckingStatus(request) }
        await forget(request.paths)
        return try answer.get()
    }

    /// Removes the kept answers about the items at and below `paths`, for a change that was not a request of this
    /// connection.
    public func forget(_ paths: [ProviderPath]) async {
        guard let responses = await responses() else { return }
        for path in paths { await responses.forget(path) }
    }

    /// Makes later requests ignore the kept answers about the items at and below `path`.
    public func drop(_ path: ProviderPath) {
        guard options.cache.folder != nil else { return }
        if let responses = kept.value { responses.drop(path) } else { Task { await forget([path]) } }
    }

    /// Answers kept in a folder, of the user that the credential names; nil where the policy has none, or there is no
    /// way to log in.
    package func responses() async -> ResponseCache? {
        guard options.cache.folder != nil else { return nil }
        if let kept = kept.value { return kept }
        guard let access = try? await login.access() else { return nil }
        let cache = ResponseCache(
            policy: options.cache, base: "\(baseURL.absoluteString)?\(query ?? "")", identity: access.identity)
        return kept.update { kept in
            kept = kept ?? cache
            return kept
        }
    }

    /// Throws for a status that is neither a success nor accepted.
    private func sendCheckingStatus(_ request: HTTPRequest) async throws -> ResponseHead {
        let head = try await sendFollowingRedirects(request)
        // After a change, “see other” shows where its result can be looked at (RFC 9110, section 15.4.4).
        let isDone = head.isSuccess || (head.status == 303 && request.isWriting)
        guard isDone || request.accepts.contains(head.status) else {
            throw error(head, request: request)
        }
        return head
    }

    /// Returns the error for a status that is not the answer's own, such as one in a multi-status.
    ///
    /// - Parameter words: The server's description of the error.
    public func error(status: Int, words: String? = nil, request: HTTPRequest) -> any Error {
        var head = ResponseHead(status: status)
        if let words {
            head.errorBody = Data(words.utf8)
            head.headers.append(("Content-Type", "text/plain"))
        }
        return error(head, request: request)
    }

    /// Returns the error of an answer to `request`, whatever its status is: some servers send errors with 200. The
    /// service reads ``/CurlTransport/ResponseHead/errorBody``.
    public func error(_ head: ResponseHead, request: HTTPRequest) -> any Error {
        // Reading is refused as a method only where there is no file: some servers answer so for folders.
        if request.needsFile, head.status == 405 {
            return FileError.isADirectory(request.path, url: url(of: request.path))
        }
        let underlyingError = serverError?(
            FileProviderHTTPErrorCode(rawValue: head.status), request.path, head.errorBody)
        let url = url(of: request.path, isFolder: request.isFolder)
        return HTTPStatusError(head, request: request, url: url, login: login.state, underlyingError: underlyingError)
            .foundationError
    }

    /// Returns whether the answer to `OPTIONS` at `path` names WebDAV (RFC 4918, section 10.1).
    ///
    /// - Returns: False also for a server that refuses the method or the login.
    /// - Complexity: One request.
    public func speaksWebDAV(at path: ProviderPath) async throws -> Bool {
        let head = try await send(HTTPRequest("OPTIONS", path: path, accepts: Set(400..<500).union([501])))
        return head.joined("DAV")?.split(separator: ",").contains {
            $0.trimmingCharacters(in: .whitespaces) == "1" || $0.trimmingCharacters(in: .whitespaces) == "2"
        } == true
    }

    /// Whether the password of `user` may be sent to the origin by Basic without a challenge, as a challenge would be
    /// answered: not in clear over a network unless the options allow it, and not after the server offered digest there.
    /// If not, later errors of refusals have the reason.
    package func mayUseBasic(user: String) -> Bool { login.mayUseBasic(user: user) }

    /// Cancels running requests, which throw `URLError(.cancelled)`. Later requests work as before.
    public func cancelAll() { transport.cancelAll() }

    /// Returns the signer's credential, for a service that signs something besides its requests; nil without a signer or
    /// a credential.
    ///
    /// - Throws: An error of the credential source.
    public func signingCredential() async throws -> Credential? { try await login.access().signing }

    /// Finds out how the server wants the login before a large body is on its way.
    private func settleLogin(at path: ProviderPath) async throws {
        guard try await login.isOpen() else { return }
        // Not OPTIONS: many a server answers that without a login, and lighttpd never ends its answer about a name that
        // is not there.
        _ = try await sendFollowingRedirects(HTTPRequest("PROPFIND", path: path, headers: [("Depth", "0")]))
        login.wasAskedFor()
    }

    /// Goes on where the server redirects to, ten times at most.
    private func sendFollowingRedirects(_ request: HTTPRequest) async throws -> ResponseHead {
        var trail = RedirectTrail(fullURL(of: request))
        for _ in 0..<10 {
            let head = try await sendAuthenticated(trail.url, request: trail.next(request))
            if head.status == 303, request.isWriting { return head }
            guard [301, 302, 303, 307, 308].contains(head.status), let location = head["Location"] else {
                return trail.marked(head)
            }
            try trail.follow(
                redirect(from: trail.url, to: location, request: request, status: head.status), after: head, options)
        }
        throw FileError.make(
            .httpTooManyRedirects, url: trail.url, sentence: "“\(trail.url.host() ?? "")” redirects in a circle.")
    }

    private func fullURL(of request: HTTPRequest) -> URL {
        if let url = request.url { return url }
        let url = url(of: request.path, isFolder: request.isFolder)
        let query = [query, request.query].compactMap { $0 }.joined(separator: "&")
        return query.isEmpty ? url : URL(string: "\(url.absoluteString)?\(query)") ?? url
    }

    /// Logs in, once more where the answer says that the login has to be another.
    private func sendAuthenticated(_ url: URL, request: HTTPRequest) async throws -> ResponseHead {
        let (head, access) = try await sendSigned(to: url, request: request)
        guard let access else { return head }
        if let signer, access.signing != nil {
            return try await judged(head, of: access, by: signer, url: url, request: request)
        }
        guard head.status == 401, try await login.reconsider(head, of: access) else {
            login.judge(head, of: access, isRefused: head.status == 401)
            return head
        }
        guard request.canBeSentAgain else { throw FileError.notRepeatable() }
        let (second, other) = try await sendSigned(to: url, request: request)
        login.judge(second, of: other ?? access, isRefused: second.status == 401)
        return second
    }

    /// Reports an answer to the signer of its request, and tries once more if the signer may do better.
    private func judged(
        _ head: ResponseHead, of access: HTTPLogin.Access, by signer: any HTTPRequestSigner, url: URL,
        request: HTTPRequest
    ) async throws -> ResponseHead {
        var head = head
        var verdict = signer.verdict(on: head)
        if verdict == .signAgain, request.canBeSentAgain {
            head = try await sendSigned(to: url, request: request).head
            verdict = signer.verdict(on: head)
        }
        if [.accepted, .refused].contains(verdict) { login.judge(head, of: access, isRefused: verdict == .refused) }
        return head
    }

    /// Sends one request over the transport, with the login's headers or signed.
    ///
    /// - Returns: The answer, and the access that went with the request; nil away from home.
    private func sendSigned(to url: URL, request: HTTPRequest) async throws -> (
        head: ResponseHead, access: HTTPLogin.Access?
    ) {
        // Before it is signed: a signature has the time in it.
        try await options.requestLimit?.take()
        let isHome = login.origin.matches(url)
        var transfer = TransferRequest(
            method: request.method, url: url, headers: request.headers, body: request.body, receive: request.receive)
        transfer.showsClientCertificate = isHome
        transfer.decodesContent = request.decodesContent
        transfer.refusesLocalAddresses = request.refusesLocalAddresses
        transfer.mayBeSentTwice = request.repetition == .always
        // A server may be busy for minutes with a tree, or with seeing a large file onto its disk.
        transfer.patience =
            request.patience ?? (["COPY", "MOVE", "DELETE", "PUT", "POST"].contains(request.method) ? 10 : 1)
        let access = isHome ? try await login.access() : try await accessElsewhere(url)
        if let access {
            transfer.authentication = access.authentication
            if let token = access.bearer { transfer.headers.append(("Authorization", "Bearer \(token)")) }
            if let signer, let credential = access.signing { try signer.sign(&transfer, with: credential) }
        }
        let head = try await transport.send(transfer)
        if isHome { login.learn(from: head) }
        return (head, access)
    }

    /// The login for a request to another origin: a token or signature if the origin is the service's own, else none.
    private func accessElsewhere(_ url: URL) async throws -> HTTPLogin.Access? {
        guard ownOrigins.contains(where: { $0.matches(url) }) else { return nil }
        var access = try await login.access()
        access.authentication = .none
        return access.bearer == nil && access.signing == nil ? nil : access
    }

    private func redirect(from url: URL, to location: String, request: HTTPRequest, status: Int) throws -> URL {
        guard let target = URL(string: location, relativeTo: url)?.absoluteURL, let scheme = target.scheme?.lowercased()
        else {
            throw FileError.make(
                .redirectToNonExistentLocation, url: url, sentence: "The server redirects to a URL that is not one.")
        }
        if request.needsFile, target.path(percentEncoded: true) == url.path(percentEncoded: true) + "/" {
            throw FileError.isADirectory(request.path, url: url)
        }
        guard scheme == "https" || (scheme == "http" && url.scheme == "http") else {
            throw FileError.make(
                .appTransportSecurityRequiresSecureConnection, url: url,
                sentence: "The server redirects to “\(scheme)”, which is not safe to follow.")
        }
        guard login.origin.matches(target) || ["GET", "HEAD", "OPTIONS", "PROPFIND"].contains(request.method) else {
            throw FileError.make(
                .redirectToNonExistentLocation, url: url,
                sentence:
                    "The server redirects \(request.method) to “\(Self.shown(target))”, which is followed for reading only."
            )
        }
        if request.isWriting, [301, 302].contains(status) { try refuseOtherName(target, url: url, request: request) }
        guard request.canBeSentAgain else { throw FileError.notRepeatable() }
        return target
    }

    /// A URL in a sentence: without secrets, and with its path as sentences have paths.
    private static func shown(_ url: URL) -> String {
        let text = url.withoutSecrets.absoluteString
        return text.removingPercentEncoding?.filter { !$0.isNewline } ?? text
    }

    /// Refuses to send a change to another name, as to a login page: most clients make a `GET` of it there (RFC 9110,
    /// section 15.4.3).
    private func refuseOtherName(_ target: URL, url: URL, request: HTTPRequest) throws {
        guard target.lastPathComponent != url.lastPathComponent else { return }
        let what = ["PUT": "the upload", "DELETE": "the removal"][request.method] ?? request.method
        throw FileError.make(
            .redirectToNonExistentLocation, url: url,
            sentence:
                "The server redirects \(what) of “\(request.path)” to “\(Self.shown(target))”. A login page may be in the way; nothing was changed."
        )
    }
}

extension HTTPRequest {
    fileprivate var canBeSentAgain: Bool {
        if case .source(let source) = body { source.isRepeatable } else { true }
    }

    /// Whether the request may be sent again after it has failed with `error`.
    package func mayRepeat(after error: any Error) -> Bool {
        guard canBeSentAgain else { return false }
        // A server that broke down over a change would break down over it again, or has half done it.
        if isWriting, (error as? any FileProviderHTTPError)?.code.rawValue == 500 { return false }
        switch repetition {
        case .always: return error.isTransient
        case .ifNotDone:
            if (error as? URLError)?.code == .cannotConnectToHost { return true }
            return (error as? any FileProviderHTTPError).map { [423, 425, 429, 503].contains($0.code.rawValue) }
                ?? false
        }
    }
}

extension Origin {
    /// Whether `url` belongs to this origin.
    func matches(_ url: URL) -> Bool {
        let scheme = url.scheme?.lowercased()
        return scheme == self.scheme && url.host()?.lowercased() == host
            && (url.port ?? (scheme == "https" ? 443 : 80)) == port
    }
}

extension Result where Failure == any Error {
    /// The result of `body`.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
