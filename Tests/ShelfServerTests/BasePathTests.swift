import Foundation
import SampleBooks
import Testing
import WebServer

@testable import ShelfServer

/// How a proxy shows the server at a path.
enum ProxyForm: CaseIterable {
    /// It passes the path on, which is that of the public address.
    case passesOn
    /// It removes the path, and says so.
    case strips
    /// The same, and there is a public address, too.
    case stripsBelowPublicURL
}

/// A server at `https://books.example/shelf/`, behind a proxy.
private final class ProxiedShelf: Sendable {
    static let origin = "https://books.example"
    static let root = origin + "/shelf/"

    let bench: ServerBench
    let form: ProxyForm

    init(_ form: ProxyForm) async throws {
        let comic = try ZIPBuilder.data { zip in
            for name in ["1.png", "2.png"] { try zip.store(name, SampleBook.coverPicture()) }
        }
        let book = try SampleEPUB(title: "Emma", cover: SampleBook.coverPicture()).data()
        self.form = form
        bench = try await ServerBench(books: ["emma.epub": book, "comic.cbz": comic]) {
            $0.trustedProxies = ["127.0.0.1"]
            if form == .strips { $0.hosts = ["books.example"] } else { $0.publicURL = URL(string: ProxiedShelf.root) }
        }
        _ = try await bench.people.add(name: "Ann", password: ServerBench.password)
    }

    /// The answer to a client that asks the proxy for `address`, a URL or a path of its host.
    func ask(
        _ address: String, method: String = "GET", _ fields: [(name: String, value: String)] = [], body: String = ""
    ) async -> ServerResponse {
        var target = address.hasPrefix(Self.origin) ? String(address.dropFirst(Self.origin.count)) : address
        var sent: [(name: String, value: String)] = [
            ("Host", "127.0.0.1:8080"), ("X-Forwarded-For", "198.51.100.7"), ("X-Forwarded-Proto", "https"),
            ("X-Forwarded-Host", "books.example"),
        ]
        if form != .passesOn {
            #expect(target.hasPrefix("/shelf/"), "the proxy passes on no other path: \(target)")
            target = String(target.dropFirst("/shelf".count))
            sent.append(("X-Forwarded-Prefix", "/shelf"))
        }
        return await bench.ask(target, method: method, sent + fields, body: body)
    }

    /// The field of a browser that is logged in.
    func session() async throws -> [(name: String, value: String)] {
        let user = try #require(try await bench.people.list().first)
        let session = Session(of: user, at: Date(), ShelfKey(ServerBench.key))
        return [("Cookie", "\(Session.cookie)=\(session.value)")]
    }
}

/// The addresses that an answer names, in its fields and its content.
private struct NamedAddresses {
    /// What a client may follow.
    var links: [String] = []
    /// The rest: forms and templates.
    var others: [String] = []

    init(_ answer: ServerResponse) async throws {
        links = answer.values("Location")
        links += answer.values("Link").flatMap { $0.matches(of: /<([^>]*)>/).map { String($0.1) } }
        let type = answer.header("Content-Type") ?? ""
        guard type.contains("html") || type.contains("xml") || type.contains("json") else { return }
        let text = String(decoding: try await answer.bytes(), as: UTF8.self).replacing("\\/", with: "/")
        if type.contains("json") {
            links += text.matches(of: /"href":\s*"([^"]*)"/).map { String($0.1) }
        } else {
            links += text.matches(of: /\b(?:href|src)="([^"]*)"/).map { String($0.1) }
            others = text.matches(of: /\b(?:action|template|data-source)="([^"]*)"/).map { String($0.1) }
        }
        others += links.filter { $0.contains("{") }
        links.removeAll { $0.contains("{") || $0.hasPrefix("#") || $0.hasPrefix("data:") }
    }
}

