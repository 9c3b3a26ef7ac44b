import FileProviderCore
import Foundation
import MediaTypes
import MemoryFileProvider
import OPDS
import ProviderDoubles
import Publication
import SampleBooks
import Shelf
import Testing
import WebServer

@testable import ShelfServer

/// A shelf whose catalogue is asked for without a connection.
final class FeedShelf: Sendable {
    static let origin = "http://127.0.0.1:8080"

    let provider: MemoryFileProvider
    let folder: TemporaryFolder
    let shelf: Shelf
    let people: PeopleStore
    let server: ShelfServer

    /// - Parameter fill: Puts books into the storage before they are looked for.
    init(_ fill: (MemoryFileProvider) async throws -> Void) async throws {
        let provider = MemoryFileProvider()
        let folder = try TemporaryFolder()
        try await fill(provider)
        let shelf = try await Shelf.open(folder: folder.url, sources: [ShelfSource(provider: provider, name: "Books")])
        try await shelf.scan()
        try await shelf.makeCovers()
        people = try await PeopleStore.open(folder: folder.url)
        server = try ShelfServer(shelf: shelf, people: people)
        self.provider = provider
        self.folder = folder
        self.shelf = shelf
    }

    /// 55 books of five authors and a comic of three pages, so that lists of books have two pages.
    static func large() async throws -> FeedShelf {
        try await FeedShelf { provider in
            // As the package writes them.
            let authors = ["Ada Reader", "Bo Écrivain", "Cy &amp; Co", "Di &lt;Writer>", "Eva"]
            for number in 1...55 {
                var book = SampleEPUB(
                    title: "Book \(number)", authors: [(authors[number % 5], "")],
                    uuid: UUID().uuidString.lowercased(),
                    series: number % 7 == 0 ? (name: "Sevens", index: String(number / 7)) : nil,
                    cover: number == 1 ? SampleBook.coverPicture() : nil)
                book.subjects = number % 2 == 0 ? ["Light"] : ["Furniture", "Rooms"]
                _ = try await provider.writeContents(path: ProviderPath("\(number).epub"), contents: book.data())
            }
            try await addComic(to: provider)
        }
    }

    /// Two books of one collection, and one of another.
    static func collections() async throws -> FeedShelf {
        try await FeedShelf { provider in
            for (title, collection) in [("Desk", "Best of"), ("Lamp", "Best of"), ("Harbour", "Holidays")] {
                var book = SampleEPUB(title: title, uuid: UUID().uuidString.lowercased())
                book.collection = collection
                _ = try await provider.writeContents(path: ProviderPath("\(title).epub"), contents: book.data())
            }
        }
    }

    static let comicTitle = "Night Shift"

    /// A comic of three pages.
    static func addComic(to provider: MemoryFileProvider) async throws {
        let data = try ZIPBuilder.data { zip in
            for name in ["1.png", "2.png", "3.png"] { try zip.store(name, SampleBook.coverPicture()) }
            try zip.deflate("ComicInfo.xml", "<ComicInfo><Title>\(comicTitle)</Title></ComicInfo>")
        }
        _ = try await provider.writeContents(path: ProviderPath("comic.cbz"), contents: data)
    }

    /// - Parameter address: Behind the origin; an absolute one has to be of this server.
    func answer(
        _ address: String, method: String = "GET", _ headers: [(name: String, value: String)] = []
    ) async -> ServerResponse {
        let target = address.hasPrefix(Self.origin) ? String(address.dropFirst(Self.origin.count)) : address
        return await server.respond(
            to: ServerRequest(method: method, target: target, headers: [("Host", "127.0.0.1:8080")] + headers))
    }

    /// The document at `address`, read as any catalogue's.
    func document(_ address: String) async throws -> CatalogDocument {
        let answer = await answer(address)
        #expect(answer.status == 200, "\(address)")
        let url = URL(string: address, relativeTo: URL(string: Self.origin))?.absoluteURL
        return try CatalogDocument(data: try await answer.feedBytes(), url: url)
    }

    func feed(_ address: String) async throws -> Feed {
        guard case .feed(let feed) = try await document(address) else {
            throw CocoaError(.fileReadCorruptFile, userInfo: [NSLocalizedDescriptionKey: "\(address) is no feed"])
        }
        return feed
    }

    /// The book called `title`.
    func book(titled title: String) async throws -> ShelfBook {
        try #require(try await shelf.books(ShelfQuery(limit: 500)).books.first { $0.metadata.title.string == title })
    }
}

extension ServerResponse {
    /// The body, as a connection would send it.
    func feedBytes() async throws -> Data {
        switch body {
        case .none: return Data()
        case .data(let data): return data
        case .stream(_, let send):
            let sink = DataSink(limit: 64 << 20)
            try await send(sink)
            return sink.data
        }
    }
}

extension FeedVersion {
    var root: String { "/opds/\(rawValue)/" }
}
