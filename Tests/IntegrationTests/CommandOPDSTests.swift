import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

/// `opds` against a catalogue of three books.
@Suite struct CommandOPDSTests {
    private func use(
        login: CatalogServer.Login = .none,
        misbehave: @escaping @Sendable (FaultServer.Request) -> FaultServer.Answer? = { _ in nil },
        _ body: (inout CommandRunner, CatalogServer) async throws -> Void
    ) async throws {
        let server = try CatalogServer(book: try SampleBook.small(), login: login, misbehave: misbehave)
        defer { server.stop() }
        try await CommandRunner.use { try await body(&$0, server) }
    }

    @Test func `ls shows feeds and books, and follows pages when asked`() async throws {
        try await use { runner, server in
            let page = server.url("/opds").absoluteString
            let one = try await runner.run("opds", "ls", page)
            #expect(one.code == 0, "\(one.error)")
            let lines = [
                "New\t\tfeed\t\(server.url("/new"))",
                "Moby-Dick\tHerman Melville\tepub\t\(server.url("/get?book=moby"))",
                "Walden\tHenry David Thoreau\t\t\(server.url("/entry/walden"))",
            ]
            #expect(one.text.split(separator: "\n").map(String.init) == lines)
            let all = try await runner.run("opds", "ls", "--pages", "all", page)
            #expect(all.text.hasPrefix(one.text) && all.text.contains("\nMiddlemarch\tGeorge Eliot\t"))
            let json = try await runner.run("opds", "ls", "--pages", "2", "--json", page)
            #expect((json.object["publications"] as? [Any])?.count == 3)
            #expect((json.object["metadata"] as? [String: Any])?["title"] as? String == "Harbour Library")
        }
    }

