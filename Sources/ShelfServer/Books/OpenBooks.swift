import FileProviderCore
import Publication
import PublicationServer
import Shelf

/// The publications that are open: each is opened once for all requests, stays open for a while after the last one, and
/// is closed when others need the room.
///
/// Books of a slow source stay in use for long. When no other may be opened, each source can still have a few open, so that
/// its readers don't wait for the storage of another.
actor OpenBooks {
    /// All publications that may be open are in use.
    struct AllInUse: Error {}

    private struct Entry {
        let book: Int64
        let source: Int64
        let version: BookVersion
        let task: Task<Publication, any Error>
        var leases = 0
        /// Whether new requests open the book again.
        var isStale = false
        var lastUse: ContinuousClock.Instant
        /// By their paths, which are those of their readers.
        var mounted: [String: MountedPublication] = [:]
    }

    private let opening: @Sendable (ShelfBook) async throws -> Publication
    private let most: Int
    private let share: Int
    private let idleTime: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private var entries: [Int: Entry] = [:]
    private var next = 0
    private var isClosed = false

    /// - Parameters:
    ///   - most: Publications that are open at once.
    ///   - share: Publications of a source that may be open although others use as many as `most`.
    ///   - idleTime: How long one stays open after the last request.
    ///   - opening: Opens a book.
    init(
        most: Int = 32, share: Int = 8, idleTime: Duration = .seconds(300),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        opening: @escaping @Sendable (ShelfBook) async throws -> Publication
    ) {
        self.most = most
        self.share = min(share, most)
        self.idleTime = idleTime
        self.now = now
        self.opening = opening
    }

    /// The books of a shelf.
    init(_ files: BookFiles) { self.init(opening: { try await files.open($0) }) }

    /// Calls `body` with the open publication of `book`.
    ///
    /// - Throws: Errors of opening, and of `body`; ``AllInUse``. After an error of `body`, the next call opens the book
    ///   again.
    func with<Value: Sendable>(
        _ book: ShelfBook, _ body: @Sendable (Publication) async throws -> Value
    ) async throws -> Value {
        let lease = try await lease(book)
        do { return try await body(lease.publication) } catch {
            if !error.isCancellation { discard(lease) }
            throw error
        }
    }

    /// Returns the open publication of `book`, which stays open as long as the lease exists.
    ///
    /// - Throws: As ``with(_:_:)``.
    func lease(_ book: ShelfBook) async throws -> BookLease {
        let number = try entry(for: book)
        guard let task = entries[number]?.task else { throw AllInUse() }
        entries[number]?.leases += 1
        do {
            return BookLease(publication: try await task.sharedValue(), number: number, books: self)
        } catch {
            if !error.isCancellation { entries[number]?.isStale = true }
            release(number)
            throw error
        }
    }

    /// Returns the number of an entry, which is added for a book that isn't open in this version.
    private func entry(for book: ShelfBook) throws -> Int {
        let version = BookVersion(book)
        let known = entries.first { $0.value.book == book.id && $0.value.version == version && !$0.value.isStale }
        if let known { return known.key }
        if isClosed { throw AllInUse() }
        for (number, entry) in entries where entry.book == book.id {
            entries[number]?.isStale = true
            if entry.leases == 0 { close(number) }
        }
        try makeRoom(for: book.source)
        next += 1
        let task = Task { [opening] in try await opening(book) }
        entries[next] = Entry(book: book.id, source: book.source, version: version, task: task, lastUse: now())
        return next
    }

    /// Closes idle books so that one of `source` may be opened.
    ///
    /// A few idle ones stay although others use all places: their readers turn pages, and would open them again each time.
    private func makeRoom(for source: Int64) throws {
        while entries.count >= most, idleCount >= share, let idle = longestIdle() { close(idle) }
        guard entries.count >= most, entries.values.count(where: { $0.source == source }) >= share else { return }
        guard let idle = longestIdle(of: source) ?? (entries.count == most ? longestIdle() : nil) else {
            throw AllInUse()
        }
        close(idle)
    }

    private func longestIdle(of source: Int64? = nil) -> Int? {
        let idle = entries.filter { $0.value.leases == 0 && (source == nil || $0.value.source == source) }
        return idle.min { $0.value.lastUse < $1.value.lastUse }?.key
    }

    /// How many are open that no request uses.
    var idleCount: Int { entries.values.count(where: { $0.leases == 0 }) }

    /// Returns the server of the leased publication at the path `base`, which `make` makes once.
    func mounted(
        _ lease: BookLease, at base: String, make: @Sendable (Publication) -> MountedPublication
    ) -> MountedPublication {
        if let known = entries[lease.number]?.mounted[base] { return known }
        let mounted = make(lease.publication)
        // Each reader has a separate path.
        if entries[lease.number]?.mounted.count ?? 0 >= 16 { entries[lease.number]?.mounted = [:] }
        entries[lease.number]?.mounted[base] = mounted
        return mounted
    }

    // MARK: Closing

    /// Lets the next request open the book again, such as after its file changed.
    func discard(_ lease: BookLease) { entries[lease.number]?.isStale = true }

    /// Ends a lease.
    fileprivate func release(_ number: Int) {
        guard var entry = entries[number] else { return }
        entry.leases -= 1
        entry.lastUse = now()
        entries[number] = entry
        if entry.leases == 0, entry.isStale || isClosed { close(number) }
    }

    /// Closes the publications that no request has used for a while.
    func closeIdle() {
        let time = now()
        for (number, entry) in entries where entry.leases == 0 && time - entry.lastUse >= idleTime { close(number) }
    }

    /// Closes every publication: those in use after their last answer. No other is opened.
    func closeAll() {
        isClosed = true
        for (number, entry) in entries where entry.leases == 0 { close(number) }
    }

    /// How many are open.
    var count: Int { entries.count }

    private func close(_ number: Int) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        // No request waits for an opening that is still under way.
        entry.task.cancel()
        Task {
            // A failed opening has nothing to close.
            if case .success(let publication) = await entry.task.result { await publication.close() }
        }
    }
}

/// Keeps a publication open as long as it exists.
final class BookLease: Sendable {
    let publication: Publication
    fileprivate let number: Int
    private let books: OpenBooks

    fileprivate init(publication: Publication, number: Int, books: OpenBooks) {
        self.publication = publication
        self.number = number
        self.books = books
    }

    deinit {
        Task { [books, number] in await books.release(number) }
    }
}
