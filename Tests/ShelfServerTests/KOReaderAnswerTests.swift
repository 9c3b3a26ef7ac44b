import Cryptography
import FileProviderCore
import Foundation
import Publication
import SampleBooks
import Shelf
import Testing
import WebServer

@testable import ShelfServer

@Suite struct KOReaderAnswerTests {
    private static let lamp = "lamp.epub"
    private static let digest = String(repeating: "0a", count: 16)

    private func bench(
        _ access: ShelfServerConfiguration.Access = .users, adding books: [String: Data] = [:],
        change: (inout ShelfServerConfiguration) -> Void = { _ in }
    ) async throws -> ServerBench {
        let comic = try ZIPBuilder.data { zip in
            for name in ["1.png", "2.png", "3.png", "4.png"] { try zip.store(name, SampleBook.coverPicture()) }
        }
        let bench = try await ServerBench(
            access, books: books.merging([Self.lamp: try SampleBook.small(), "comic.cbz": comic]) { own, _ in own },
            change: change)
        if access == .users { _ = try await bench.people.add(name: "Ann", password: ServerBench.password) }
        return bench
    }

    private static func key(_ password: String = ServerBench.password) -> [(name: String, value: String)] {
        let key = Digest(.md5, of: Data(password.utf8)).hexadecimal
        return [("x-auth-user", "Ann"), ("x-auth-key", key), ("Accept", "application/vnd.koreader.v1+json")]
    }

    private func json(_ answer: ServerResponse) async throws -> JSONValue {
        #expect(answer.header("Content-Type") == "application/json")
        return try JSONValue(data: try await answer.bytes(), maximumSize: 1 << 16)
    }

    private func put(
        _ bench: ServerBench, _ document: String, _ progress: JSONValue, percentage: Double = 0.4
    ) async throws -> ServerResponse {
        let body: JSONValue = [
            "document": .string(document), "progress": progress, "percentage": .double(percentage), "device": "Reader",
            "device_id": "A1",
        ]
        return await bench.ask("/koreader/syncs/progress", method: "PUT", Self.key(), body: body.jsonString)
    }

    private func get(_ bench: ServerBench, _ document: String) async throws -> JSONValue {
        let answer = await bench.ask("/koreader/syncs/progress/\(document)", Self.key())
        #expect(answer.status == 200)
        return try await json(answer)
    }

