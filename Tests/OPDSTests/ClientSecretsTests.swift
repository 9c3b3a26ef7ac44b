import FaultServer
import FileProviderCore
import Foundation
import OPDSClient
import ProviderDoubles
import SampleBooks
import Testing

/// The ways to log in to a catalogue, and where their secrets go.
@Suite struct ClientSecretsTests {
    enum Way: CaseIterable {
        case basic, basicWithoutChallenge, digest, passwordFlow, token

        var login: CatalogServer.Login {
            switch self {
            case .basic: .basic(user: "ishmael", password: "p&ss w=rd/7")
            case .basicWithoutChallenge: .basic(user: "ishmael", password: "p&ss w=rd/7", isChallenged: false)
            case .digest: .digest(user: "ishmael", password: "p&ss w=rd/7")
            case .passwordFlow: .oauth(user: "ishmael", password: "p&ss w=rd/7")
            case .token: .bearer(token: "token-7fd2")
            }
        }

        var credential: Credential {
            self == .token ? .bearer("token-7fd2") : .password(user: "ishmael", password: "p&ss w=rd/7")
        }

        var wrong: Credential {
            self == .token ? .bearer("token-0000") : .password(user: "ishmael", password: "wr&ng w=rd/7")
        }

        /// What the wrong secret is answered with.
        var refusal: String {
            switch self {
            case .basic, .basicWithoutChallenge: "“Harbour Library”: “127.0.0.1” refused this user and password."
            case .digest: "“127.0.0.1” refused this user and password."
            case .passwordFlow: "“Harbour Library” refused this user and password."
            case .token: "“Harbour Library”: “127.0.0.1” refused this token."
            }
        }

        /// The forms in which the two secrets may be written.
        var secrets: [String] {
            let words = self == .token ? ["token-7fd2", "token-0000"] : ["p&ss w=rd/7", "wr&ng w=rd/7"]
            return words.flatMap { secretForms(of: $0, user: "ishmael") }
        }
    }

    /// Gives one secret to every origin, and counts what was refused.
    private struct Source: CredentialSource {
        let secret: Credential
        let refusals = CollectedValues<Credential>()

        func credential(for origin: Origin, user: String?) async throws -> Credential? { secret }

        func refused(_ credential: Credential, for origin: Origin, user: String?) { refusals.append(credential) }
    }

    private func client(_ source: any CredentialSource, _ log: RecordedLog = RecordedLog()) -> CatalogClient {
        var options = ConnectionOptions(credentials: source, retries: RetryPolicy(retries: 0), proxy: .none)
        options.logger = log.logger
        return CatalogClient(options: options)
    }

    /// A client of `http://server.test`, which a proxy leads to `server`: not this machine, and not encrypted.
    private func remote(_ source: any CredentialSource, _ proxy: ProxyDouble, allowsClear: Bool) throws -> CatalogClient
    {
        var options = ConnectionOptions(credentials: source, allowsClearPassword: allowsClear)
        options.retries.retries = 0
        options.proxy = .server(try ProxyServer(url: proxy.url()))
        return CatalogClient(options: options)
    }

