public import CurlTransport
public import FileProviderCore
public import Foundation

/// The way to one HTTP origin: logs in, follows redirects, tries again, and puts a server's refusals in Foundation's words.
///
/// A secret goes to its own origin only. Redirects keep the method; one that leads to another origin is followed for reading alone, and
/// without credentials; one from `https` to `http` is refused.
public final class HTTPConnection: Sendable {
    /// The root's URL, `http` or `https`, without secrets.
    public let baseURL: URL
    /// Those given; a password in the root's URL takes the place of their credentials.
    public let options: ConnectionOptions
    private let transport: CurlTransport
    private let login: HTTPLogin
    /// What stood behind the question mark of the root's URL: it goes with every request, and into no message.
    private let query: String?

    /// - Parameter url: The root; user and password in it are used and go no further.
    /// - Throws: `URLError(.badURL)` when there is no host in it.
    public init(url: URL, options: ConnectionOptions) throws {
        guard let host = url.host(), !host.isEmpty, let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            throw FileError.make(.badURL, url: url, sentence: "“\(url.withoutSecrets.absoluteString)” names no HTTP server.")
        }
        let origin = Origin(scheme: scheme, host: host, port: url.port ?? (scheme == "https" ? 443 : 80))
        baseURL = url.withoutSecrets
        query = url.query(percentEncoded: true)
        self.options = options
        transport = try CurlTransport(options: options)
        let own = url.password(percentEncoded: false).map {
            FixedCredential(.password(user: url.user(percentEncoded: false) ?? "", password: $0), for: origin)
        }
        login = HTTPLogin(
            origin: origin, user: url.user(percentEncoded: false), credentials: own ?? options.credentials, options: options)
    }

    /// The URL of `path`; a folder's ends in a slash.
    public func url(of path: ProviderPath, isFolder: Bool = false) -> URL {
        let base = baseURL.absoluteString
        let text = (base.hasSuffix("/") ? base : base + "/") + path.percentEncoded
        // Never nil: the base is a URL, and all that is added is unreserved or percent-encoded.
        return URL(string: isFolder && !path.isRoot ? text + "/" : text) ?? baseURL
    }

    /// Sends `request` and returns the answer's head once the body has gone where `receive` said.
    ///
    /// - Throws: `CocoaError`, `URLError` or ``HTTPStatusError`` for a status that is neither a success nor accepted; errors of sink and
    ///   source; `CancellationError`.
    public func send(_ request: HTTPRequest) async throws -> ResponseHead {
        try await options.retries.run(counters: options.counters) { error in
            request.mayRepeat(after: error)
        } _: {
            try await self.sendOnce(request)
        }
    }

    /// As ``send(_:)``, without trying again: for callers that go on where the failure was.
    public func sendOnce(_ request: HTTPRequest) async throws -> ResponseHead {
        if case .source = request.body { try await settleLogin(at: request.path) }
        let head = try await exchange(request)
        // After a change, “see other” shows where its result can be looked at (RFC 9110, section 15.4.4).
        let isDone = head.isSuccess || (head.status == 303 && request.isWriting)
        guard isDone || request.accepts.contains(head.status) else {
            throw error(head, request: request)
        }
        return head
    }

    /// What `status` means for `request`, where it came in another way than as the answer's own, such as in a multi-status.
    public func error(status: Int, request: HTTPRequest) -> any Error { error(ResponseHead(status: status), request: request) }

    private func error(_ head: ResponseHead, request: HTTPRequest) -> any Error {
        // Reading is refused as a method only where there is no file: some servers answer so for folders.
        if request.needsFile, head.status == 405 { return FileError.isADirectory(request.path, url: url(of: request.path)) }
        return HTTPStatusError(head, request: request, url: url(of: request.path, isFolder: request.isFolder), login: login.state)
            .foundationError
    }

    /// Whether `OPTIONS` names WebDAV among what the server does at `path` (RFC 4918, section 10.1).
    ///
    /// - Complexity: One request. A server that refuses the method, or the login, speaks none as far as anybody can tell.
    public func speaksWebDAV(at path: ProviderPath) async throws -> Bool {
        let head = try await send(HTTPRequest("OPTIONS", path, accepts: Set(400..<500).union([501])))
        return head.joined("DAV")?.split(separator: ",").contains {
            $0.trimmingCharacters(in: .whitespaces) == "1" || $0.trimmingCharacters(in: .whitespaces) == "2"
        } == true
    }

    /// Ends what runs with `URLError(.cancelled)`. Requests after it start anew.
    public func cancelAll() { transport.cancelAll() }

    /// Finds out how the server wants the login before a large body is on its way.
    private func settleLogin(at path: ProviderPath) async throws {
        guard try await login.isOpen() else { return }
        // Not OPTIONS: many a server answers that without a login, and lighttpd never ends its answer about a name that is not there.
        _ = try await exchange(HTTPRequest("PROPFIND", path, headers: [("Depth", "0")]))
        login.wasAskedFor()
    }

    private func exchange(_ request: HTTPRequest) async throws -> ResponseHead {
        var url = url(of: request.path, isFolder: request.isFolder)
        if let query { url = URL(string: "\(url.absoluteString)?\(query)") ?? url }
        for _ in 0..<10 {
            let head = try await sendTo(url, request)
            if head.status == 303, request.isWriting { return head }
            guard [301, 302, 303, 307, 308].contains(head.status), let location = head["Location"] else { return head }
            url = try redirect(from: url, to: location, request)
        }
        throw FileError.make(.httpTooManyRedirects, url: url, sentence: "“\(url.host() ?? "")” redirects in a circle.")
    }

    private func sendTo(_ url: URL, _ request: HTTPRequest) async throws -> ResponseHead {
        let (head, access) = try await sendOnce(to: url, request)
        guard let access else { return head }
        guard head.status == 401, try await login.reconsider(head, of: access) else {
            login.judge(head, of: access)
            return head
        }
        guard request.canBeSentAgain else { throw FileError.notRepeatable() }
        let (second, other) = try await sendOnce(to: url, request)
        login.judge(second, of: other ?? access)
        return second
    }

    /// - Returns: The answer, and the access that went with the request; nil away from home.
    private func sendOnce(to url: URL, _ request: HTTPRequest) async throws -> (head: ResponseHead, access: HTTPLogin.Access?) {
        let isHome = login.origin.matches(url)
        var transfer = TransferRequest(
            method: request.method, url: url, headers: request.headers, body: request.body, receive: request.receive)
        transfer.showsClientCertificate = isHome
        transfer.mayBeSentTwice = request.repetition == .always
        // A server may be busy for minutes with a tree, or with seeing a large file onto its disk.
        if ["COPY", "MOVE", "DELETE", "PUT"].contains(request.method) { transfer.patience = 10 }
        let access = isHome ? try await login.access() : nil
        if let access {
            transfer.authentication = access.authentication
            if let token = access.bearer { transfer.headers.append(("Authorization", "Bearer \(token)")) }
        }
        let head = try await transport.send(transfer)
        if isHome { login.learn(from: head) }
        return (head, access)
    }

    private func redirect(from url: URL, to location: String, _ request: HTTPRequest) throws -> URL {
        guard let target = URL(string: location, relativeTo: url)?.absoluteURL, let scheme = target.scheme?.lowercased() else {
            throw FileError.make(.redirectToNonExistentLocation, url: url, sentence: "The server redirects to a URL that is not one.")
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
                    "The server redirects \(request.method) to \(target.withoutSecrets.absoluteString), which is followed for reading only."
            )
        }
        guard request.canBeSentAgain else { throw FileError.notRepeatable() }
        return target
    }
}

extension HTTPRequest {
    fileprivate var canBeSentAgain: Bool {
        if case .source(let source) = body { source.isRepeatable } else { true }
    }

    fileprivate func mayRepeat(after error: any Error) -> Bool {
        guard canBeSentAgain else { return false }
        // A server that broke down over a change would break down over it again, or has half done it.
        if isWriting, (error as? any FileProviderHTTPError)?.code.rawValue == 500 { return false }
        switch repetition {
        case .always: return error.isTransient
        case .ifNotDone:
            if (error as? URLError)?.code == .cannotConnectToHost { return true }
            return (error as? any FileProviderHTTPError).map { [423, 425, 429, 503].contains($0.code.rawValue) } ?? false
        }
    }
}

extension Origin {
    /// Whether `url` belongs to this origin.
    func matches(_ url: URL) -> Bool {
        let scheme = url.scheme?.lowercased()
        return scheme == self.scheme && url.host()?.lowercased() == host && (url.port ?? (scheme == "https" ? 443 : 80)) == port
    }
}

extension URL {
    /// The server's root, with user, password and query if there are any.
    public var serverRoot: URL {
        var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) ?? URLComponents()
        parts.percentEncodedPath = "/"
        parts.fragment = nil
        return parts.url ?? self
    }
}