    private func ann(_ bench: ServerBench) async throws -> User { try #require(try await bench.people.list().first) }

    private func book(_ bench: ServerBench, _ name: String = KOReaderAnswerTests.lamp) async throws -> ShelfBook {
        try #require(try await bench.shelf.books().books.first { $0.path.name == name })
    }

    private func locator(_ place: KeptPlace) throws -> Locator {
        try Locator(json: JSONValue(data: place.locator, maximumSize: 1 << 16))
    }

    /// A place of the reading page, `seconds` from now.
    private func keep(
        _ bench: ServerBench, _ locator: Locator, in book: ShelfBook, after seconds: Double
    ) async throws {
        let place = KeptPlace(
            locator: locator.json.data, totalProgression: locator.locations.totalProgression,
            modified: Date() + seconds)
        try await bench.people.keep(place, of: ann(bench), in: book.id)
    }

    private func page(chapter: Int, progression: Double, total: Double) -> Locator {
        Locator(
            href: "EPUB/chapter-\(chapter).xhtml", type: "application/xhtml+xml",
            locations: Locator.Locations(progression: progression, totalProgression: total))
    }

    // MARK: Accounts

    @Test func `a login is a name and the MD5 of the password`() async throws {
        let bench = try await bench()
        let answer = await bench.ask("/koreader/users/auth", Self.key())
        #expect(answer.status == 200)
        #expect(try await json(answer) == ["authorized": "OK"])
        let wrong = await bench.ask("/koreader/users/auth", Self.key("another horse"))
        #expect(wrong.status == 401)
        #expect(try await json(wrong)["code"] == 2001)
        #expect(await bench.ask("/koreader/users/auth").status == 401)
        #expect(await bench.ask("/koreader/syncs/progress/\(Self.digest)").status == 401)
        #expect(await bench.ask("/koreader/syncs/progress", method: "PUT", body: "{}").status == 401)
        let health = await bench.ask("/koreader/healthcheck")
        #expect(try await json(health) == ["state": "OK"])
        try await bench.close()
    }

    @Test func `wrong logins are soon refused without a look`() async throws {
        let bench = try await bench { $0.loginLimits.perName = 2 }
        for _ in 0..<2 { #expect(await bench.ask("/koreader/users/auth", Self.key("wrong horse")).status == 401) }
        let answer = await bench.ask("/koreader/users/auth", Self.key())
        #expect(answer.status == 429 && answer.header("Retry-After") == "300")
        try await bench.close()
    }

    @Test func `accounts are created only where the configuration says so`() async throws {
        let body = #"{"username": "Bo", "password": "0123456789abcdef0123456789abcdef"}"#
        let closed = try await bench()
        let refused = await closed.ask("/koreader/users/create", method: "POST", body: body)
        #expect(refused.status == 402)
        #expect(try await closed.people.list().map(\.name) == ["Ann"])
        try await closed.close()

        let open = try await bench { $0.allowsRegistration = true }
        let created = await open.ask("/koreader/users/create", method: "POST", body: body)
        #expect(created.status == 201)
        #expect(try await json(created) == ["username": "Bo"])
        #expect(await open.ask("/koreader/users/create", method: "POST", body: body).status == 402)
        let fields: [(name: String, value: String)] = [
            ("x-auth-user", "Bo"), ("x-auth-key", "0123456789abcdef0123456789abcdef"),
        ]
        #expect(await open.ask("/koreader/users/auth", fields).status == 200)
        for body in ["", "[]", "{}", #"{"username": "", "password": "x"}"#, #"{"username": "C", "password": "x"}"#] {
            #expect(await open.ask("/koreader/users/create", method: "POST", body: body).status == 403, "\(body)")
        }
        try await open.close()
    }

    @Test func `registrations are limited for each address`() async throws {
        let bench = try await bench {
            $0.allowsRegistration = true
            $0.loginLimits.perAddress = 2
        }
        func create(_ name: String, from remote: String) async -> ServerResponse {
            let body: JSONValue = ["username": .string(name), "password": .string(Self.digest)]
            return await bench.ask("/koreader/users/create", method: "POST", body: body.jsonString, remote: remote)
        }
        #expect(await create("Bo", from: "192.0.2.1").status == 201)
        #expect(await create("Bo", from: "192.0.2.1").status == 402)
        let refused = await create("Cy", from: "192.0.2.1")
        #expect(refused.status == 429 && refused.header("Retry-After") == "300")
        #expect(try await bench.people.list().map(\.name) == ["Ann", "Bo"])
        #expect(await create("Di", from: "192.0.2.2").status == 201)
        try await bench.close()
    }

    @Test func `a server without logins has one reader`() async throws {
        let bench = try await bench(.everyone)
        #expect(await bench.ask("/koreader/users/auth").status == 200)
        #expect(try await put(bench, Self.digest, "/body/DocFragment[1].0").status == 200)
        #expect(try await get(bench, Self.digest)["progress"] == "/body/DocFragment[1].0")
        try await bench.close()
    }

    // MARK: Places

    @Test func `what was sent is returned as it was sent`() async throws {
        let bench = try await bench()
        #expect(try await get(bench, Self.digest) == [:])
        let progress = "/body/DocFragment[99]/body/div/p[3]/text().0"
        let kept = try await put(bench, Self.digest, .string(progress), percentage: 0.31879884821061)
        #expect(kept.status == 200)
        let time = try await json(kept)["timestamp"]?.integerValue ?? 0
        #expect(abs(Double(time) - Date().timeIntervalSince1970) < 60)
        #expect(
            try await get(bench, Self.digest) == [
                "document": .string(Self.digest), "progress": .string(progress), "percentage": 0.31879884821061,
                "device": "Reader", "device_id": "A1", "timestamp": .integer(time),
            ])
        // Older versions send page numbers as numbers.
        #expect(try await put(bench, Self.digest, 3).status == 200)
        #expect(try await get(bench, Self.digest)["progress"] == "3")
        try await bench.close()
    }

    @Test func `a pointer becomes the place of the reading page`() async throws {
        let bench = try await bench()
        let book = try await book(bench)
        _ = try await put(
            bench, DocumentDigest.name(Self.lamp), "/body/DocFragment[2]/body/p[3]/text().4", percentage: 0.99)
        let place = try #require(try await bench.people.place(of: ann(bench), in: book.id))
        let locator = try locator(place)
        #expect(locator.href == "EPUB/chapter-2.xhtml" && locator.locations.partialCFI != nil)
        #expect(place.device == "Reader" && locator.otherProperties["modified"] != nil)
        let total = try #require(place.totalProgression)
        #expect((0.2..<0.8).contains(total))
        // What KOReader sent stays as it is.
        #expect(try await get(bench, DocumentDigest.name(Self.lamp))["percentage"] == 0.99)
        try await bench.close()
    }

    @Test func `without a pointer that leads somewhere, the percentage counts`() async throws {
        let bench = try await bench()
        let book = try await book(bench)
        _ = try await put(bench, DocumentDigest.name(Self.lamp), "#nothing", percentage: 0.9)
        let place = try #require(try await bench.people.place(of: ann(bench), in: book.id))
        #expect(try locator(place).href == "EPUB/chapter-3.xhtml" && place.totalProgression == 0.9)
        try await bench.close()
    }

    @Test func `a newer place of the reading page is told as a pointer`() async throws {
        let bench = try await bench()
        let (book, document) = (try await book(bench), DocumentDigest.name(Self.lamp))
        _ = try await put(bench, document, "/body/DocFragment[1]/body/p[1]/text().0", percentage: 0.01)
        try await keep(bench, page(chapter: 3, progression: 0.5, total: 0.75), in: book, after: 100)
        let newer = try await get(bench, document)
        #expect(newer["progress"]?.stringValue?.hasPrefix("/body/DocFragment[3]/body/p[") == true)
        #expect(newer["percentage"] == 0.75 && newer["device"] == "Carrel" && newer["device_id"] != "A1")
        try await bench.close()
    }

    @Test func `an older place of the reading page is not told`() async throws {
        let bench = try await bench()
        let (book, document) = (try await book(bench), DocumentDigest.name(Self.lamp))
        try await keep(bench, page(chapter: 3, progression: 0.5, total: 0.75), in: book, after: -100)
        _ = try await put(bench, document, "/body/DocFragment[1]/body/p[1]/text().0", percentage: 0.01)
        #expect(try await get(bench, document)["progress"] == "/body/DocFragment[1]/body/p[1]/text().0")
        try await bench.close()
    }

    @Test func `a book that was read on a page is found by the digest of its file`() async throws {
        let bench = try await bench()
        let book = try await book(bench)
        let file = try await bench.shelf.file(of: book)
        let document = try await DocumentDigest.binary(file)
        await file.close()
        #expect(try await get(bench, document) == [:])
        try await keep(bench, page(chapter: 2, progression: 0, total: 0.34), in: book, after: 0)
        #expect(try await get(bench, document)["progress"]?.stringValue?.hasPrefix("/body/DocFragment[2]") == true)
        #expect(try await bench.people.books(ofDocument: document) == [book.id])
        try await bench.close()
    }

    @Test func `the reading page gets a place that KOReader sent before the book was known`() async throws {
        let bench = try await bench()
        let book = try await book(bench)
        let file = try await bench.shelf.file(of: book)
        let document = try await DocumentDigest.binary(file)
        await file.close()
        _ = try await put(bench, document, "/body/DocFragment[3]/body/p[2]/text().0")
        let (user, context) = (try await ann(bench), try await context(bench))
        #expect(try await bench.people.place(of: user, in: book.id) == nil)
        let segment = context.key.readingSegment(book: book.id, user: user)
        let request = ServerRequest(target: "/read/\(segment)/~carrel/place")
        await KOReaderSync.prepare(segment: segment + "x", rest: "~carrel/place", request, context)
        await KOReaderSync.prepare(segment: segment, rest: "manifest.json", request, context)
        #expect(try await bench.people.place(of: user, in: book.id) == nil)
        await KOReaderSync.prepare(segment: segment, rest: "~carrel/place", request, context)
        let place = try #require(try await bench.people.place(of: user, in: book.id))
        #expect(try locator(place).href == "EPUB/chapter-3.xhtml")
        try await bench.close()
    }

    @Test func `the digest of a file is known once it was acquired`() async throws {
        let bench = try await bench()
        let (book, context) = (try await book(bench), try await context(bench))
        let documents = KOReaderDocuments(context)
        let whole = ServerResponse(status: 200, body: .stream(count: 1, send: { _ in }))
        guard case .stream(_, let send) = await documents.noting(book, in: whole).body else {
            Issue.record("The answer is not sent in pieces any more.")
            return
        }
        #expect(try await bench.people.document(of: book.id, version: BookVersion(book).text) == nil)
        try await send(DiscardingSink())
        let digest = try #require(try await bench.people.document(of: book.id, version: BookVersion(book).text))
        #expect(try await documents.digest(of: book) == digest)
        let found = try await documents.book(digest, of: try await ann(bench))
        #expect(found?.id == book.id)
        try await bench.close()
    }

    @Test func `a newer copy that left the shelf hides no book`() async throws {
        let bench = try await bench()
        let (user, book) = (try await ann(bench), try await book(bench))
        for id in [book.id, book.id + 1_000] {
            try await bench.people.keepDocument(Self.digest, of: id, version: "v1")
        }
        let documents = KOReaderDocuments(try await context(bench))
        #expect(try await documents.book(Self.digest, of: user)?.id == book.id)
        try await bench.close()
    }

    @Test func `a name that several books have leads to none of them`() async throws {
        var volumes: [String: Data] = [:]
        for (folder, count) in [("A", 2), ("B", 3)] {
            volumes["\(folder)/Vol 1.cbz"] = try ZIPBuilder.data { zip in
                for number in 1...count { try zip.store("\(number).png", SampleBook.coverPicture()) }
            }
        }
        let bench = try await bench(adding: volumes)
        let (document, user, context) = (
            DocumentDigest.name("Vol 1.cbz"), try await ann(bench), try await context(bench)
        )
        #expect(try await put(bench, document, "2", percentage: 0.5).status == 200)
        #expect(try await KOReaderDocuments(context).book(document, of: user) == nil)
        let books = try await bench.shelf.books().books.filter { $0.path.name == "Vol 1.cbz" }
        #expect(books.count == 2)
        for book in books {
            await KOReaderSync(context: context, user: user).bringNewest(to: book)
            #expect(try await bench.people.place(of: user, in: book.id) == nil)
        }
        // KOReader's devices follow each other nevertheless.
        #expect(try await get(bench, document)["progress"] == "2")
        try await bench.close()
    }

    @Test func `pages of a comic have numbers`() async throws {
        let bench = try await bench()
        let (book, document) = (try await book(bench, "comic.cbz"), DocumentDigest.name("comic.cbz"))
        _ = try await put(bench, document, "3", percentage: 0.75)
        let place = try #require(try await bench.people.place(of: ann(bench), in: book.id))
        #expect(try locator(place).locations.position == 3 && locator(place).href.hasSuffix("3.png"))
        var second = try locator(place)
        second.href = second.href.replacing("3.png", with: "2.png")
        second.locations = Locator.Locations(position: 2)
        try await keep(bench, second, in: book, after: 100)
        let newer = try await get(bench, document)
        #expect(newer["progress"] == "2" && newer["percentage"] == 0.5)
        try await bench.close()
    }

    // MARK: Wrong requests

    @Test(arguments: [
        "", "[]", "{", #"{"progress": "1", "percentage": 0.1, "device": "a"}"#,
        #"{"document": "", "progress": "1", "percentage": 0.1, "device": "a"}"#,
        #"{"document": "a\u0007", "progress": "1", "percentage": 0.1, "device": "a"}"#,
        #"{"document": "a", "percentage": 0.1, "device": "a"}"#,
        #"{"document": "a", "progress": "1", "device": "a"}"#,
        #"{"document": "a", "progress": "1", "percentage": "0.1", "device": "a"}"#,
        #"{"document": "a", "progress": "1", "percentage": 0.1}"#,
        #"{"document": "a", "progress": "1", "percentage": 0.1, "device": "a", "device_id": 5}"#,
    ])
    func `a place that lacks something is refused`(body: String) async throws {
        let bench = try await bench()
        let answer = await bench.ask("/koreader/syncs/progress", method: "PUT", Self.key(), body: body)
        #expect(answer.status == 403)
        #expect(try await json(answer)["message"]?.stringValue?.isEmpty == false)
        try await bench.close()
    }

    @Test func `other methods and addresses are refused`() async throws {
        let bench = try await bench()
        #expect(await bench.ask("/koreader/syncs/progress", method: "POST", Self.key()).header("Allow") == "PUT")
        #expect(await bench.ask("/koreader/syncs/progress/a", method: "PUT", Self.key()).header("Allow") == "GET, HEAD")
        #expect(await bench.ask("/koreader/users/create", Self.key()).status == 405)
        for path in ["", "users", "syncs", "syncs/progress/a/b", "other"] {
            #expect(await bench.ask("/koreader/" + path, Self.key()).status == 404, "\(path)")
        }
        try await bench.close()
    }

    private func context(_ bench: ServerBench) async throws -> ShelfContext {
        ShelfContext(
            shelf: bench.shelf, people: bench.people, files: bench.server.files, books: bench.server.books, user: nil,
            address: "http://127.0.0.1:8080/", base: "/", title: "Books", key: ShelfKey(ServerBench.key), formToken: "",
            client: "127.0.0.1", logins: LoginCheck(bench.people, LoginLimits()), pictureTurns: PictureTurns(1),
            settings: ShelfContext.Settings(), logger: nil)
    }
}
