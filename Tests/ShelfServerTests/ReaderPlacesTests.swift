import FileProviderCore
import Foundation
import MemoryFileProvider
import Publication
import SampleBooks
import Shelf
import Testing
import WebServer

@testable import ShelfServer

/// Places in books whose files were copied and removed later.
@Suite struct ReaderPlacesTests {
    private static let (old, new) = ("old/lamp.epub", "new/lamp.epub")
    private static let digest = String(repeating: "0a", count: 16)

    private func bench() async throws -> ServerBench {
        let other = try SampleEPUB(title: "Other", authors: [("Jane Austen", "Austen, Jane")]).data()
        let bench = try await ServerBench(.everyone, books: [Self.old: try SampleBook.small(), "other.epub": other])
        try await bench.memory.createFolder(path: ProviderPath("books/new"))
        return bench
    }

    private func copy(_ bench: ServerBench, from path: String, to target: String) async throws {
        try await bench.memory.copyItem(path: ProviderPath("books/" + path), to: ProviderPath("books/" + target))
        try await bench.shelf.scan()
    }

    private func remove(_ bench: ServerBench, _ path: String) async throws {
        try await bench.memory.removeItem(path: ProviderPath("books/" + path))
        try await bench.shelf.scan()
    }

    private func number(_ bench: ServerBench, _ path: String) async throws -> Int64 {
        let path = try ProviderPath("books/" + path)
        return try #require(try await bench.shelf.books().books.first { $0.path == path }).id
    }

    /// Keeps a place in the book with the number `book`, at `total` of it and `seconds` after a fixed time.
    private func keep(_ bench: ServerBench, _ total: Double, at seconds: Double, in book: Int64) async throws {
        let locator = Locator(
            href: "EPUB/chapter-1.xhtml", type: "application/xhtml+xml",
            locations: Locator.Locations(progression: 0.5, totalProgression: total))
        let place = KeptPlace(
            locator: locator.json.data, totalProgression: total,
            modified: Date(timeIntervalSince1970: 1_700_000_000 + seconds))
        try await bench.people.keep(place, of: .everyone, in: book)
    }

    private func places(_ bench: ServerBench) -> ReaderPlaces {
        ReaderPlaces(shelf: bench.shelf, people: bench.people, user: .everyone)
    }

    private func totals(_ bench: ServerBench, _ books: [Int64]) async throws -> [Int64: Double?] {
        try await places(bench).places(in: books).mapValues(\.totalProgression)
    }

    @Test func `a place follows a book that is moved by copying, on every side`() async throws {
        let bench = try await bench()
        let old = try await number(bench, Self.old)
        try await keep(bench, 0.25, at: 1, in: old)
        try await bench.people.keepDocument(Self.digest, of: old, version: "1")
        try await copy(bench, from: Self.old, to: Self.new)
        let new = try await number(bench, Self.new)
        #expect(try await places(bench).place(in: new) == nil)
        try await remove(bench, Self.old)

        #expect(try await places(bench).place(in: new)?.totalProgression == 0.25)
        #expect(try await places(bench).recent(limit: 9).map(\.book.id) == [new])
        for number in [old, new] {
            let page = String(decoding: try await bench.ask("/book/\(number)").bytes(), as: UTF8.self)
            #expect(page.contains("25% read"), "\(number)")
            let segment = ShelfKey(ServerBench.key).readingSegment(book: number, user: .everyone)
            let place = try await bench.ask("/read/\(segment)/~carrel/place").bytes()
            #expect(try Locator(json: JSONValue(data: place, maximumSize: 1 << 16)).locations.totalProgression == 0.25)
        }
        let home = String(decoding: try await bench.ask("/").bytes(), as: UTF8.self)
        #expect(home.contains("Continue reading"))
        let progress = try JSONValue(
            data: try await bench.ask("/koreader/syncs/progress/\(Self.digest)").bytes(), maximumSize: 1 << 16)
        #expect(progress["percentage"]?.doubleValue == 0.25)
        try await bench.close()
    }

    @Test(arguments: [(1.0, 2.0, 0.75), (2.0, 1.0, 0.25)])
    func `of two places the newer one counts, and the other is there when its book is back`(
        oldTime: Double, newTime: Double, newest: Double
    ) async throws {
        let bench = try await bench()
        let old = try await number(bench, Self.old)
        try await copy(bench, from: Self.old, to: Self.new)
        let new = try await number(bench, Self.new)
        try await keep(bench, 0.25, at: oldTime, in: old)
        try await keep(bench, 0.75, at: newTime, in: new)
        #expect(try await totals(bench, [old, new]) == [old: 0.25, new: 0.75])
        try await remove(bench, Self.old)
        #expect(try await totals(bench, [new]) == [new: newest])
        let recent = try await places(bench).recent(limit: 9)
        #expect(recent.map(\.book.id) == [new] && recent.first?.place.totalProgression == newest)

        try await copy(bench, from: Self.new, to: Self.old)
        #expect(try await number(bench, Self.old) == old)
        #expect(try await totals(bench, [old, new]) == [old: 0.25, new: 0.75])
        try await bench.close()
    }

    @Test func `what a page that is still open sends is kept for the copy`() async throws {
        let bench = try await bench()
        let old = try await number(bench, Self.old)
        try await keep(bench, 0.25, at: 1, in: old)
        try await copy(bench, from: Self.old, to: Self.new)
        let new = try await number(bench, Self.new)
        let segment = ShelfKey(ServerBench.key).readingSegment(book: old, user: .everyone)
        #expect(await bench.ask("/read/\(segment)/").status == 200)
        try await remove(bench, Self.old)
        let body = """
            {"href":"c","type":"text/html","locations":{"totalProgression":0.5},"modified":"2024-01-02T03:04:05Z"}
            """
        let answer = await bench.ask(
            "/read/\(segment)/~carrel/place", method: "PUT", [("X-Carrel", "1")], body: body)
        #expect(answer.status == 204)
        #expect(try await bench.people.place(of: .everyone, in: new)?.totalProgression == 0.5)
        #expect(try await places(bench).place(in: new)?.totalProgression == 0.5)
        try await bench.close()
    }
}
