import FileProviderCore
import Foundation
import MemoryFileProvider
import SampleBooks
import Shelf
import Testing
import WebServer

@testable import ShelfServer

@Suite struct `The form to log in` {
    private static let password = "quiet copper ladder"

    private let shelf: FeedShelf
    private let server: ShelfServer

    init() async throws {
        shelf = try await FeedShelf { provider in
            _ = try await provider.writeContents(path: ProviderPath("desk.epub"), contents: SampleEPUB().data())
        }
        _ = try await shelf.people.add(name: "Ada <Reader>", password: Self.password)
        server = try ShelfServer(
            shelf: shelf.shelf, people: shelf.people, configuration: ShelfServerConfiguration(access: .users))
    }

    private func answer(
        _ target: String, cookies: [String] = [], form: [(String, String)]? = nil
    ) async -> ServerResponse {
        let body = form.map { RequestParameters.query($0.map { (name: $0.0, value: $0.1) }).dropFirst() } ?? ""
        var headers = [("Host", "127.0.0.1:8080"), ("Cookie", cookies.joined(separator: "; "))]
        if form != nil { headers.append(("Content-Type", "application/x-www-form-urlencoded")) }
        return await server.respond(
            to: ServerRequest(
                method: form == nil ? "GET" : "POST", target: target,
                headers: headers.map { (name: $0.0, value: $0.1) }, body: Data(body.utf8)))
    }

    private func html(_ answer: ServerResponse) async throws -> String {
        String(decoding: try await answer.feedBytes(), as: UTF8.self)
    }

    private func cookies(_ answer: ServerResponse) -> [String] {
        answer.headers.filter { $0.name == "Set-Cookie" }.map { String($0.value.prefix { $0 != ";" }) }
    }

    @Test func `is all that a stranger sees`() async throws {
        for path in ["/", "/books", "/book/1", "/authors", "/suggestions?query=desk"] {
            let answer = await answer(path)
            #expect(answer.status == 303, "\(path)")
            #expect(answer.header("Location")?.hasPrefix("/login") == true, "\(path)")
        }
        let form = await answer("/login?next=books")
        #expect(form.status == 200)
        #expect(form.header("Cache-Control") == "no-store")
        let text = try await html(form)
        #expect(text.contains("autocomplete=\"current-password\""))
        #expect(text.contains("name=\"next\" value=\"books\""))
        // A stranger has nothing to search, and learns nothing of the books.
        #expect(!text.contains("id=\"search\"") && !text.contains("The Desk"))
        #expect(await answer("/assets/shelf.css").status == 200)
    }

    @Test func `leads to where its reader wanted to go`() async throws {
        let form = await answer("/login?next=books")
        let token = try #require(try await html(form).firstMatch(of: /name="token" value="([^"]+)"/)?.1)
        let fields = [
            ("name", "ada <reader>"), ("password", Self.password), ("next", "books"), ("token", String(token)),
        ]
        let login = await answer("/login", cookies: cookies(form), form: fields)
        #expect(login.status == 303)
        #expect(login.header("Location") == "/books")
        let page = try await html(await answer("/", cookies: cookies(login)))
        #expect(page.contains("The Desk") && page.contains("Ada &lt;Reader&gt;") && page.contains("action=\"/logout\""))
        let end = try #require(page.firstMatch(of: /name="token" value="([^"]+)"/)?.1)
        let logout = await answer("/logout", cookies: cookies(login), form: [("token", String(end))])
        #expect(logout.status == 303)
        #expect(cookies(logout).contains { $0.hasSuffix("=") })
    }

    @Test func `says what was wrong, and keeps the name as text`() async throws {
        let form = await answer("/login")
        let token = try #require(try await html(form).firstMatch(of: /name="token" value="([^"]+)"/)?.1)
        let fields = [("name", "\"><script>x"), ("password", "wrong"), ("token", String(token))]
        let refused = await answer("/login", cookies: cookies(form), form: fields)
        #expect(refused.status == 403)
        let text = try await html(refused)
        #expect(text.contains("role=\"alert\""))
        #expect(text.contains("value=\"&quot;&gt;&lt;script&gt;x\""))
        #expect(text.contains("required autofocus>\n    <input type=\"hidden\" name=\"next\""))
        #expect(!text.contains("wrong\""))
    }
}
