public import FileProviderCore
package import Foundation
import SQLiteStorage

extension Shelf {
    /// Returns the cover of a book, scaled down to the next size of ``ShelfOptions/coverDimensions``. It is read when it
    /// is first asked for, then kept.
    ///
    /// - Parameter dimension: The longer side in pixels.
    /// - Returns: `nil` if the book is gone, or has no cover that can be shown: none, a damaged one, one that is larger
    ///   than ``ShelfOptions/maxCoverSize`` or than the limits for decoding, or a drawing (SVG).
    /// - Throws: Errors of the storage, after which the next call tries again; errors of the shelf's folder.
    /// - Complexity: The first time, the requests of opening the book and one or two more; no request later.
    ///   ``ShelfOptions/concurrentReads`` limits how many covers are made at once, together with the books that a scan
    ///   reads.
    public func cover(of book: ShelfBook, dimension: Int) async throws -> ShelfCover? {
        guard let book = try await database.book(book.id) else { return nil }
        let dimension = kept(dimension)
        switch book.coverState {
        case .none: return nil
        case .known:
            guard let tag = book.coverTag else { break }
            let kept = try await folder.picture(
                of: book.id, tag: tag, dimension: dimension, among: options.coverDimensions)
            if let kept { return ShelfCover(kept, tag: tag) }
        case .unknown: break
        }
        do {
            guard let made = try await makeCover(of: book), let picture = made.picture(dimension) else { return nil }
            return ShelfCover(picture, tag: made.tag)
        } catch let failure as OwnFailure { throw failure.cause }
    }

    /// Makes the covers that are still unknown, several at once of each source, and removes the files of covers that are
    /// no book's.
    ///
    /// A book whose cover can't be read is left for a later call, after a pause that grows from
    /// ``/FileProviderCore/WatchOptions/minInterval`` to 16 times ``/FileProviderCore/WatchOptions/maxInterval``. Calls
    /// before the end of the pause leave it out.
    ///
    /// - Parameter progress: Counts the covers.
    /// - Throws: The error of a storage after many failures in a row, once the covers of the other sources are made; errors
    ///   of the shelf's folder; `CancellationError`.
    public func makeCovers(progress: ProgressReporter = ProgressReporter()) async throws {
        do { try await makeAllCovers(progress) } catch let failure as OwnFailure { throw failure.cause }
    }

    /// As ``makeCovers(progress:)`` for one source, without the removal of files.
    ///
    /// - Parameters:
    ///   - number: The source's; nothing is made for a source that isn't given.
    ///   - date: Only books that were added or changed since then get covers, and those whose pauses are over.
    package func makeCovers(source number: Int64, changedSince date: Date? = nil) async throws {
        guard let source = sources.first(where: { $0.id == number }) else { return }
        do { try await makeCovers(of: source, changedSince: date, ProgressReporter()) } catch let failure
            as OwnFailure
        {
            throw failure.cause
        }
    }

    /// Returns when a book was last added, changed, moved or removed.
    ///
    /// - Throws: Errors of the shelf's folder.
    package func changed() async throws -> Date? { try await database.changed() }

    /// Whether a call tries covers again that could not be read, after their pauses.
    ///
    /// - Parameter source: The number of the source.
    package func hasDueCovers(source: Int64) -> Bool {
        let now = ContinuousClock.now
        return coverDelays.values.contains { $0.source == source && $0.end <= now }
    }

    /// The numbers of the given sources, in their order.
    package nonisolated var sourceNumbers: [Int64] { sources.map(\.id) }

    /// Removes the files of covers that are no book's, which a crash or the removal of very many books may leave.
    ///
    /// - Throws: Errors of the shelf's folder; `CancellationError`.
    package func removeStrayCovers() async throws {
        do { try await sweepCovers() } catch let failure as OwnFailure { throw failure.cause }
    }