    /// A loan of which all copies are out, a sale with a sample, a free book, and a subscription, by OPDS 2.0.
    private static let terms = #"""
        {"metadata": {"title": "Shop"}, "publications": [
        {"metadata": {"title": "Typee"}, "links": [{"href": "/1", "type": "application/epub+zip",
         "rel": "http://opds-spec.org/acquisition/borrow", "properties": {
         "availability": {"state": "unavailable", "since": "2026-01-01T00:00:00Z", "until": "2026-02-01T12:30:00+01:00"},
         "holds": {"total": 3, "position": 0}, "copies": {"total": 2, "available": 0}}}]},
        {"metadata": {"title": "Omoo"}, "links": [
         {"href": "/2", "type": "application/pdf", "rel": "http://opds-spec.org/acquisition/buy",
          "properties": {"price": {"currency": "EUR", "value": 9.99}}},
         {"href": "/2s", "type": "application/epub+zip", "rel": "preview"}]},
        {"metadata": {"title": "Mardi"}, "links": [{"href": "/3", "type": "application/epub+zip",
         "rel": "http://opds-spec.org/acquisition/open-access"}]},
        {"metadata": {"title": "Redburn"}, "links": [
         {"href": "/4", "type": "application/epub+zip", "rel": "http://opds-spec.org/acquisition/subscribe",
          "properties": {"availability": {"state": "reserved"}, "holds": {"total": 4, "position": 2}, "copies": {"total": 1}}},
         {"href": "/4b", "type": "text/html", "rel": "http://opds-spec.org/acquisition",
          "properties": {"price": {"currency": "JPY", "value": "1200"}}}]}]}
        """#

    /// The first two by OPDS 1.2.
    private static let atomTerms = """
        <feed xmlns="http://www.w3.org/2005/Atom" xmlns:opds="http://opds-spec.org/2010/catalog"><title>Shop</title>
        <entry><title>Typee</title><link href="/1" type="application/epub+zip" rel="http://opds-spec.org/acquisition/borrow">
        <opds:availability status="unavailable" since="2026-01-01T00:00:00Z" until="2026-02-01T11:30:00Z"/>
        <opds:holds total="3" position="0"/><opds:copies total="2" available="0"/></link></entry>
        <entry><title>Omoo</title><link href="/2" type="application/pdf" rel="http://opds-spec.org/acquisition/buy">
        <opds:price currencycode="EUR">9.99</opds:price></link>
        <link href="/2s" type="application/epub+zip" rel="http://opds-spec.org/acquisition/sample"/></entry></feed>
        """

    @Test func `ls shows prices, samples and what a library has`() async throws {
        let answers = ["/shop": Self.terms, "/shop.atom": Self.atomTerms]
        let pages: @Sendable (FaultServer.Request) -> FaultServer.Answer? = { request in
            answers[request.target].map { FaultServer.Answer.reply(200, body: Data($0.utf8)) }
        }
        try await use(misbehave: pages) { runner, server in
            let shown = try await runner.run("opds", "ls", server.url("/shop").absoluteString)
            let lines = [
                "Typee\t\tepub\t\(server.url("/1"))\tborrow, unavailable since 2026-01-01T00:00:00Z until 2026-02-01T11:30:00Z, 3 holds, 0 of 2 copies",
                "Omoo\t\tpdf\t\(server.url("/2"))\tbuy 9.99 EUR; sample epub",
                "Mardi\t\tepub\t\(server.url("/3"))",
                "Redburn\t\tepub, html\t\(server.url("/4b"))\tsubscribe, reserved, place 2 of 4 holds, 1 copy; 1200 JPY",
            ]
            #expect(shown.text.split(separator: "\n").map(String.init) == lines, "\(shown.error)")
            let older = try await runner.run("opds", "ls", server.url("/shop.atom").absoluteString)
            #expect(older.text.split(separator: "\n").map(String.init) == Array(lines.prefix(2)), "\(older.error)")
            for page in answers.keys {
                let json = try await runner.run("opds", "ls", "--json", server.url(page).absoluteString)
                let books = try #require(json.object["publications"] as? [[String: Any]])
                let links = books.prefix(2).flatMap { $0["links"] as? [[String: Any]] ?? [] }
                let properties = links.map { $0["properties"] as? [String: Any] ?? [:] }
                try #require(properties.count == 3)
                let availability = properties[0]["availability"] as? [String: String]
                #expect(
                    availability == [
                        "state": "unavailable", "since": "2026-01-01T00:00:00Z",
                        "until": page == "/shop" ? "2026-02-01T12:30:00+01:00" : "2026-02-01T11:30:00Z",
                    ])
                let holds = properties[0]["holds"] as? [String: Any]
                #expect(holds?["total"] as? Int == 3 && holds?["position"] as? Int == 0)
                let copies = properties[0]["copies"] as? [String: Any]
                #expect(copies?["total"] as? Int == 2 && copies?["available"] as? Int == 0)
                let price = properties[1]["price"] as? [String: Any]
                #expect(price?["currency"] as? String == "EUR" && price?["value"] as? Double == 9.99)
                let sample = links[2]["rel"] as? String
                #expect(sample == (page == "/shop" ? "preview" : "http://opds-spec.org/acquisition/sample"))
            }
        }
    }

    @Test func `ls shows the choices of facets once, and numbers of items`() async throws {
        let facets = #"""
            {"metadata": {"title": "x"}, "links": [{"rel": "next", "href": "/next"}],
            "navigation": [{"title": "New", "href": "/new", "properties": {"numberOfItems": 1}}],
            "facets": [{"metadata": {"title": "Language"}, "links": [
            {"title": "French", "href": "/fr", "properties": {"numberOfItems": 10}},
            {"title": "English", "href": "/en", "rel": "self", "properties": {"numberOfItems": 31}},
            {"title": "Latin", "href": "/la"}]}]}
            """#
        let pages: @Sendable (FaultServer.Request) -> FaultServer.Answer? = { request in
            switch request.target {
            case "/facets": .reply(200, body: Data(facets.utf8))
            case "/next": .reply(200, body: Data(facets.replacing("next", with: "after").utf8))
            default: nil
            }
        }
        try await use(misbehave: pages) { runner, server in
            let shown = try await runner.run("opds", "ls", "--pages", "2", server.url("/facets").absoluteString)
            let new = "New\t\tfeed\t\(server.url("/new"))\t1 item"
            let lines = [
                "Language: French\t\tfacet\t\(server.url("/fr"))\t10 items",
                "Language: English\t\tfacet\t\(server.url("/en"))\tactive, 31 items",
                "Language: Latin\t\tfacet\t\(server.url("/la"))", new, new,
            ]
            #expect(shown.text.split(separator: "\n").map(String.init) == lines, "\(shown.error)")
        }
    }

    @Test func `get takes a sample for the book only if it is told to`() async throws {
        let content = try SampleBook.small()
        let shop: @Sendable (FaultServer.Request) -> FaultServer.Answer? = { request in
            switch request.target {
            case "/shop": .reply(200, body: Data(Self.terms.utf8))
            case "/2s": .file(content, for: request)
            default: nil
            }
        }
        try await use(misbehave: shop) { runner, server in
            let feed = server.url("/shop").absoluteString
            expectFailure(
                try await runner.run("opds", "get", "--select", "2", "--format", "epub", feed), 3,
                "there is: pdf. --sample gets a sample.")
            expectFailure(
                try await runner.run("opds", "get", "--select", "2", "--sample", "--format", "pdf", feed), 3,
                "no sample of “Omoo” in that format")
            expectFailure(try await runner.run("opds", "get", "--select", "1", "--sample", feed), 3, "“Typee”")
            let sample = try await runner.run("opds", "get", "--select", "2", "--sample", feed)
            #expect(sample.code == 0 && sample.text == "./Omoo (sample).epub\n", "\(sample.error)")
            #expect(try Data(contentsOf: runner.folder.appending(path: "Omoo (sample).epub")) == content)
        }
    }

    @Test func `search sends the words and the author`() async throws {
        try await use { runner, server in
            let found = try await runner.run(
                "opds", "search", "--author", "Melville", server.url("/opds").absoluteString, "white", "whale")
            #expect(found.code == 0 && found.text.hasPrefix("Moby-Dick\tHerman Melville\tepub\t"), "\(found.error)")
            #expect(server.requests.last?.target == "/search?query=white%20whale&author=Melville")
            expectFailure(
                try await runner.run("opds", "search", server.url("/mute").absoluteString, "whale"), 1, "“Mute”")
            expectFailure(try await runner.run("opds", "search", server.url("/opds").absoluteString), 2)
        }
    }

    @Test func `get writes a book under its title`() async throws {
        try await use { runner, server in
            let feed = server.url("/opds").absoluteString
            let book = try await runner.run("opds", "get", "--select", "2", "--json", feed)
            #expect(book.code == 0, "\(book.error)")
            #expect(book.object["mediaType"] as? String == "application/epub+zip")
            let content = try SampleBook.small()
            #expect(book.object["size"] as? Int == content.count)
            #expect(try runner.names() == ["Walden.epub"])
            #expect(try Data(contentsOf: runner.folder.appending(path: "Walden.epub")) == content)
            expectFailure(
                try await runner.run("opds", "get", "--identifier", "urn:x-test:walden", feed), 5, "Walden.epub")
            // The address of a book itself, and a name for it.
            let direct = try await runner.run("opds", "get", server.url("/get?book=moby").absoluteString, "whale.epub")
            #expect(direct.code == 0 && direct.text == "whale.epub\n", "\(direct.error)")
            #expect(try runner.names() == ["Walden.epub", "whale.epub"])
        }
    }

    @Test func `a web page in place of a catalogue is refused with the catalogue that it names`() async throws {
        let page = #"<!DOCTYPE html><html><head><link rel="alternate" type="application/opds+json" href="opds"></head>"#
        try await use(misbehave: { $0.target == "/" ? .reply(200, body: Data(page.utf8)) : nil }) { runner, server in
            let refused = try await runner.run("opds", "ls", server.url("/").absoluteString)
            expectFailure(refused, 8, "names this one: \(server.url("/opds"))\n")
        }
    }

    @Test func `books on later pages are chosen when these are read`() async throws {
        try await use { runner, server in
            let feed = server.url("/opds").absoluteString
            // The third book is sold on a web page.
            for choice in [["--select", "3"], ["--identifier", "urn:x-test:middlemarch"]] {
                expectFailure(try await runner.run(["opds", "get"] + choice + [feed]), 3, "--pages")
                let shop = server.url("/shop").absoluteString
                expectFailure(try await runner.run(["opds", "get", "--pages", "2"] + choice + [feed]), 1, shop)
            }
            let count = server.requests.count
            let first = try await runner.run("opds", "open", "--pages", "all", "--select", "1", feed)
            #expect(first.code == 0, "\(first.error)")
            #expect(!server.requests.dropFirst(count).contains { $0.target == "/opds?page=2" })
        }
    }

    @Test(arguments: [
        ("attachment; filename=\"w.pdf\"; filename*=UTF-8''White%20Whale.epub", "White Whale.epub"),
        ("attachment; filename=\"../../.up.epub\"", "up.epub"), ("attachment; filename=whale", "whale"),
        ("inline", "7"),
    ])
    func `a file at its own address has the name that the server suggests`(field: String, name: String) async throws {
        let content = try SampleBook.small()
        let headers = ["ETag": "\"1\"", "Content-Type": "application/octet-stream", "Content-Disposition": field]
        let files: @Sendable (FaultServer.Request) -> FaultServer.Answer? = { request in
            request.target == "/files/7" ? .file(content, for: request, headers: headers) : nil
        }
        try await use(misbehave: files) { runner, server in
            let got = try await runner.run("opds", "get", server.url("/files/7").absoluteString)
            #expect(got.code == 0 && got.text == "./\(name)\n", "\(got.error)")
            #expect(try runner.names() == [name])
        }
    }

    @Test func `get refuses what it cannot choose, and what is no book`() async throws {
        try await use { runner, server in
            let feed = server.url("/opds").absoluteString
            expectFailure(try await runner.run("opds", "get", feed), 2, "--select")
            expectFailure(try await runner.run("opds", "get", "--select", "9", feed), 3)
            expectFailure(try await runner.run("opds", "get", "--select", "1", "--format", "pdf", feed), 3, "epub")
            expectFailure(
                try await runner.run("opds", "get", "--format", "pdf", server.url("/entry/walden").absoluteString), 8,
                "web page")
            expectFailure(
                try await runner.run("opds", "get", server.url("/opds?page=2").absoluteString), 1,
                server.url("/shop").absoluteString)
            expectFailure(try await runner.run("opds", "get", "--format", "nonsense", feed), 2, "nonsense")
            expectFailure(try await runner.run("opds", "ls", "ftp://127.0.0.1/opds"), 2, "http or https")
            expectFailure(try await runner.run("opds", "ls", server.url("/gone").absoluteString), 3)
            expectFailure(try await runner.run("opds", "ls", server.url("/walden.pdf").absoluteString), 8)
            #expect(try runner.names().isEmpty)
        }
    }

    @Test func `open reads the book's metadata by ranges`() async throws {
        try await use { runner, server in
            let feed = server.url("/opds").absoluteString
            let shown = try await runner.run("opds", "open", "--select", "1", feed)
            #expect(shown.code == 0 && shown.text.contains("title\t\(SampleBook.title)\n"), "\(shown.error)")
            let json = try await runner.run("opds", "open", "--select", "1", "--json", feed)
            let title = (json.object["metadata"] as? [String: Any])?["title"]
            #expect(title as? String == SampleBook.title || title as? [String: String] == ["en": SampleBook.title])
            #expect(server.requests.filter { $0.target.hasPrefix("/get") }.allSatisfy { $0.headers["range"] != nil })
            #expect(try runner.names().isEmpty)
        }
    }

    @Test(arguments: [
        CatalogServer.Login.basic(user: "ishmael", password: "whale"), .oauth(user: "ishmael", password: "whale"),
    ])
    func `a catalogue gets the password that the command has for it`(_ login: CatalogServer.Login) async throws {
        try await use(login: login) { runner, server in
            let feed = server.url("/opds").absoluteString
            let refused = try await runner.run("opds", "ls", "--json", feed)
            expectFailure(refused, 4, "“Harbour Library”")
            #expect(refused.failure["domain"] as? String == "NSURLErrorDomain")
            runner.environment["CARREL_PASSWORD"] = "whale"
            let shown = try await runner.run("opds", "ls", "--user", "ishmael", "--verbose", feed)
            #expect(shown.code == 0 && shown.text.contains("Moby-Dick"), "\(shown.error)")
            #expect(!shown.error.contains("whale"))
            let got = try await runner.run("opds", "get", "--user", "ishmael", "--select", "1", feed)
            #expect(got.code == 0 && got.text == "./Moby-Dick.epub\n", "\(got.error)")
        }
    }

    enum Way: CaseIterable {
        case basic, basicWithoutChallenge, digest, passwordFlow, token

        /// The password or token that the catalogue accepts.
        var secret: String { self == .token ? "token-7fd2" : "p&ss w=rd/7" }

        var wrong: String { self == .token ? "token-0000" : "wr&ng w=rd/7" }

        var variable: String { self == .token ? "CARREL_TOKEN" : "CARREL_PASSWORD" }

        var access: [String] { self == .token ? [] : ["--user", "ishmael"] }

        var login: CatalogServer.Login {
            switch self {
            case .basic: .basic(user: "ishmael", password: secret)
            case .basicWithoutChallenge: .basic(user: "ishmael", password: secret, isChallenged: false)
            case .digest: .digest(user: "ishmael", password: secret)
            case .passwordFlow: .oauth(user: "ishmael", password: secret)
            case .token: .bearer(token: secret)
            }
        }
    }

    private func expectNoSecret(
        _ outcome: CommandRunner.Outcome, _ way: Way, at location: SourceLocation = #_sourceLocation
    ) {
        for secret in [way.secret, way.wrong].flatMap({ secretForms(of: $0, user: "ishmael") }) {
            #expect(
                !outcome.text.contains(secret) && !outcome.error.contains(secret), "\(outcome.error)",
                sourceLocation: location)
        }
    }

    @Test(arguments: Way.allCases) func `a secret goes to its catalogue alone, and is shown nowhere`(way: Way)
        async throws
    {
        let other = try CatalogServer(book: Data())
        let page = other.url("/opds?page=2").absoluteString
        let next = #"{"rel": "next", "href": "\#(page)"}"#
        let linked = #"{"metadata": {"title": "x"}, "links": [\#(next)], "publications": []}"#
        let away: @Sendable (FaultServer.Request) -> FaultServer.Answer? = { request in
            // The catalogue asks for its login first.
            guard request.headers["authorization"] != nil else { return nil }
            switch request.target {
            case "/linked": return .reply(200, body: Data(linked.utf8))
            case "/away": return .reply(302, headers: ["Location": page])
            default: return nil
            }
        }
        try await use(login: way.login, misbehave: away) { runner, server in
            runner.environment[way.variable] = way.secret
            let feed = server.url("/opds").absoluteString
            for (arguments, shown) in [
                (["ls", feed], "Moby-Dick"), (["search", feed, "whale"], "Moby-Dick"),
                (["get", "--select", "1", feed], "./Moby-Dick.epub"),
                (["open", "--select", "1", feed], SampleBook.title),
                (["ls", "--pages", "all", server.url("/linked").absoluteString], "Middlemarch"),
                (["ls", server.url("/away").absoluteString], "Middlemarch"),
            ] {
                let outcome = try await runner.run(["opds"] + arguments + way.access + ["--verbose", "--stats"])
                #expect(outcome.code == 0 && outcome.text.contains(shown), "\(arguments): \(outcome.error)")
                expectNoSecret(outcome, way)
            }
            #expect(other.requests.count == 2)
            #expect(other.requests.allSatisfy { $0.headers["authorization"] == nil && $0.body.isEmpty })
        }
    }

    @Test(arguments: Way.allCases) func `a wrong password or token is refused in one sentence`(way: Way) async throws {
        try await use(login: way.login) { runner, server in
            runner.environment[way.variable] = way.wrong
            let feed = server.url("/opds").absoluteString
            let sentence = "refused this \(way == .token ? "token" : "user and password").\n"
            for verb in [["ls"], ["get", "--select", "1"], ["open", "--select", "1"]] {
                let refused = try await runner.run(["opds"] + verb + way.access + ["--json", feed])
                expectFailure(refused, 4, sentence)
                #expect((refused.failure["message"] as? String).map { $0 + "\n" }?.hasSuffix(sentence) == true)
                expectNoSecret(refused, way)
            }
            let verbose = try await runner.run(["opds", "ls"] + way.access + ["--verbose", "--stats", feed])
            #expect(verbose.code == 4 && verbose.errorLines.count > 1)
            expectNoSecret(verbose, way)
        }
    }

    @Test func `a saved connection is a catalogue too`() async throws {
        try await use { runner, server in
            runner.environment["CARREL_CONFIG"] = runner.path("config.json")
            try runner.write("config.json", #"{"connections": {"harbour": {"url": "\#(server.url("/opds"))"}}}"#)
            let shown = try await runner.run("opds", "ls", "harbour:")
            #expect(shown.code == 0 && shown.text.contains("Moby-Dick"), "\(shown.error)")
        }
    }

    @Test func `get --resume goes on where a download stopped`() async throws {
        let content = try SampleBook.small()
        let isCut = LockedValue(false)
        let cut: @Sendable (FaultServer.Request) -> FaultServer.Answer? = { request in
            guard request.target.hasPrefix("/get"), request.headers["range"] == nil, !isCut.value else { return nil }
            isCut.update { $0 = true }
            return .truncated(
                200, headers: ["ETag": "\"1\""], promised: content.count,
                body: Data(content.prefix(content.count / 2)))
        }
        try await use(misbehave: cut) { runner, server in
            let book = server.url("/get?book=moby").absoluteString
            let stopped = try await runner.run("opds", "get", "--resume", "--retries", "0", book, "whale.epub")
            #expect(stopped.code == 6, "\(stopped.error)")
            let left = try runner.names()
            #expect(left.count == 1 && left.allSatisfy(TemporaryName.matches))
            let rest = try await runner.run("opds", "get", "--resume", book, "whale.epub")
            #expect(rest.code == 0 && rest.text == "whale.epub\n", "\(rest.error)")
            #expect(try Data(contentsOf: runner.folder.appending(path: "whale.epub")) == content)
            #expect(try runner.names() == ["whale.epub"])
            // The whole file was asked for once.
            #expect(server.requests.filter { $0.headers["range"] == nil }.count == 1)
        }
    }
}
