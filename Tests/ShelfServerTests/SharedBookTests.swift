import Cryptography
import Foundation
import OPDS
import Publication
import SampleBooks
import Shelf
import Testing
import WebServer

@testable import ShelfServer

/// Two people who read one comic of four pages.
@Suite struct SharedBookTests {
    private static let name = "comic.cbz"
    private static let document = DocumentDigest.name(name)

    /// A person's place, as the first page, the feed of what is being read and KOReader have it.
    private struct Place: Equatable {
        var percent: String?
        var page: Int?
        var progress: String?
    }

    private func bench() async throws -> ServerBench {
        let comic = try ZIPBuilder.data { zip in
            for number in 1...4 { try zip.store("\(number).png", SampleBook.coverPicture()) }
        }
        let bench = try await ServerBench(books: [Self.name: comic])
        for name in ["Ann", "Bo"] { _ = try await bench.people.add(name: name, password: ServerBench.password) }
        return bench
    }

    private func page(_ bench: ServerBench, _ target: String, of name: String) async throws -> ReceivedPage {
        let answer = await bench.ask(target, ServerBench.basic(name))
        #expect(answer.status == 200, "\(target)")
        return ReceivedPage(answer: answer, html: String(decoding: try await answer.bytes(), as: UTF8.self))
    }

    private static func key(_ name: String) -> [(name: String, value: String)] {
        let key = Digest(.md5, of: Data(ServerBench.password.utf8)).hexadecimal
        return [("x-auth-user", name), ("x-auth-key", key)]
    }

    private func place(_ bench: ServerBench, of name: String) async throws -> Place {
        let reading = try await page(bench, "/", of: name).section("reading").html
        let percent = reading.firstMatch(of: /<progress max="100" value="([0-9]+)"/).map { String($0.1) }
        let data = try await bench.ask("/opds/2.0/reading", ServerBench.basic(name)).bytes()
        guard case .feed(let feed) = try CatalogDocument(data: data, url: URL(string: "http://127.0.0.1:8080/")) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        let stream = feed.publications.first?.links.firstWithRel(CatalogRelation.pageStream)
        let answer = await bench.ask("/koreader/syncs/progress/\(Self.document)", Self.key(name))
        let progress = try JSONValue(data: try await answer.bytes(), maximumSize: 1 << 16)
        return Place(
            percent: percent, page: stream?.properties.pageStreaming?.lastRead,
            progress: progress["progress"]?.stringValue)
    }

    private func sendFromKOReader(_ bench: ServerBench, page: Int, of name: String) async {
        let body: JSONValue = [
            "document": .string(Self.document), "progress": .string(String(page)),
            "percentage": .double(Double(page) / 4), "device": "Reader", "device_id": "A1",
        ]
        let answer = await bench.ask(
            "/koreader/syncs/progress", method: "PUT", Self.key(name), body: body.jsonString)
        #expect(answer.status == 200)
    }

    /// Sends a place of the last page as the reading page does, from the address that the person's own page leads to.
    private func sendLastPage(_ bench: ServerBench, of name: String) async throws {
        let book = try #require(try await bench.shelf.books().books.first)
        let address = try #require(try await page(bench, "/book/\(book.id)", of: name).link("Continue"))
        let kept = try await bench.ask(address + "~carrel/place").bytes()
        var locator = try Locator(json: JSONValue(data: kept, maximumSize: 1 << 16))
        locator.href = locator.href.replacing("2.png", with: "4.png")
        locator.locations = Locator.Locations(position: 4, totalProgression: 0.75)
        locator.otherProperties["modified"] = .string((Date() + 100).formatted(.iso8601))
        let answer = await bench.ask(
            address + "~carrel/place", method: "PUT", [("X-Carrel", "1")], body: locator.json.jsonString)
        #expect(answer.status == 204)
    }

    @Test func `two people have their own places in one book, on every side`() async throws {
        let bench = try await bench()
        await sendFromKOReader(bench, page: 2, of: "Ann")
        #expect(try await place(bench, of: "Ann") == Place(percent: "25", page: 2, progress: "2"))
        #expect(try await place(bench, of: "Bo") == Place())
        await sendFromKOReader(bench, page: 3, of: "Bo")
        #expect(try await place(bench, of: "Ann") == Place(percent: "25", page: 2, progress: "2"))
        #expect(try await place(bench, of: "Bo") == Place(percent: "50", page: 3, progress: "3"))
        try await sendLastPage(bench, of: "Ann")
        #expect(try await place(bench, of: "Ann") == Place(percent: "75", page: 4, progress: "4"))
        #expect(try await place(bench, of: "Bo") == Place(percent: "50", page: 3, progress: "3"))
        try await bench.close()
    }
}