    private func makeAllCovers(_ progress: ProgressReporter) async throws {
        try await sweepCovers()
        let failure = try await withThrowingTaskGroup(of: CoverOutcome.self) { group in
            for source in sources {
                group.addTask {
                    CoverOutcome(id: source.id, error: await self.failure(ofMakingCoversOf: source, progress))
                }
            }
            var first: (any Error)?
            while let outcome = try await group.next() {
                guard let error = outcome.error else { continue }
                if error is OwnFailure || Task.isCancelled { throw error }
                first = first ?? error
            }
            return first
        }
        if let failure { throw failure }
    }

    private func failure(ofMakingCoversOf source: OpenedSource, _ progress: ProgressReporter) async -> (any Error)? {
        do {
            try await makeCovers(of: source, changedSince: nil, progress)
            return nil
        } catch {
            return error
        }
    }

    private func makeCovers(of source: OpenedSource, changedSince date: Date?, _ progress: ProgressReporter)
        async throws
    {
        // A slow source keeps no other one waiting. All of them together have at most twice as many covers in memory as
        // one alone.
        let most = max(1, options.concurrentReads ?? 8)
        let (limit, id) = (min(most, max(1, 2 * most / sources.count)), source.id)
        let began = ContinuousClock.now
        let chosen = try await changedOrDue(in: id, since: date, at: began)
        try await withThrowingTaskGroup(of: CoverOutcome.self) { group in
            var (page, last, running) = (ArraySlice<ShelfBook>(), Int64(0), 0)
            var rest = (chosen ?? [])[...]
            // The books that failed in a row with errors that every book would meet.
            var row: [Int64] = []
            while true {
                while running < limit {
                    while page.isEmpty {
                        var numbers = Array(rest.prefix(100))
                        rest = rest.dropFirst(100)
                        if chosen == nil {
                            let after = last
                            numbers = try await database.own {
                                try await $0.coverless(source: id, after: after, limit: 100)
                            }
                        }
                        guard let end = numbers.last else { break }
                        last = end
                        // Books that have to wait aren't loaded.
                        let due = numbers.filter { !isPaused($0, at: began) }
                        let books = try await database.own { try await $0.books(in: due) }
                        page = books.filter { $0.coverState == .unknown && $0.source == id }[...]
                        progress.expectMore(Int64(page.count))
                    }
                    guard let book = page.popFirst() else { break }
                    running += 1
                    group.addTask {
                        CoverOutcome(id: book.id, error: await self.failure(ofMakingCoverOf: book))
                    }
                }
                guard let outcome = try await group.next() else { break }
                running -= 1
                progress.advance(by: 1)
                if let error = outcome.error {
                    if error is OwnFailure || Task.isCancelled { throw error }
                    row.append(outcome.id)
                    if error.concernsEveryItem || error.isTransient {
                        // The storage is away, so no book has to wait longer than the others.
                        if row.count >= 3 * limit { throw error }
                        continue
                    }
                    delayCovers(of: row, in: id, after: error)
                } else {
                    delayCovers(of: row, in: id)
                }
                row = []
            }
            delayCovers(of: row, in: id)
        }
        // Those that were due and weren't met are no longer on the shelf, or have their covers.
        coverDelays = coverDelays.filter { $0.value.source != id || $0.value.end > began }
    }

    /// Returns the numbers of the books of a source that may lack covers, those that changed since `date` and those whose
    /// pauses were over at the time `now`; `nil` without a date.
    private func changedOrDue(in source: Int64, since date: Date?, at now: ContinuousClock.Instant) async throws
        -> [Int64]?
    {
        guard let date else { return nil }
        let due = coverDelays.filter { $0.value.source == source && $0.value.end <= now }.map(\.key)
        let changed = try await database.own { try await $0.coverless(source: source, since: date) }
        return Set(due).union(changed).sorted()
    }

    private func isPaused(_ book: Int64, at now: ContinuousClock.Instant) -> Bool {
        guard let delay = coverDelays[book] else { return false }
        return delay.end > now
    }

    private func delayCovers(of books: [Int64], in source: Int64, after error: (any Error)? = nil) {
        // Others are tried again with the next look at all books.
        for book in books where coverDelays[book] != nil || coverDelays.count < CoverDelay.maxCount {
            let failures = (coverDelays[book]?.failures ?? 0) + 1
            let pause = options.watch.pause(after: failures, error: error)
            coverDelays[book] = CoverDelay(
                source: source, failures: failures, end: ContinuousClock.now + .seconds(pause))
        }
    }

