import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Publication
import SampleBooks
import Shelf
import Testing
import WebServer

@testable import ShelfServer

@Suite struct ServerTests {
    private static func book(_ title: String = "Emma", filler: Int = 0) throws -> Data {
        // Random, so that the archive cannot make it small.
        let extra = Data((0..<filler).map { _ in UInt8.random(in: .min ... .max) })
        return try SampleEPUB(
            title: title, authors: [("Jane Austen", "Austen, Jane")], cover: SampleBook.coverPicture(),
            files: filler == 0 ? [] : [("extra.bin", extra)]
        ).data()
    }

    private func bench(
        _ access: ShelfServerConfiguration.Access = .users,
        change: (inout ShelfServerConfiguration) -> Void = { _ in }
    ) async throws -> ServerBench {
        let comic = try ZIPBuilder.data { zip in
            for name in ["1.png", "2.png"] { try zip.store(name, SampleBook.coverPicture()) }
        }
        let bench = try await ServerBench(
            access, books: ["emma.epub": try Self.book(), "comic.cbz": comic], change: change)
        if access == .users { _ = try await bench.people.add(name: "Ann", password: ServerBench.password) }
        return bench
    }

    // MARK: Access

    @Test func `without a login, pages lead to the form, and catalogues and files say how to log in`() async throws {
        let bench = try await bench()
        let id = try #require(try await bench.book("Emma")).id
        let page = await bench.ask("/books?q=a%20b")
        #expect(page.status == 303)
        #expect(page.header("Location") == "/login?next=books%3Fq%3Da%2520b")
        for target in ["/opds/2.0/", "/book/\(id)/file/a.epub", "/book/\(id)/cover", "/book/\(id)/pages/0"] {
            let answer = await bench.ask(target)
            #expect(answer.status == 401, "\(target)")
            #expect(answer.header("Content-Type") == "application/opds-authentication+json")
            #expect(answer.header("WWW-Authenticate") == "Basic realm=\"Books\", charset=\"UTF-8\"")
            #expect(answer.header("Link")?.contains("http://127.0.0.1:8080/opds/authentication.json") == true)
            #expect(answer.header("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true)
            #expect(answer.header("X-Content-Type-Options") == "nosniff")
        }
        #expect(await bench.ask("/opds/authentication.json").status == 200)
        #expect(await bench.ask("/health").status == 200)
        #expect(await bench.ask("/login").status == 200)
        #expect(await bench.ask("/book/99/cover").status == 401)
        try await bench.close()
    }

    @Test func `a shelf that is open before there are users closes with the first, and stays closed`() async throws {
        let bench = try await bench(.everyoneBeforeUsers)
        #expect(await bench.ask("/books").status == 200)
        #expect(await bench.ask("/opds/2.0/").status == 200)
        _ = try await bench.people.add(name: "Ann", password: ServerBench.password)
        #expect(await bench.ask("/books").status == 303)
        #expect(await bench.ask("/opds/2.0/").status == 401)
        #expect(await bench.ask("/opds/2.0/", ServerBench.basic("Ann")).status == 200)
        try await bench.people.remove(name: "Ann")
        #expect(await bench.ask("/opds/2.0/").status == 401)
        try await bench.close()
    }

    @Test func `a password in the request opens catalogues and files`() async throws {
        let bench = try await bench()
        let id = try #require(try await bench.book("Emma")).id
        #expect(await bench.ask("/book/\(id)/file/a.epub", ServerBench.basic("Ann")).status == 200)
        #expect(await bench.ask("/book/\(id)/file/a.epub", ServerBench.basic("Ann", "wrong horse")).status == 401)
        #expect(await bench.ask("/book/\(id)/file/a.epub", ServerBench.basic("Bo")).status == 401)
        #expect(await bench.ask("/book/99/file/a.epub", ServerBench.basic("Ann")).status == 404)
        try await bench.close()
    }

