import FileProviderCore
import Foundation
import Publication
import Testing
import WebServer

@testable import PublicationServer

struct PublicationServerTests {
    private let key = Data(repeating: 7, count: 32)

    private func book(_ title: String = "Moby-Dick", _ text: String = "Call me Ishmael.") -> Publication {
        let link = Link(href: "c1.txt", type: "text/plain")
        return Publication(
            manifest: Manifest(metadata: Metadata(title: LocalizedString(title)), readingOrder: [link]),
            fetcher: BytesFetcher(["c1.txt": Data(text.utf8)]))
    }

    private func ask(
        _ server: PublicationServer, _ target: String, method: String = "GET", host: String = "127.0.0.1:80",
        body: String = ""
    ) async -> ServerResponse {
        await server.respond(
            to: ServerRequest(method: method, target: target, headers: [("Host", host)], body: Data(body.utf8)))
    }

    private func text(_ answer: ServerResponse) -> String? {
        if case .data(let data) = answer.body { String(decoding: data, as: UTF8.self) } else { nil }
    }

    @Test func `a mounted publication is at its path, and nowhere else`() async throws {
        let server = try PublicationServer(ServerConfiguration(key: key))
        let path = server.mount(book())
        #expect(await ask(server, path).status == 200)
        #expect(text(await ask(server, path + "c1.txt")) == "Call me Ishmael.")
        #expect(await ask(server, "/").status == 404)
        #expect(await ask(server, "/other/c1.txt").status == 404)
        #expect(await ask(server, "/c1.txt").status == 404)
        let short = await ask(server, String(path.dropLast()))
        #expect(short.status == 308)
        #expect(short.header("Location") == path)
    }

    @Test func `two publications are apart, and the same key gives the same paths`() async throws {
        let server = try PublicationServer(ServerConfiguration(key: key))
        let (first, second) = (server.mount(book("A", "a")), server.mount(book("B", "b")))
        #expect(first != second)
        #expect(text(await ask(server, first + "c1.txt")) == "a")
        #expect(text(await ask(server, second + "c1.txt")) == "b")
        let again = try PublicationServer(ServerConfiguration(key: key))
        #expect(again.mount(book("A", "a")) == first)
        let other = try PublicationServer()
        #expect(other.mount(book("A", "a")) != first)
    }

    @Test func `what lies beside a manifest is no part of the publication`() async throws {
        let link = Link(href: "c1.txt", type: "text/plain")
        let book = Publication(
            manifest: Manifest(metadata: Metadata(title: LocalizedString("Beside")), readingOrder: [link]),
            fetcher: BytesFetcher(["c1.txt": Data("one".utf8), "other.txt": Data("secret".utf8)]))
        let server = try PublicationServer(ServerConfiguration(key: key))
        let path = server.mount(book)
        #expect(await ask(server, path + "c1.txt").status == 200)
        #expect(await ask(server, path + "other.txt").status == 404)
        #expect(await ask(server, path + "c1.txt/../other.txt").status == 404)
    }

    @Test func `HEAD has no body wherever it leads`() async throws {
        let server = try PublicationServer(ServerConfiguration(key: key))
        let path = server.mount(book())
        for target in [path, path + "c1.txt", path + "none", "/none/", "/"] {
            let answer = await ask(server, target, method: "HEAD")
            guard case .none = answer.body else { Issue.record("\(target) has a body."); continue }
            #expect(answer.contentLength != nil, "\(target)")
        }
    }

    @Test func `a task that is cancelled does not wait for the port`() async throws {
        let server = try PublicationServer(ServerConfiguration(key: key))
        let adding = Task { try await server.add(book()) }
        adding.cancel()
        await #expect(throws: CancellationError.self) { try await adding.value }
        #expect(await ask(server, server.mount(book())).status == 200)
    }

    @Test func `a removed publication is gone`() async throws {
        let server = try PublicationServer(ServerConfiguration(key: key))
        let path = server.mount(book())
        server.remove(try #require(URL(string: "http://127.0.0.1" + path)))
        #expect(await ask(server, path + "c1.txt").status == 404)
    }

    @Test func `another host is refused before anything is looked up`() async throws {
        let server = try PublicationServer(ServerConfiguration(key: key))
        let path = server.mount(book())
        #expect(await ask(server, path, host: "evil.example").status == 421)
    }

    @Test func `with a token, the content is at an address that only the token leads to`() async throws {
        let token = "a long enough token"
        let server = try PublicationServer(ServerConfiguration(host: "0.0.0.0", key: key, token: token))
        let path = server.mount(book())
        let form = await ask(server, path)
        #expect(form.status == 200)
        #expect(text(form)?.contains("<form") == true)
        #expect(form.header("Cache-Control") == "no-store")
        #expect(await ask(server, path + "c1.txt").status == 404)
        #expect(await ask(server, path + "manifest.json").status == 404)

        #expect(await ask(server, path, method: "POST", body: "token=wrong").status == 403)
        let opened = await ask(server, path, method: "POST", body: "token=a+long+enough+token")
        #expect(opened.status == 303)
        let grant = try #require(opened.header("Location"))
        #expect(!grant.contains(path.dropFirst().dropLast()))
        #expect(text(await ask(server, grant + "c1.txt")) == "Call me Ishmael.")
    }

    @Test func `behind a proxy, paths begin with the proxy's, and origins are the proxy's`() async throws {
        let proxy = try #require(URL(string: "https://books.example/read"))
        let server = try PublicationServer(ServerConfiguration(key: key, publicURL: proxy))
        let path = server.mount(book())
        #expect(path.hasPrefix("/read/"))
        let page = await ask(server, path, host: "books.example")
        #expect(page.status == 200)
        let policy = try #require(page.header("Content-Security-Policy"))
        #expect(policy.contains("https://books.example\(path)~carrel/"))
        #expect(await ask(server, path.replacing("/read/", with: "/"), host: "books.example").status == 404)
    }

    @Test(arguments: [
        ServerConfiguration(key: Data([1, 2, 3])), ServerConfiguration(host: "0.0.0.0"),
        ServerConfiguration(host: "192.168.1.2"), ServerConfiguration(host: "0.0.0.0", token: "short"),
        ServerConfiguration(port: 70_000), ServerConfiguration(publicURL: URL(string: "ftp://books.example/")),
        ServerConfiguration(host: "127.evil.example"),
    ])
    func `a configuration that cannot be is refused with a sentence`(configuration: ServerConfiguration) {
        let error = #expect(throws: CocoaError.self) { try PublicationServer(configuration) }
        #expect(error?.code == .formatting)
        #expect(error?.localizedDescription.hasSuffix(".") == true)
    }
}

/// Files in memory.
private final class BytesFetcher: Fetcher {
    private let files: [String: Data]

    init(_ files: [String: Data]) { self.files = files }

    func links() async throws -> [Link] { files.keys.sorted().map { Link(href: $0) } }

    func get(_ link: Link) -> any Resource {
        if let data = files[link.href] { return BytesResource(link, data: data) }
        return FailureResource(link, error: FileError.make(.fileReadNoSuchFile, path: link.href))
    }
}
