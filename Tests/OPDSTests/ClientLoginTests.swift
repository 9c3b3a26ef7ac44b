import FaultServer
import FileProviderCore
import Foundation
import OPDSClient
import Testing

/// Logins by the authentication document of a catalogue.
@Suite struct ClientLoginTests {
    /// One user and password for every origin that is asked for; counts what was refused.
    private struct Source: CredentialSource {
        var user = "ishmael"
        var password = "a&b=c d"
        let refusals = CollectedValues<Credential>()

        func credential(for origin: Origin, user: String?) async throws -> Credential? {
            .password(user: self.user, password: password)
        }

        func refused(_ credential: Credential, for origin: Origin, user: String?) { refusals.append(credential) }
    }

    private let oauth = CatalogServer.Login.oauth(user: "ishmael", password: "a&b=c d")

    private func client(_ source: any CredentialSource = Source()) -> CatalogClient {
        CatalogClient(
            options: ConnectionOptions(credentials: source, retries: RetryPolicy(retries: 0), proxy: .none))
    }

    private func loginRequired(_ client: CatalogClient, at url: URL) async -> LoginRequired? {
        await #expect(throws: LoginRequired.self) { _ = try await client.feed(at: url) }
    }

    @Test(arguments: [false, true]) func `a password is exchanged for a token once`(isNamedByHeader: Bool) async throws
    {
        let server = try CatalogServer(book: Data(), login: oauth, isNamedByHeader: isNamedByHeader)
        let client = client()
        let feed = try await client.feed(at: server.url("/opds"))
        #expect(try await client.nextPage(of: feed) != nil)
        let requests = server.requests
        #expect(
            requests.map(\.target)
                == ["/opds"] + (isNamedByHeader ? ["/login.json"] : []) + ["/token", "/opds", "/opds?page=2"])
        #expect(requests.suffix(2).allSatisfy { $0.headers["authorization"] == "Bearer t1" })
        // The password is in the body alone.
        #expect(requests.dropLast(2).allSatisfy { $0.headers["authorization"] == nil })
    }

    @Test func `a token that is refused is renewed, and the request sent again`() async throws {
        let server = try CatalogServer(book: Data(), login: oauth)
        let client = client()
        _ = try await client.feed(at: server.url("/opds"))
        server.revokeTokens()
        _ = try await client.feed(at: server.url("/opds"))
        let forms = server.requests.filter { $0.target == "/token" }.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(forms.count == 2 && forms.last == "grant_type=refresh_token&refresh_token=r1")
        #expect(server.requests.last?.headers["authorization"] == "Bearer t2")
    }

    @Test func `a wrong password is reported to its source`() async throws {
        let server = try CatalogServer(book: Data(), login: oauth)
        let source = Source(password: "wrong")
        let error = await loginRequired(client(source), at: server.url("/opds"))
        #expect(error?.sentence == "“Harbour Library” refused this user and password.")
        #expect(source.refusals.values == [.password(user: "ishmael", password: "wrong")])
    }

    @Test func `without a password the error has the catalogue's document`() async throws {
        let server = try CatalogServer(book: Data(), login: .basic(user: "ishmael", password: "x"))
        let error = await loginRequired(client(FixedCredential(nil)), at: server.url("/opds"))
        #expect(error?.document?.title == "Harbour Library" && error?.url == server.url("/opds"))
        #expect(error?.document?.flow(AuthenticationDocument.Flow.basic)?.labels?.login == "Card")
        #expect(
            error?.sentence
                == "“Harbour Library”: “127.0.0.1” asks for a login, and there is no user and password for it.")
        #expect((error?.underlying as? URLError)?.code == .userAuthenticationRequired)
    }

    @Test func `a password for one server is not sent to another that a catalogue names`() async throws {
        let other = try CatalogServer(book: Data(), login: oauth)
        let address = other.url("/token").absoluteString
        let server = try CatalogServer(
            book: Data(), login: .oauth(user: "ishmael", password: "a&b=c d", tokenAddress: address))
        let error = await loginRequired(client(), at: server.url("/opds"))
        #expect(error?.sentence.contains("Nothing was sent.") == true)
        #expect(other.requests.isEmpty)
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == nil && $0.body.isEmpty })
    }

    /// A client whose certificate's file is missing, so that TLS fails before its first byte if the certificate is used.
    private func clientWithCertificate() -> CatalogClient {
        var options = ConnectionOptions(
            timeouts: Timeouts(connect: 10), retries: RetryPolicy(retries: 0), proxy: .none)
        options.trust.clientCertificate = "/missing/certificate.pem"
        return CatalogClient(options: options)
    }

    /// A server that resets its first connection after the first byte of TLS.
    private func resettingServer() throws -> FaultServer {
        let server = try FaultServer { _ in .reply(500) }
        server.reset(.afterReceiving(1))
        return server
    }

    @Test(arguments: [("127.0.0.1", true), ("localhost", false)])
    func `a client certificate is not used at another host that gives the tokens`(host: String, isOwn: Bool)
        async throws
    {
        let server = try resettingServer()
        let address = server.url("https").absoluteString + "token"
        let document = try AuthenticationDocument(
            data: Data(
                #"{"title": "x", "authentication": [{"type": "http://opds-spec.org/auth/oauth/password", "links": [{"rel": "authenticate", "href": "\#(address)"}]}]}"#
                    .utf8))
        let url = try #require(URL(string: "https://\(host):\(server.port)/opds"))
        let error = await #expect(throws: URLError.self) {
            try await clientWithCertificate().logIn(at: url, by: document, user: "ishmael", password: "whale")
        }
        #expect((error?.code == .clientCertificateRejected) == isOwn)
        #expect((server.traffic.received == 0) == isOwn)
    }

    @Test func `a client certificate is not used at another host that has the authentication document`() async throws {
        let other = try resettingServer()
        let link = "<\(other.url("https").absoluteString)login.json>; rel=\"http://opds-spec.org/auth/document\""
        let server = try CatalogServer(book: Data()) { _ in .reply(401, headers: ["Link": link]) }
        let error = await loginRequired(clientWithCertificate(), at: server.url("/opds"))
        #expect(error != nil && error?.document == nil)
        #expect(other.traffic.received == 1)
    }

    @Test func `an app logs in with what the user typed`() async throws {
        let basic = [true, false].map {
            CatalogServer.Login.basic(user: "ishmael", password: "a&b=c d", isChallenged: $0)
        }
        for login in [oauth] + basic {
            let server = try CatalogServer(book: Data(), login: login)
            let client = client(FixedCredential(nil))
            let asked = try #require(await loginRequired(client, at: server.url("/opds")))
            let document = try #require(asked.document)
            try await client.logIn(at: asked.url, by: document, user: "ishmael", password: "a&b=c d")
            #expect(try await client.feed(at: server.url("/opds")).publications.count == 2)
        }
    }

    @Test func `a user in the address is used for the catalogue's other pages`() async throws {
        let server = try CatalogServer(book: Data(), login: .basic(user: "ishmael", password: "whale"))
        var parts = try #require(URLComponents(url: server.url("/opds"), resolvingAgainstBaseURL: true))
        (parts.user, parts.password) = ("ishmael", "whale")
        let client = client(FixedCredential(nil))
        let feed = try await client.feed(at: try #require(parts.url))
        // No address of the feed has them.
        #expect(!String(decoding: feed.json.data, as: UTF8.self).contains("whale@"))
        #expect(try await client.nextPage(of: feed) != nil)
    }

    @Test func `the template of a search brings no user`() async throws {
        let server = try CatalogServer(book: Data(), login: .basic(user: "ishmael", password: "whale"))
        let address = server.url("/opds").absoluteString.replacing("http://", with: "http://ishmael:whale@")
        let template = Link(href: "{/none}" + address, rels: ["search"])
        let client = client(FixedCredential(nil))
        await #expect(throws: LoginRequired.self) {
            _ = try await client.search(SearchTerms("whales"), in: Feed(title: "x", links: [template]))
        }
        #expect(server.requests.map(\.target) == ["/opds"])
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == nil })
    }

    @Test func `the authentication document of a link is used if the refusal has none`() async throws {
        let book = Data("PK\u{3}\u{4} and so on".utf8)
        let server = try CatalogServer(book: book, login: oauth) { request in
            let isBare = request.target.hasPrefix("/get") && request.headers["authorization"] == nil
            return isBare ? FaultServer.Answer.reply(401) : nil
        }
        var link = Link(href: server.url("/get?book=moby").absoluteString, type: "application/epub+zip")
        link.properties.authenticate = Link(
            href: server.url("/login.json").absoluteString, type: "application/opds-authentication+json")
        let target = try LocalTarget()
        try await client().acquire(link, to: target.path, of: target.provider)
        #expect(try await target.content() == book)
        #expect(server.requests.contains { $0.target == "/login.json" })
    }

    @Test func `a download asks for the login by itself`() async throws {
        let book = Data("PK\u{3}\u{4} and so on".utf8)
        let server = try CatalogServer(book: book, login: oauth)
        let link = Link(href: server.url("/get?book=moby").absoluteString, type: "application/epub+zip")
        let target = try LocalTarget()
        try await client().acquire(link, to: target.path, of: target.provider)
        #expect(try await target.content() == book)
    }
}
