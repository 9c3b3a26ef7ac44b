import CurlTransport
import FileProviderCore
public import Foundation
import HTTPFileProvider
public import OPDS

extension CatalogClient {
    /// Logs in to the catalogue at `url` with a user and password that the app asked for.
    ///
    /// With the flow `basic`, they are sent with each later request to the origin of `url`. With `oauth/password`, they
    /// are exchanged for a token at once, which then goes to that origin and is renewed when it expires or is refused.
    /// The app has the user's consent that the password goes to the host of the flow's link, if that is another one.
    ///
    /// - Parameters:
    ///   - url: An address of the catalogue: ``LoginRequired/url``.
    ///   - document: The catalogue's document: ``LoginRequired/document``.
    /// - Throws: ``LoginRequired`` if the server refuses the password, or if the document has no such flow;
    ///   `URLError(.appTransportSecurityRequiresSecureConnection)` if a password for an encrypted catalogue would go over
    ///   a connection that is not encrypted, or any over a network in clear unless the options allow it.
    /// - Complexity: No request with `basic`, one with `oauth/password`.
    public func logIn(at url: URL, by document: AuthenticationDocument, user: String, password: String) async throws {
        let cause = FileError.make(
            .userAuthenticationRequired, url: url, sentence: "“\(url.host() ?? "")” asks for a login.")
        if let flow = document.flow(AuthenticationDocument.Flow.oauthPassword),
            let addresses = PasswordFlow.addresses(of: flow)
        {
            let options = connections.connectionOptions(for: addresses.authenticate, namedAt: url)
            let login = try PasswordFlow(addresses, user, password, options, catalog: url)
            do { return try await use(login, at: url) } catch is PasswordFlow.Refused {
                throw LoginRequired(url: url.withoutUser, document: document, underlying: cause, reason: .refused)
            }
        }
        guard document.flow(AuthenticationDocument.Flow.basic) != nil, let origin = Origin(ofServer: url) else {
            throw LoginRequired(url: url.withoutUser, document: document, underlying: cause, reason: .noFlow)
        }
        let credential = Credential.password(user: user, password: password)
        try connections.use(FixedCredential(credential, for: origin), areOwn: true, at: url)
    }

    /// Runs `body` with the connection to the origin of `url`, and again after a login if it throws a ``Refusal``.
    func withLogin<Value: Sendable>(at url: URL, _ body: (HTTPConnection) async throws -> Value) async throws -> Value {
        // Also remembers the user in the address.
        let connection = try connections.connection(to: url)
        do { return try await body(connection) } catch let refusal as Refusal {
            let document = await document(of: refusal, at: url)
            try await logIn(after: refusal, document, at: url)
            do { return try await body(connections.connection(to: url.withoutUser)) } catch let again as Refusal {
                throw LoginRequired(
                    url: url.withoutUser, document: document, underlying: again.cause, reason: .stated)
            }
        }
    }

    /// Returns the authentication document that a refusal has or names; nil if it has none that can be read.
    private func document(of refusal: Refusal, at url: URL) async -> AuthenticationDocument? {
        if let document = refusal.document(at: url) { return document }
        guard let address = refusal.documentAddress(at: url), address.scheme == "https" || url.scheme != "https" else {
            return nil
        }
        // Anyone may read it: no login goes with the request.
        var options = connections.connectionOptions(for: address, namedAt: url)
        options.credentials = FixedCredential(nil)
        guard let connection = try? HTTPConnection(url: address.withoutUser.serverRoot, options: options) else {
            return nil
        }
        var request = HTTPRequest(
            "GET", path: address.shownPath, headers: [("Accept", AuthenticationDocument.mediaType.string)])
        request.url = address.withoutUser
        guard let (data, head) = try? await connection.data(for: request, limit: AuthenticationDocument.largest) else {
            return nil
        }
        return try? AuthenticationDocument(data: data, url: head.redirectedTo ?? address)
    }