    @Test func `wrong passwords are soon refused without a look`() async throws {
        let bench = try await bench { $0.loginLimits.perName = 3 }
        for _ in 0..<3 { #expect(await bench.ask("/opds/2.0/", ServerBench.basic("Ann", "wrong horse")).status == 401) }
        let answer = await bench.ask("/opds/2.0/", ServerBench.basic("Ann"))
        #expect(answer.status == 429)
        #expect(answer.header("Retry-After") == "300")
        try await bench.close()
    }

    private func cookie(_ answer: ServerResponse, _ name: String) -> String? {
        answer.values("Set-Cookie").first { $0.hasPrefix(name + "=") }
            .map { String($0.prefix { $0 != ";" }) }
    }

    /// The token of a form in a page.
    private func token(_ answer: ServerResponse) async throws -> String? {
        let page = String(decoding: try await answer.bytes(), as: UTF8.self)
        guard let field = page.firstRange(of: "name=\"token\""),
            let start = page[field.upperBound...].firstRange(of: "value=\"")
        else { return nil }
        return String(page[start.upperBound...].prefix { $0 != "\"" })
    }

    @Test func `the form makes a session, and only with its own token`() async throws {
        let bench = try await bench()
        let form = await bench.ask("/login?next=books")
        let formCookie = try #require(cookie(form, Session.formCookie))
        let token = try #require(try await token(form))
        let body = "name=Ann&password=correct+horse&next=books&token="
        let fields: [(name: String, value: String)] = [("Cookie", formCookie), ("Origin", "null")]
        #expect(await bench.ask("/login", method: "POST", fields, body: body + "guess").status == 403)
        #expect(await bench.ask("/login", method: "POST", body: body + token).status == 403)
        let foreign: [(name: String, value: String)] = [("Cookie", formCookie), ("Origin", "https://evil.example")]
        #expect(await bench.ask("/login", method: "POST", foreign, body: body + token).status == 403)

        let answer = await bench.ask("/login", method: "POST", fields, body: body + token)
        #expect(answer.status == 303)
        #expect(answer.header("Location") == "/books")
        let set = try #require(answer.values("Set-Cookie").first { $0.hasPrefix("carrel-shelf=") })
        #expect(set.contains("HttpOnly") && set.contains("SameSite=Lax") && set.contains("Path=/"))
        let session = try #require(cookie(answer, Session.cookie))
        #expect(await bench.ask("/opds/2.0/", [("Cookie", session)]).status == 200)
        #expect(await bench.ask("/opds/2.0/", [("Cookie", session + "x")]).status == 401)

        try await bench.people.setPassword("battery staple", of: "Ann")
        #expect(await bench.ask("/opds/2.0/", [("Cookie", session)]).status == 401)
        try await bench.close()
    }

    @Test func `logging out ends the session, also for a copy of its cookie, and no other`() async throws {
        let bench = try await bench()
        let user = try #require(try await bench.people.list().first)
        let key = ShelfKey(ServerBench.key)
        let (session, other) = (Session(of: user, at: Date(), key).value, Session(of: user, at: Date(), key).value)
        let fields: [(name: String, value: String)] = [("Cookie", "\(Session.cookie)=\(session)")]
        #expect(await bench.ask("/opds/2.0/", fields).status == 200)
        let body = "token=" + key.code("form", session)
        #expect(await bench.ask("/logout", method: "POST", fields, body: body).status == 303)
        #expect(await bench.ask("/opds/2.0/", fields).status == 401)
        #expect(await bench.ask("/opds/2.0/", [("Cookie", "\(Session.cookie)=\(other)")]).status == 200)
        try await bench.close()
    }

    @Test(arguments: ["/evil.example", "//evil.example", "\\\\evil.example", "a/../../b", "login", "a b", "a\nb"])
    func `a login leads nowhere but to this server`(next: String) {
        #expect(LoginAnswer.safePath(next) == "")
    }

    @Test func `a login leads back to an address with its query`() {
        #expect(LoginAnswer.safePath("books?author=a%20b") == "books?author=a%20b")
        #expect(LoginAnswer.safePath(nil) == "")
    }

    @Test func `a foreign name is refused, and a proxy's is known`() async throws {
        let bench = try await bench(.users) {
            $0.publicURL = URL(string: "https://books.example/shelf/")
            $0.trustedProxies = ["127.0.0.1"]
        }
        #expect(await bench.ask("/shelf/health", [("Host", "evil.example")]).status == 421)
        #expect(await bench.ask("/shelf/health", [("Host", "books.example")]).status == 200)
        #expect(await bench.ask("/health", [("Host", "books.example")]).status == 404)
        #expect(await bench.ask("/shelf", [("Host", "books.example")]).header("Location") == "/shelf/")
        let answer = await bench.ask("/shelf/opds/2.0/", [("Host", "books.example")])
        #expect(answer.header("Link")?.contains("<https://books.example/shelf/opds/authentication.json>") == true)
        let form = await bench.ask("/shelf/login", [("Host", "books.example")])
        #expect(form.values("Set-Cookie").first?.hasSuffix("; Secure") == true)
        try await bench.close()
    }

    // MARK: Files

    @Test func `a file is sent whole, in parts, and not again`() async throws {
        let data = try Self.book(filler: 400_000)
        let bench = try await ServerBench(.everyone, books: ["emma.epub": data])
        let id = try #require(try await bench.book("Emma")).id
        let target = "/book/\(id)/file/emma.epub"
        let whole = await bench.ask(target)
        #expect(whole.status == 200)
        #expect(try await whole.bytes() == data)
        #expect(whole.header("Content-Type") == "application/epub+zip")
        #expect(
            whole.header("Content-Disposition")
                == "attachment; filename=\"Jane Austen - Emma.epub\"; filename*=UTF-8''Jane%20Austen%20-%20Emma.epub")
        let tag = try #require(whole.header("ETag"))

        let part = await bench.ask(target, [("Range", "bytes=10-19"), ("If-Range", tag)])
        #expect(part.status == 206)
        #expect(part.header("Content-Range") == "bytes 10-19/\(data.count)")
        #expect(try await part.bytes() == data[10..<20])
        let long = await bench.ask(target, [("Range", "bytes=100-")])
        #expect(long.status == 206)
        #expect(try await long.bytes() == data.dropFirst(100))
        let other = await bench.ask(target, [("Range", "bytes=10-19"), ("If-Range", "\"other\"")])
        #expect(other.status == 200)

        let beyond = await bench.ask(target, [("Range", "bytes=\(data.count)-")])
        #expect(beyond.status == 416)
        #expect(beyond.header("Content-Range") == "bytes */\(data.count)")
        #expect(await bench.ask(target, [("If-None-Match", tag)]).status == 304)
        #expect(await bench.ask(target, [("If-Match", "\"other\"")]).status == 412)
        let head = await bench.ask(target, method: "HEAD")
        #expect(head.status == 200 && head.contentLength == Int64(data.count) && head.header("ETag") == tag)
        #expect(await bench.ask(target, method: "POST").status == 405)
        try await bench.close()
    }