    private func failure(ofMakingCoverOf book: ShelfBook) async -> (any Error)? {
        do {
            _ = try await makeCover(of: book)
            return nil
        } catch {
            return error
        }
    }

    /// Removes the pictures of books that left the shelf or changed.
    func removeCovers(of ids: Set<Int64>) async throws {
        let folder = folder
        for id in ids { coverDelays[id] = nil }
        do { try await folder.remove(of: ids) } catch { throw OwnFailure(cause: error) }
    }

    /// The numbers of the books whose covers are being made.
    private var busyBooks: Set<Int64> { Set(making.keys) }

    private func sweepCovers() async throws {
        let (folder, database) = (folder, database)
        do {
            try await folder.sweep(making: { await self.busyBooks }) { ids in
                var query = ShelfQuery(limit: ShelfQuery.maxLimit)
                query.ids = ids
                let books = try await database.books(query).books
                let tags = books.compactMap { book in book.coverTag.map { (book.id, $0) } }
                return Dictionary(tags) { first, _ in first }
            }
        } catch let error where !error.isCancellation { throw OwnFailure(cause: error) }
    }

    /// The size that is kept for pictures of `dimension`.
    private func kept(_ dimension: Int) -> Int {
        let sizes = options.coverDimensions.sorted()
        return sizes.first { $0 >= dimension } ?? sizes.last ?? dimension
    }
}

/// The result of making a cover, or those of a source.
private struct CoverOutcome: Sendable {
    /// The number of the book or source.
    var id: Int64
    var error: (any Error)?
}

/// A cover that could not be read.
struct CoverDelay: Sendable {
    /// The most that a shelf remembers.
    static let maxCount = 10_000

    /// The number of the book's source.
    var source: Int64
    /// Failures in a row.
    var failures: Int
    /// When it is tried again.
    var end: ContinuousClock.Instant
}

// MARK: Making one cover

extension Shelf {
    /// Makes the cover of a book, once for all callers, or returns the one that was made since `book` was loaded.
    ///
    /// - Throws: The storage's error; ``OwnFailure``; `CancellationError`, while the work goes on for others.
    func makeCover(of book: ShelfBook) async throws -> CoverPictures? {
        if let task = making[book.id] { return try await task.sharedValue() }
        guard let source = sources.first(where: { $0.id == book.source }) else { return nil }
        let cover = CoverMaking(
            provider: source.source.provider, options: openingOptions, maxSize: options.maxCoverSize,
            dimensions: options.coverDimensions)
        let (folder, database) = (folder, database)
        let task = Task { () async throws -> CoverPictures? in
            let current = try await database.own { try await $0.books(in: [book.id]).first }
            guard let current else { return nil }
            if current.coverState == .none, book.coverState != .none { return nil }
            if let tag = current.coverTag, tag != book.coverTag {
                let kept = try await database.own { _ in
                    try await folder.pictures(of: book.id, tag: tag, among: cover.dimensions)
                }
                if let kept { return kept }
            }
            let turns = try await readTurns(of: source)
            try await turns.begin()
            defer { turns.end() }
            let pictures = try await cover.pictures(of: current)
            try await database.own { database in
                if let pictures { try await folder.keep(pictures, of: book.id) }
                _ = try await database.setCover(
                    of: book.id, tag: pictures?.tag, ifFileIs: ListedVersion(current))
            }
            coverDelays[book.id] = nil
            return pictures
        }
        making[book.id] = task
        // Outlives the caller, who may be cancelled.
        Task {
            _ = await task.result
            making[book.id] = nil
        }
        return try await task.sharedValue()
    }
}

extension ShelfCover {
    fileprivate init(_ data: Data, tag: String) {
        let name = CoverPicture(data)?.fileExtension ?? ""
        let types = ["jpg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp"]
        self.init(data: data, mediaType: types[name] ?? "application/octet-stream", tag: tag)
    }
}