    @Test(arguments: Way.allCases) func `a catalogue's feeds and books open, and the log has no secret`(way: Way)
        async throws
    {
        let content = try SampleBook.small()
        let server = try CatalogServer(book: content, login: way.login)
        let log = RecordedLog()
        let client = client(FixedCredential(way.credential), log)
        let feed = try await client.feed(at: server.url("/opds"))
        #expect(try await client.nextPage(of: feed)?.publications.count == 1)
        let link = try #require(feed.publications.first?.preferredAcquisition())
        let target = try LocalTarget()
        try await client.acquire(link, to: target.path, of: target.provider)
        #expect(try await target.content() == content)
        let book = try await client.open(link)
        #expect(book.metadata.title.string == SampleBook.title)
        await book.close()
        #expect(!log.lines.isEmpty)
        for secret in way.secrets { #expect(!log.text.contains(secret)) }
        if way == .basicWithoutChallenge {
            // The login is asked for once.
            #expect(server.requests.filter { $0.headers["authorization"] == nil }.count == 1)
        }
    }

    @Test(arguments: Way.allCases) func `a wrong secret is refused in one sentence, and reported to its source once`(
        way: Way
    ) async throws {
        let server = try CatalogServer(book: Data(), login: way.login)
        let source = Source(secret: way.wrong)
        let client = client(source)
        let thrown = await #expect(throws: LoginRequired.self) { _ = try await client.feed(at: server.url("/opds")) }
        let error = try #require(thrown)
        #expect(error.sentence == way.refusal)
        #expect(source.refusals.values == [way.wrong])
        let shown = shownForms(of: error)
        for secret in way.secrets { #expect(!shown.contains(secret)) }
    }

    @Test(arguments: Way.allCases) func `no other server gets a secret, by a link or a redirect`(way: Way) async throws
    {
        let content = try SampleBook.small()
        let other = try CatalogServer(book: content)
        let asking = try CatalogServer(book: content, login: way.login)
        let page = other.url("/opds?page=2").absoluteString
        let next = #"{"rel": "next", "href": "\#(page)"}"#
        let linked = #"{"metadata": {"title": "x"}, "links": [\#(next)], "publications": []}"#
        let places = [
            "/away": page, "/get?book=moby": other.url("/get?book=moby").absoluteString,
            "/trap": asking.url("/opds").absoluteString,
        ]
        let server = try CatalogServer(book: content, login: way.login) { request in
            // The catalogue asks for its login first.
            guard request.headers["authorization"] != nil else { return nil }
            if request.target == "/linked" { return .reply(200, body: Data(linked.utf8)) }
            return places[request.target].map { FaultServer.Answer.reply(302, headers: ["Location": $0]) }
        }
        let client = client(FixedCredential(way.credential))
        let feed = try await client.feed(at: server.url("/linked"))
        #expect(try await client.nextPage(of: feed)?.publications.count == 1)
        #expect(try await client.feed(at: server.url("/away")).publications.count == 1)
        let link = Link(href: server.url("/get?book=moby").absoluteString, type: "application/epub+zip")
        let target = try LocalTarget()
        try await client.acquire(link, to: target.path, of: target.provider)
        #expect(try await target.content() == content)
        // Servers that ask for the same login.
        for url in [server.url("/trap"), asking.url("/opds")] {
            await #expect(throws: LoginRequired.self) { _ = try await client.feed(at: url) }
        }
        #expect(other.requests.count >= 3 && !asking.requests.isEmpty)
        for request in other.requests + asking.requests {
            #expect(request.headers["authorization"] == nil && request.body.isEmpty)
            for secret in way.secrets { #expect(!"\(request)".contains(secret)) }
        }
    }

    @Test func `another server that has the authentication document gets no secret`() async throws {
        let other = try CatalogServer(book: Data(), login: Way.passwordFlow.login)
        let link = "<\(other.url("/login.json"))>; rel=\"http://opds-spec.org/auth/document\""
        let server = try CatalogServer(book: Data()) { _ in .reply(401, headers: ["Link": link]) }
        let client = client(FixedCredential(Way.passwordFlow.credential))
        let error = await #expect(throws: LoginRequired.self) { _ = try await client.feed(at: server.url("/opds")) }
        // Its address for tokens is there, too.
        #expect(error?.sentence.hasSuffix("is another server. Nothing was sent.") == true)
        #expect(other.requests.map(\.target) == ["/login.json"])
        #expect(other.requests.allSatisfy { $0.headers["authorization"] == nil })
    }

    @Test func `a document with Basic beside a flow of another server gets the password by Basic`() async throws {
        let other = try CatalogServer(book: Data(), login: Way.passwordFlow.login)
        let flow =
            #"{"type": "http://opds-spec.org/auth/oauth/password", "links": [{"rel": "authenticate", "href": "\#(other.url("/token"))"}]}"#
        let document =
            #"{"title": "x", "authentication": [\#(flow), {"type": "http://opds-spec.org/auth/basic"}]}"#
        let server = try CatalogServer(book: Data(), login: Way.basic.login) { request in
            request.headers["authorization"] == nil ? FaultServer.Answer.reply(401, body: Data(document.utf8)) : nil
        }
        let client = client(FixedCredential(Way.basic.credential))
        #expect(try await client.feed(at: server.url("/opds")).publications.count == 2)
        #expect(other.requests.isEmpty)
    }

    @Test(arguments: [false, true]) func `Basic without a challenge goes over a network only if that is allowed`(
        isAllowed: Bool
    ) async throws {
        let way = Way.basicWithoutChallenge
        let server = try CatalogServer(book: Data(), login: way.login)
        let proxy = try ProxyDouble(to: try #require(server.url("/").port))
        defer { proxy.stop() }
        let client = try remote(FixedCredential(way.credential), proxy, allowsClear: isAllowed)
        let url = try #require(URL(string: "http://server.test/opds"))
        guard !isAllowed else {
            #expect(try await client.feed(at: url).publications.count == 2)
            return
        }
        let error = await #expect(throws: LoginRequired.self) { _ = try await client.feed(at: url) }
        #expect(error?.sentence.contains("in clear over a connection that is not encrypted") == true)
        #expect(server.requests.map(\.target) == ["/opds"])
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == nil })
    }

    @Test func `a document that names Basic in place of digest gets no password`() async throws {
        let document = #"{"title": "x", "authentication": [{"type": "http://opds-spec.org/auth/basic"}]}"#
        let isAttacked = LockedValue(false)
        let server = try CatalogServer(book: Data(), login: Way.digest.login) { _ in
            isAttacked.value ? FaultServer.Answer.reply(401, body: Data(document.utf8)) : nil
        }
        let proxy = try ProxyDouble(to: try #require(server.url("/").port))
        defer { proxy.stop() }
        let client = try remote(FixedCredential(Way.digest.credential), proxy, allowsClear: true)
        let url = try #require(URL(string: "http://server.test/opds"))
        #expect(try await client.feed(at: url).publications.count == 2)
        isAttacked.update { $0 = true }
        let error = await #expect(throws: LoginRequired.self) { _ = try await client.feed(at: url) }
        #expect(error?.sentence.contains("in clear, and did not before") == true)
        #expect(server.requests.allSatisfy { $0.headers["authorization"]?.hasPrefix("Basic") != true })
    }
}