    @Test func `a file that changed since the shelf saw it has another tag`() async throws {
        let bench = try await ServerBench(.everyone, books: ["emma.epub": try Self.book()])
        let id = try #require(try await bench.book("Emma")).id
        let target = "/book/\(id)/file/emma.epub"
        let tag = try #require(await bench.ask(target).header("ETag"))
        let changed = try Self.book("Another", filler: 3_000)
        try await bench.memory.writeContents(
            path: try ProviderPath("books/emma.epub"), contents: changed, overwrite: true)
        let answer = await bench.ask(target, [("Range", "bytes=0-9"), ("If-Range", tag)])
        #expect(answer.status == 200)
        #expect(answer.header("ETag") != tag)
        #expect(try await answer.bytes() == changed)
        try await bench.memory.removeItem(path: try ProviderPath("books/emma.epub"))
        #expect(await bench.ask(target).status == 404)
        try await bench.close()
    }

    @Test func `titles that are no file names become some`() async throws {
        let bench = try await ServerBench(.everyone, books: ["a.epub": try Self.book("../..\\a:\"b\" &lt;é%>")])
        let book = try #require(try await bench.shelf.books().books.first)
        let name = BookName.file(of: book)
        #expect(name.hasSuffix(".epub") && !name.contains(where: { "/\\:\"<>".contains($0) }))
        let field = BookName.disposition("é\"%\n.epub")
        #expect(field == "attachment; filename=\"____.epub\"; filename*=UTF-8''%C3%A9%22%25%0A.epub")
        let answer = await bench.ask("/" + BookAddress.file(of: book))
        #expect(answer.status == 200)
        try await bench.close()
    }

    @Test func `dates in header fields are those of RFC 9110`() {
        #expect(HTTPDate.text(Date(timeIntervalSince1970: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(Date(timeIntervalSince1970: 0)) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(Date(timeIntervalSince1970: -1)) == "Wed, 31 Dec 1969 23:59:59 GMT")
        #expect(HTTPDate.text(Date(timeIntervalSince1970: 951_782_400)) == "Tue, 29 Feb 2000 00:00:00 GMT")
        #expect(HTTPDate.text(.distantPast).hasSuffix(" 0001 00:00:00 GMT"))
    }

    // MARK: Pictures

    @Test func `covers are sent once`() async throws {
        let bench = try await bench(.everyone)
        let id = try #require(try await bench.book("Emma")).id
        let cover = await bench.ask("/book/\(id)/cover?size=240")
        #expect(cover.status == 200)
        #expect(cover.header("Content-Type")?.hasPrefix("image/") == true)
        #expect(try await !cover.bytes().isEmpty)
        let tag = try #require(cover.header("ETag"))
        #expect(await bench.ask("/book/\(id)/cover?size=240", [("If-None-Match", tag)]).status == 304)
        #expect(await bench.ask("/book/\(id)/cover?size=x", [("If-None-Match", tag)]).status == 304)
        let known = try #require(try await bench.book("Emma"))
        let address = try #require(BookAddress.cover(of: known, size: 240))
        let kept = await bench.ask("/" + address)
        #expect(kept.header("Cache-Control") == "private, max-age=2592000")
        try await bench.close()
    }

