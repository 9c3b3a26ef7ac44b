import FileProviderCore
import Foundation
import MediaTypes
import Publication
import Shelf
import Testing

@testable import ShelfServer

@Suite struct OpenBooksTests {
    private final class Openings: Sendable {
        let ids = LockedValue<[Int64]>([])
        let failures = LockedValue(0)
        private let time = LockedValue(ContinuousClock.now)

        var now: ContinuousClock.Instant { time.value }
        func advance(_ duration: Duration) { time.update { $0 += duration } }

        func books(most: Int = 2) -> OpenBooks {
            OpenBooks(most: most, idleTime: .seconds(60), now: { self.now }, opening: { try self.open($0) })
        }

        private func open(_ book: ShelfBook) throws -> Publication {
            ids.update { $0.append(book.id) }
            let fails = failures.update { count -> Bool in
                defer { count = max(0, count - 1) }
                return count > 0
            }
            if fails { throw URLError(.cannotConnectToHost) }
            return Publication(
                manifest: Manifest(metadata: Metadata(title: LocalizedString("Book \(book.id)"))),
                fetcher: EmptyFetcher())
        }
    }

    private func book(_ id: Int64, size: Int64 = 1) throws -> ShelfBook {
        var book = ShelfBook(
            id: id, source: 1, path: try ProviderPath("\(id).epub"),
            metadata: Metadata(title: LocalizedString("Book \(id)")), mediaType: .epub, added: .distantPast,
            changed: .distantPast)
        book.fileSize = size
        return book
    }

    /// Closes what is idle until `count` books are open; a lease ends a moment after its last use.
    private func settle(_ books: OpenBooks, _ openings: Openings, count: Int) async {
        while await books.count != count {
            openings.advance(.seconds(61))
            await books.closeIdle()
            await Task.yield()
        }
    }

    @Test func `a book is opened once for many requests`() async throws {
        let openings = Openings()
        let books = openings.books()
        for _ in 0..<3 {
            let title = try await books.with(try book(7)) { $0.metadata.title.string }
            #expect(title == "Book 7")
        }
        #expect(openings.ids.value == [7])
    }

    @Test func `a book whose file changed is opened again`() async throws {
        let openings = Openings()
        let books = openings.books()
        _ = try await books.with(try book(7)) { $0.metadata.title.string }
        _ = try await books.with(try book(7, size: 2)) { $0.metadata.title.string }
        #expect(openings.ids.value == [7, 7])
    }

    @Test func `a failed opening is tried again, and so is one whose use failed`() async throws {
        let openings = Openings()
        openings.failures.update { $0 = 1 }
        let books = openings.books()
        let book = try book(7)
        await #expect(throws: URLError.self) { try await books.with(book) { $0.metadata.title.string } }
        await #expect(throws: CocoaError.self) {
            try await books.with(book) { _ -> String in throw CocoaError(.fileReadCorruptFile) }
        }
        #expect(try await books.with(book) { $0.metadata.title.string } == "Book 7")
        #expect(openings.ids.value == [7, 7, 7])
    }

    @Test func `no more are open than allowed, and a free one makes room`() async throws {
        let openings = Openings()
        let books = openings.books(most: 2)
        var leases = [try await books.lease(try book(1)), try await books.lease(try book(2))]
        let third = try book(3)
        await #expect(throws: OpenBooks.AllInUse.self) { try await books.lease(third) }
        #expect(leases.count == 2)
        leases.removeFirst()
        await settle(books, openings, count: 1)
        _ = try await books.lease(third)
        #expect(openings.ids.value == [1, 2, 3])
        leases = []
    }

    @Test func `idle books are closed after a while, and all at the end`() async throws {
        let openings = Openings()
        let books = openings.books()
        let lease = try await books.lease(try book(1))
        openings.advance(.seconds(61))
        await books.closeIdle()
        #expect(await books.count == 1)
        #expect(lease.publication.metadata.title.string == "Book 1")
        await books.closeAll()
        let second = try book(2)
        await #expect(throws: OpenBooks.AllInUse.self) { try await books.lease(second) }
    }
}
