import FileProviderCore
import Foundation
import Publication
@testable import PublicationServer
import Testing
import WebServer

/// A place that is kept in memory, and may fail.
private final class KeptPlace: ReadingPlaces {
    private let data = LockedValue<Data?>(nil)
    private let fails: Bool

    init(fails: Bool = false) { self.fails = fails }

    func place() async throws -> Data? {
        if fails { throw FileError.make(.fileReadNoPermission, path: "/state/places") }
        return data.value
    }

    func keep(_ locator: Data) async throws {
        if fails { throw FileError.make(.fileWriteOutOfSpace, path: "/state/places") }
        data.update { $0 = locator }
    }
}

private let origin = "https://books.example"
private let locator = #"{"href":"c1.xhtml","type":"application/xhtml+xml","modified":"2026-11-29T12:00:00.000Z"}"#
private let marked = [(name: "X-Carrel", value: "1")]

private func mounted(
    _ places: (any ReadingPlaces)? = KeptPlace(), home: (title: String, address: String)? = nil
) -> MountedPublication {
    MountedPublication(
        publication: Publication(manifest: .of(["c1.xhtml application/xhtml+xml"])), identity: "book",
        base: "/books/7/read/", allowsScripts: false, logger: nil, places: places, home: home)
}

extension MountedPublication {
    fileprivate func answer(
        _ rest: String, method: String = "GET", _ headers: [(name: String, value: String)] = [], body: String = ""
    ) async -> ServerResponse {
        let request = ServerRequest(
            method: method, target: "/books/7/read/" + rest, headers: headers, body: Data(body.utf8))
        return await respond(to: request, rest: rest, origin: origin)
    }

    fileprivate func put(_ body: String, _ headers: [(name: String, value: String)] = marked) async -> Int {
        await answer("~carrel/place", method: "PUT", headers, body: body).status
    }
}

@Suite struct `A publication on another server` {
    @Test func `is below its path, and may read and keep there`() async throws {
        let page = await mounted().answer("")
        #expect(page.status == 200)
        let text = try await page.text()
        #expect(text.contains("data-base=\"/books/7/read/\" data-places=\"kept\""))
        let policy = try #require(page.header("Content-Security-Policy"))
        #expect(policy.contains("connect-src https://books.example/books/7/read/;"))
        #expect(await mounted().answer("manifest.json").status == 200)
        #expect(await mounted().answer("none.xhtml").status == 404)
    }

    @Test func `leads back if the server has a list of books`() async throws {
        let page = try await mounted(home: ("Books & <more>", "/books/?a=\"1\"")).answer("").text()
        let link = "<a class=\"home\" href=\"/books/?a=&quot;1&quot;\">"
        #expect(page.components(separatedBy: link).count == 3, "on the title page and in the bar")
        #expect(page.contains("<span>Books &amp; &lt;more&gt;</span></a>"))
        #expect(try await !mounted().answer("").text().contains("class=\"home\""))
    }
}

@Suite struct `A reader's place` {
    @Test func `is kept as it is sent, and returned`() async throws {
        let book = mounted()
        #expect(await book.answer("~carrel/place").status == 204)
        #expect(await book.put(locator) == 204)
        let answer = await book.answer("~carrel/place")
        #expect(answer.status == 200)
        #expect(try await answer.text() == locator)
        #expect(answer.header("Content-Type") == "application/json")
        #expect(answer.header("Cache-Control") == "no-store")
        #expect(answer.header("Cross-Origin-Resource-Policy") == "same-origin")
        let head = await book.answer("~carrel/place", method: "HEAD")
        #expect(head.status == 200 && !head.hasBody)
    }

    @Test(arguments: [
        "", "x", "[]", "7", "null", "{}", #"{"href":"c1.xhtml"}"#, #"{"type":"text/html"}"#, #"{"href":1,"type":2}"#,
    ])
    func `is a locator`(body: String) async {
        let book = mounted()
        #expect(await book.put(body) == 400)
        #expect(await book.answer("~carrel/place").status == 204)
    }

    @Test func `has no more than 16 KiB`() async {
        let start = #"{"href":"c1.xhtml","type":"text/html","title":""#
        func place(_ count: Int) -> String {
            start + String(repeating: "x", count: count - start.utf8.count - 2) + "\"}"
        }
        let book = mounted()
        #expect(await book.put(place(MountedPublication.largestBody + 1)) == 413)
        #expect(await book.answer("~carrel/place").status == 204)
        #expect(await book.put(place(16 << 10)) == 204)
    }

    private static let foreign: [[(name: String, value: String)]] =
        [[], [("X-Carrel", "0")]]
        + [
            ("Origin", "https://evil.example"), ("Origin", "null"), ("Origin", "http://books.example"),
            ("Origin", "https://books.example:8443"), ("Origin", "https://books.example.evil.example"),
            ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"),
        ].map { marked + [(name: $0.0, value: $0.1)] }

    @Test(arguments: foreign)
    func `is not for pages of others`(headers: [(name: String, value: String)]) async {
        let book = mounted()
        #expect(await book.put(locator, headers) == 403)
        #expect(await book.answer("~carrel/place").status == 204)
    }

    @Test(arguments: ["https://books.example", "https://books.example:443", "HTTPS://Books.Example"])
    func `is for the page, however its origin is written`(origin: String) async {
        let own = [(name: "Origin", value: origin), (name: "Sec-Fetch-Site", value: "same-origin")]
        #expect(await mounted().put(locator, marked + own) == 204)
    }

    @Test func `is not told to a chapter`() async {
        let answer = await mounted().answer("~carrel/place", [("Sec-Fetch-Site", "cross-site")])
        #expect(answer.status == 403)
    }

    @Test(arguments: ["POST", "DELETE", "OPTIONS", "put"])
    func `is read and kept, and nothing else`(method: String) async {
        let answer = await mounted().answer("~carrel/place", method: method, marked, body: locator)
        #expect(answer.status == 405)
        #expect(answer.header("Allow") == "GET, HEAD, PUT")
        #expect(answer.header("Access-Control-Allow-Methods") == nil)
    }

    @Test func `is not there unless the server keeps places`() async throws {
        let book = mounted(nil)
        #expect(await book.answer("~carrel/place").status == 404)
        #expect(await book.put(locator) == 405)
        #expect(try await book.answer("").text().contains("data-places=\"\""))
    }

    @Test func `that cannot be read or kept is an error without the reason`() async throws {
        let book = mounted(KeptPlace(fails: true))
        for method in ["GET", "PUT"] {
            let answer = await book.answer("~carrel/place", method: method, marked, body: locator)
            #expect(answer.status == 500)
            #expect(try await answer.text() == "The place could not be read or kept.\n")
        }
    }
}