    /// Logs in by the flow of `document` with the secrets of the options. A challenge is answered by the connection.
    ///
    /// - Throws: ``LoginRequired`` if there is no way.
    private func logIn(after refusal: Refusal, _ document: AuthenticationDocument?, at url: URL) async throws {
        func required(_ reason: LoginRequired.Reason) -> LoginRequired {
            LoginRequired(url: url.withoutUser, document: document, underlying: refusal.cause, reason: reason)
        }
        // Without a document, the connection's own sentence says the most.
        guard let document, let origin = Origin(ofServer: url) else { throw required(.stated) }
        guard refusal.head.redirectedTo.map({ Origin(ofServer: $0) == origin }) ?? true else {
            throw required(.noCredential)
        }
        let flow = document.flow(AuthenticationDocument.Flow.oauthPassword)
        let offered = flow.flatMap { PasswordFlow.addresses(of: $0) }
        // A catalogue may not collect tokens that another server gives for the user's password there.
        guard let addresses = offered, Origin(ofServer: addresses.authenticate) == origin else {
            let wasAnswered = refusal.head.offersBasic || refusal.head.offersDigest || refusal.isOfToken
            if !wasAnswered, document.flow(AuthenticationDocument.Flow.basic) != nil {
                return try await logInByBasic(after: refusal, document, at: url)
            }
            if let offered { throw required(.otherHost(offered.authenticate.host() ?? "")) }
            throw required(wasAnswered ? .stated : .noFlow)
        }
        guard let credential = try await connections.credential(for: origin) else { throw required(.noCredential) }
        guard case .password(let user, let password) = credential.kind else { throw required(.stated) }
        let options = connections.connectionOptions(for: addresses.authenticate, namedAt: url)
        let login = try PasswordFlow(addresses, user, password, options, catalog: url)
        do { try await use(login, at: url) } catch is PasswordFlow.Refused {
            connections.refused(credential, for: origin)
            throw required(.refused)
        }
    }

    /// Logs in by Basic at a catalogue that names it in its document and sends no challenge.
    private func logInByBasic(after refusal: Refusal, _ document: AuthenticationDocument, at url: URL) async throws {
        func required(_ cause: any Error) -> LoginRequired {
            LoginRequired(url: url.withoutUser, document: document, underlying: cause, reason: .stated)
        }
        let connection = try connections.connection(to: url.withoutUser)
        guard let origin = Origin(ofServer: url),
            case .password(let user, _)? = try await connections.credential(for: origin)?.kind
        else { throw required(refusal.cause) }
        guard connection.mayUseBasic(user: user) else {
            // Says why the password was not sent.
            throw required(connection.error(refusal.head, request: HTTPRequest("GET", path: url.shownPath)))
        }
        try connections.useBasic(at: url)
    }

    /// Gets the first token, and uses this one and later ones at the origin of `url`.
    private func use(_ login: PasswordFlow, at url: URL) async throws {
        let first = try await login.token()
        let tokens = RefreshingToken(first, for: Origin(ofServer: url)) { _ in
            do { return try await login.token() } catch is PasswordFlow.Refused {
                throw FileError.make(
                    .userAuthenticationRequired, url: url,
                    sentence: "“\(url.host() ?? "")” no longer accepts this user and password.")
            }
        }
        try connections.use(tokens, at: url)
    }
}

extension PasswordFlow {
    /// - Throws: `URLError(.appTransportSecurityRequiresSecureConnection)` if the catalogue is encrypted and the login is
    ///   not.
    fileprivate convenience init(
        _ addresses: (authenticate: URL, refresh: URL?), _ user: String, _ password: String,
        _ options: ConnectionOptions, catalog: URL
    ) throws {
        if catalog.scheme?.lowercased() == "https", addresses.authenticate.scheme?.lowercased() != "https" {
            throw FileError.make(
                .appTransportSecurityRequiresSecureConnection, url: addresses.authenticate,
                sentence:
                    "“\(catalog.host() ?? "")” wants the password over a connection that is not encrypted, which is refused."
            )
        }
        self.init(
            authenticate: addresses.authenticate, refresh: addresses.refresh, user: user, password: password,
            options: options)
    }
}