    @Test func `pages of a comic are counted from 0, and those of other books are not there`() async throws {
        let bench = try await bench(.everyone)
        let comic = try #require(try await bench.book("comic"))
        let pages = try #require(BookAddress.pages(of: comic))
        #expect(pages.count == 2)
        #expect(pages.template == "book/\(comic.id)/pages/{pageNumber}?width={maxWidth}")
        for number in 0..<2 {
            let page = await bench.ask("/book/\(comic.id)/pages/\(number)?width=40")
            #expect(page.status == 200)
            #expect(page.header("Content-Type")?.hasPrefix("image/") == true)
            let tag = try #require(page.header("ETag"))
            #expect(
                await bench.ask("/book/\(comic.id)/pages/\(number)?width=40", [("If-None-Match", tag)]).status == 304)
            #expect(await bench.ask("/book/\(comic.id)/pages/\(number)?width=41").header("ETag") != tag)
        }
        #expect(await bench.ask("/book/\(comic.id)/pages/2").status == 404)
        let emma = try #require(try await bench.book("Emma"))
        #expect(BookAddress.pages(of: emma) == nil)
        #expect(await bench.ask("/book/\(emma.id)/pages/0").status == 404)
        try await bench.close()
    }

    // MARK: Reading

    private func readingAddress(_ bench: ServerBench, _ book: ShelfBook, _ user: User) -> String {
        "/read/" + ShelfKey(ServerBench.key).readingSegment(book: book.id, user: user) + "/"
    }

    @Test func `a reading address needs no login, keeps places, and ends with the password`() async throws {
        let bench = try await bench()
        let book = try #require(try await bench.book("Emma"))
        let user = try #require(try await bench.people.list().first)
        let address = readingAddress(bench, book, user)
        #expect(await bench.ask(address).status == 200)
        #expect(await bench.ask(String(address.dropLast())).header("Location") == address)
        #expect(await bench.ask(address + "manifest.json").status == 200)
        #expect(await bench.ask(address.replacing("/read/\(book.id)-", with: "/read/99-")).status == 404)
        let everyone = readingAddress(bench, book, .everyone)
        #expect(await bench.ask(everyone).status == 404)

        let places = BookPlaces(
            places: ReaderPlaces(shelf: bench.shelf, people: bench.people, user: user), book: book.id)
        let locator = Data("{\"href\":\"c\",\"type\":\"text/html\",\"locations\":{\"totalProgression\":0.25}}".utf8)
        try await places.keep(locator)
        #expect(try await places.place() == locator)
        #expect(try await bench.people.place(of: user, in: book.id)?.totalProgression == 0.25)
        await #expect(throws: (any Error).self) { try await places.keep(Data("no".utf8)) }

        try await bench.people.setPassword("battery staple", of: "Ann")
        #expect(await bench.ask(address).status == 404)
        try await bench.close()
    }

    @Test func `a place that a page sends again later replaces no newer one`() async throws {
        let bench = try await bench()
        let book = try #require(try await bench.book("Emma"))
        let user = try #require(try await bench.people.list().first)
        let address = readingAddress(bench, book, user) + "~carrel/place"
        func send(_ href: String, _ modified: String?) async throws -> String {
            let time = modified.map { ",\"modified\":\"\($0)\"" } ?? ""
            let body = "{\"href\":\"\(href)\",\"type\":\"text/html\"\(time)}"
            #expect(await bench.ask(address, method: "PUT", [("X-Carrel", "1")], body: body).status == 204)
            let kept = try #require(try await bench.people.place(of: user, in: book.id))
            return try Locator(json: JSONValue(data: kept.locator, maximumSize: 1 << 16)).href
        }
        #expect(try await send("a", "2024-01-02T03:04:05.500Z") == "a")
        #expect(try await send("b", "2024-01-02T03:04:05.250Z") == "a")
        #expect(try await send("c", "2024-01-02T03:04:05.750Z") == "c")
        let time = try await bench.people.place(of: user, in: book.id)?.modified.timeIntervalSince1970
        #expect(abs((time ?? 0) - 1_704_164_645.75) < 0.001)
        // Places without a time, or with one that can't be read, count as new.
        #expect(try await send("d", nil) == "d")
        #expect(try await send("e", "soon") == "e")
        try await bench.close()
    }

    // MARK: State

    @Test func `health tells no names, and metrics are for this machine`() async throws {
        let bench = try await bench { $0.metricsToken = "0123456789abcdef" }
        let health = String(decoding: try await bench.ask("/health").bytes(), as: UTF8.self)
        #expect(health.contains("\"status\":\"ok\"") && health.contains("\"books\":2"))
        #expect(!health.contains("memory") && !health.contains("Emma"))
        _ = await bench.ask("/book/1/cover")
        let metrics = await bench.ask("/metrics")
        let text = String(decoding: try await metrics.bytes(), as: UTF8.self)
        #expect(text.contains("carrel_shelf_books 2\n"))
        #expect(text.contains("carrel_shelf_requests_total{kind=\"cover\",status=\"401\"} 1\n"))
        #expect(await bench.ask("/metrics", remote: "192.0.2.1").status == 403)
        #expect(await bench.ask("/metrics", [("X-Forwarded-For", "192.0.2.1")]).status == 403)
        let fields: [(name: String, value: String)] = [("Authorization", "Bearer 0123456789abcdef")]
        #expect(await bench.ask("/metrics", fields, remote: "192.0.2.1").status == 200)
        try await bench.close()
    }

    @Test(.timeLimit(.minutes(2)))
    func `a shelf whose own folder fails is followed again, and does not end the server`() async throws {
        let log = RecordedLog()
        let bench = try await ServerBench(books: ["emma.epub": try Self.book()], log: log)
        // From now on, every access to the catalogue fails.
        try await bench.shelf.close()
        let work = Task { try await bench.server.follow(pauses: RetryPolicy(firstPause: 0.01, longestPause: 0.01)) }
        try await eventually { log.lines.count { $0.message.hasPrefix("The shelf can't be kept") } >= 3 }
        work.cancel()
        await #expect(throws: (any Error).self) { try await work.value }
        try await bench.people.close()
    }

    /// What the server says about its health, and its metrics.
    private func state(_ bench: ServerBench) async throws -> (status: Int, health: JSONValue, metrics: String) {
        let answer = await bench.ask("/health")
        let health = try JSONValue(data: try await answer.bytes(), maximumSize: 1 << 20)
        let metrics = String(decoding: try await bench.ask("/metrics").bytes(), as: UTF8.self)
        return (answer.status, health, metrics)
    }

    @Test func `health and metrics show a storage that is away`() async throws {
        let bench = try await bench()
        try await bench.memory.moveItem(path: ProviderPath("books"), to: ProviderPath("elsewhere"))
        await #expect { try await bench.shelf.scan() } throws: { $0.isNoSuchFile }
        let state = try await state(bench)
        #expect(state.status == 503 && state.health["status"] == "unavailable" && state.health["books"] == 2)
        #expect(state.health["sources"]?.arrayValue?.compactMap { $0["state"]?.stringValue } == ["interrupted"])
        #expect(state.metrics.contains("carrel_shelf_source_up{source=\"1\"} 0\n"))
        try await bench.close()
    }

    @Test func `a shelf with one of two storages away is degraded, and goes on`() async throws {
        let other = MemoryFileProvider(MemoryConfiguration(name: "other"))
        let source = ShelfSource(provider: other, root: try ProviderPath("missing"))
        let bench = try await ServerBench(books: ["emma.epub": try Self.book()], others: [source])
        let state = try await state(bench)
        #expect(state.status == 200 && state.health["status"] == "degraded" && state.health["books"] == 1)
        #expect(state.health["sources"]?.arrayValue?.compactMap { $0["state"]?.stringValue } == ["ok", "interrupted"])
        #expect(state.metrics.contains("carrel_shelf_source_up{source=\"1\"} 1\n"))
        #expect(state.metrics.contains("carrel_shelf_source_up{source=\"2\"} 0\n"))
        try await bench.close()
    }

    @Test func `a shelf with a folder that cannot be listed in full is degraded`() async throws {
        let crafted = CraftedListing(MemoryFileProvider(MemoryConfiguration(name: "other")))
        let folder = try ProviderPath("more/a")
        try await crafted.createFolderWithParents(path: folder)
        try await crafted.writeContents(path: folder.appending("emma.epub"), contents: Self.book())
        crafted.leaveOut("emma.epub", in: folder)
        let source = ShelfSource(provider: crafted, root: try ProviderPath("more"))
        let bench = try await ServerBench(others: [source])
        let state = try await state(bench)
        #expect(state.status == 200 && state.health["status"] == "degraded")
        #expect(state.health["sources"]?.arrayValue?.compactMap { $0["unlisted"] } == [0, 1])
        try await bench.close()
    }
}