@Suite struct BasePathTests {
    @Test(arguments: ProxyForm.allCases)
    func `every address in pages and feeds is below the path`(form: ProxyForm) async throws {
        let shelf = try await ProxiedShelf(form)
        let session = try await shelf.session()
        var (queue, visited, problems) = ([ProxiedShelf.root, ProxiedShelf.root + "opds/"], Set<String>(), [String]())
        while let address = queue.popLast() {
            guard visited.insert(address).inserted, visited.count < 500 else { continue }
            let answer = await shelf.ask(address, session)
            if answer.status >= 400 { problems.append("\(address): \(answer.status)") }
            let named = try await NamedAddresses(answer)
            for link in named.links + named.others {
                let plain = String(link.replacing("&amp;", with: "&").prefix { $0 != "{" && $0 != "#" })
                let url = URL(string: plain, relativeTo: URL(string: address))?.absoluteURL.absoluteString
                guard let url, url.hasPrefix(ProxiedShelf.root) else {
                    problems.append("\(address) leads to \(link)")
                    continue
                }
                // Choices and pages of lists lead to the same places, and what a book contains is its own.
                let isContent = url.contains("/read/") && !url.hasSuffix("/") && !url.hasSuffix("/manifest.json")
                if named.links.contains(link), !url.contains("?"), !isContent { queue.append(url) }
            }
        }
        #expect(problems == [])
        for path in ["books", "authors", "opds/1.2/", "opds/2.0/", "opds/1.2/search.xml", "assets/shelf.css"] {
            #expect(visited.contains(ProxiedShelf.root + path), "\(path)")
        }
        for part in ["/shelf/book/1", "/shelf/book/2", "/shelf/read/1-", "/shelf/read/2-", "/file/"] {
            #expect(visited.contains { $0.contains(part) }, "\(part)")
        }
        try await shelf.bench.close()
    }

    @Test(arguments: ProxyForm.allCases)
    func `logins lead to the path, and their cookies are for it alone`(form: ProxyForm) async throws {
        let shelf = try await ProxiedShelf(form)
        let question = await shelf.ask("/shelf/books?q=a")
        #expect(question.status == 303)
        #expect(question.header("Location") == "/shelf/login?next=books%3Fq%3Da")
        let asked = await shelf.ask("/shelf/opds/2.0/")
        #expect(asked.status == 401)
        #expect(asked.header("Link")?.hasPrefix("<\(ProxiedShelf.root)opds/authentication.json>") == true)

        let page = await shelf.ask("/shelf/login?next=books%3Fq%3Da")
        let set = try #require(page.values("Set-Cookie").first)
        #expect(set.contains("; Path=/shelf/; ") && set.hasSuffix("; Secure"))
        let html = String(decoding: try await page.bytes(), as: UTF8.self)
        let field = try #require(html.firstRange(of: "name=\"token\""))
        let token = try #require(html[field.upperBound...].firstMatch(of: /value="([^"]*)"/)?.1)
        let body = "name=Ann&password=correct+horse&next=books%3Fq%3Da&token=\(token)"
        let fields: [(name: String, value: String)] = [
            ("Cookie", String(set.prefix { $0 != ";" })), ("Origin", ProxiedShelf.origin),
        ]
        let answer = await shelf.ask("/shelf/login", method: "POST", fields, body: body)
        #expect(answer.status == 303 && answer.header("Location") == "/shelf/books?q=a")
        let cookie = try #require(answer.values("Set-Cookie").first { $0.hasPrefix("carrel-shelf=") })
        #expect(cookie.contains("; Path=/shelf/; ") && cookie.hasSuffix("; Secure"))
        try await shelf.bench.close()
    }

    @Test func `a client that is no proxy moves no address`() async throws {
        let bench = try await ServerBench { $0.trustedProxies = ["10.0.0.1"] }
        let fields: [(name: String, value: String)] = [("X-Forwarded-Prefix", "/shelf")]
        let answer = await bench.ask("/books", fields)
        #expect(answer.status == 303 && answer.header("Location") == "/login?next=books")
        try await bench.close()
    }

    @Test func `a path that is not that of the public address leads nowhere`() async throws {
        let bench = try await ServerBench {
            $0.trustedProxies = ["127.0.0.1"]
            $0.publicURL = URL(string: ProxiedShelf.root)
        }
        func ask(_ target: String, prefix: String) async -> ServerResponse {
            await bench.ask(target, [("Host", "books.example"), ("X-Forwarded-Prefix", prefix)])
        }
        #expect(await ask("/health", prefix: "/shelf").status == 200)
        #expect(await ask("/health", prefix: "/other").status == 404)
        #expect(await ask("/shelf/health", prefix: "").status == 200)
        let base = await ask("", prefix: "/shelf")
        #expect(base.status == 308 && base.header("Location") == "/shelf/")
        try await bench.close()
    }
}
