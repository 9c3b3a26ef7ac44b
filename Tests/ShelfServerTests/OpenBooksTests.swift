import FileProviderCore
import Foundation
import MediaTypes
import ProviderDoubles
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

        func books(most: Int = 2, share: Int = 8) -> OpenBooks {
            OpenBooks(
                most: most, share: share, idleTime: .seconds(60), now: { self.now }, opening: { try self.open($0) })
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

    private func book(_ id: Int64, size: Int64 = 1, source: Int64 = 1) throws -> ShelfBook {
        var book = ShelfBook(
            id: id, source: source, path: try ProviderPath("\(id).epub"),
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

    @Test func `a source whose books are all in use leaves room for other sources`() async throws {
        let openings = Openings()
        let books = openings.books(most: 2, share: 1)
        var leases = [try await books.lease(try book(1)), try await books.lease(try book(2))]
        let (third, other, another) = (try book(3), try book(4, source: 2), try book(5, source: 2))
        await #expect(throws: OpenBooks.AllInUse.self) { try await books.lease(third) }
        leases.append(try await books.lease(other))
        await #expect(throws: OpenBooks.AllInUse.self) { try await books.lease(another) }
        #expect(openings.ids.value == [1, 2, 4] && leases.count == 3)
        // Once they are free, no more are open than usual.
        leases = []
        try await eventually {
            _ = try? await books.with(third) { $0.metadata.title.string }
            return await books.count == 2 && openings.ids.value.last == 3
        }
    }

    @Test func `readers of a source don't close each other's books while another source has all places`() async throws {
        let openings = Openings()
        let books = openings.books(most: 2, share: 2)
        let leases = [try await books.lease(try book(1)), try await books.lease(try book(2))]
        let (first, second, third) = (try book(3, source: 2), try book(4, source: 2), try book(5, source: 2))
        _ = try await books.with(first) { $0.metadata.title.string }
        try await eventually { await books.idleCount == 1 }
        openings.advance(.seconds(1))
        _ = try await books.with(second) { $0.metadata.title.string }
        try await eventually { await books.idleCount == 2 }
        openings.advance(.seconds(1))
        _ = try await books.with(first) { $0.metadata.title.string }
        try await eventually { await books.idleCount == 2 }
        #expect(openings.ids.value == [1, 2, 3, 4])
        // One above its share takes the place of the book that was idle for longest.
        _ = try await books.with(third) { $0.metadata.title.string }
        _ = try await books.with(first) { $0.metadata.title.string }
        #expect(openings.ids.value == [1, 2, 3, 4, 5] && leases.count == 2)
    }

    @Test(.timeLimit(.minutes(2))) func `an opening that no request waits for is stopped for others`() async throws {
        let (started, stopped) = (LockedValue(false), LockedValue(false))
        let books = OpenBooks(
            most: 1,
            opening: { book in
                if book.id == 1 {
                    started.update { $0 = true }
                    // A storage that doesn't answer.
                    do { try await Task.sleep(for: .seconds(3_600)) } catch {
                        stopped.update { $0 = true }
                        throw error
                    }
                }
                return Publication(
                    manifest: Manifest(metadata: Metadata(title: LocalizedString("Book \(book.id)"))),
                    fetcher: EmptyFetcher())
            })
        let (slow, quick, other) = (try book(1), try book(2, source: 2), try book(3))
        let request = Task { try await books.lease(slow) }
        try await eventually { started.value }
        await #expect(throws: OpenBooks.AllInUse.self) { try await books.lease(other) }
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
        #expect(try await books.with(quick) { $0.metadata.title.string } == "Book 2")
        try await eventually { stopped.value }
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
