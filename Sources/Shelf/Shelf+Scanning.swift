public import FileProviderCore
import Foundation
import Logging
import Publication

extension Shelf {
    /// Lists all sources once, several at the same time, and reads the files that are new or changed.
    ///
    /// Each source is listed as a whole; what is known by size, time and tag isn't opened. A cancelled scan keeps what
    /// it has read, and the next one continues with the rest. A source that can't be read is reported as
    /// ``ShelfEvent/interrupted(location:sentence:)``, and the others are scanned.
    ///
    /// - Parameters:
    ///   - confirmingRemovals: Whether books leave the shelf whose files a listing lacks, even if they are more than half.
    ///   - progress: Counts the files that have to be read.
    /// - Throws: If every source failed, the error of the first one; errors of the shelf's folder; `CancellationError`.
    /// - Complexity: One listing for each folder, and two or three requests for most files that are new or changed.
    ///   Memory doesn't grow with the number of books.
    @discardableResult
    public func scan(confirmingRemovals: Bool = false, progress: ProgressReporter = ProgressReporter()) async throws
        -> ScanReport
    {
        let outcomes = try await withThrowingTaskGroup(of: ScanOutcome.self) { group in
            for (index, source) in sources.enumerated() {
                group.addTask {
                    let result = await self.scan(source, isConfirmed: confirmingRemovals, progress)
                    return ScanOutcome(index: index, result: result)
                }
            }
            var outcomes: [ScanOutcome] = []
            while let outcome = try await group.next() {
                if case .failure(let error) = outcome.result {
                    if let failure = error as? OwnFailure { throw failure.cause }
                    try Task.checkCancellation()
                }
                outcomes.append(outcome)
            }
            return outcomes.sorted { $0.index < $1.index }
        }
        var report = ScanReport()
        report.isComplete = true
        var failures: [any Error] = []
        for outcome in outcomes {
            switch outcome.result {
            case .success(let part): report.add(part)
            case .failure(let error):
                failures.append(error)
                report.isComplete = false
            }
        }
        if let first = failures.first, failures.count == sources.count { throw first }
        return report
    }

    /// Scans one source, and reports why it can't be read.
    private func scan(_ source: OpenedSource, isConfirmed: Bool, _ progress: ProgressReporter) async
        -> Result<ScanReport, any Error>
    {
        do {
            return .success(try await look(at: source, .all, isConfirmed: isConfirmed, progress: progress).report)
        } catch {
            if !(error is OwnFailure), !Task.isCancelled { interrupt(source, error) }
            return .failure(error)
        }
    }

    /// The part of a source that is looked at.
    enum Extent: Sendable {
        case all
        case places(ChangedPlaces)
    }

    /// The result of a look.
    struct Look: Sendable {
        var report = ScanReport()
        /// What could not be listed.
        var unlisted: Set<ProviderPath> = []
        /// Files that have to be read.
        var pending = 0
    }

    /// Lists a part of a source, brings the catalogue in step with it, and reads what is pending.
    ///
    /// - Parameter noting: Called with each item of a listing of the whole source, also with those that the shelf doesn't
    ///   show.
    /// - Throws: The storage's error; ``OwnFailure``; `CancellationError`.
    func look(
        at source: OpenedSource, _ extent: Extent, isConfirmed: Bool = false,
        progress: ProgressReporter = ProgressReporter(), noting: @escaping @Sendable (FileObject) -> Void = { _ in }
    ) async throws -> Look {
        try await source.turns.begin()
        defer { source.turns.end() }
        var look = try await compare(source, extent, isConfirmed: isConfirmed, noting)
        progress.expectMore(Int64(look.pending))
        try await readPending(of: source, into: &look, progress: progress)
        look.report.isComplete = look.report.postponed == 0
        resume(source)
        return look
    }
}

// MARK: Listing

extension Shelf {
    private func compare(
        _ source: OpenedSource, _ extent: Extent, isConfirmed: Bool, _ noting: @escaping @Sendable (FileObject) -> Void
    ) async throws -> Look {
        let spool = ListingSpool(database: database, source: source.id)
        let (scope, unlisted) = try await list(extent, of: source, into: spool, noting)
        let (id, policy, paths) = (source.id, options.removal, unlisted.map(\.path))
        let comparison: Comparison
        if let scope {
            comparison = try await spool.finish { database in
                try await database.compare(
                    source: id, scope: scope, unlisted: paths, policy: policy, isConfirmed: isConfirmed)
            }
        } else {
            comparison = Comparison()
        }
        if scope == .all, unlisted.isEmpty { try await sawAll(of: source) }
        if let scope {
            note(unlisted, of: source, in: scope)
            note(withheld: comparison.withheld, of: source)
        }
        try await reportMoves(comparison)
        var look = Look(unlisted: Set(paths), pending: comparison.pending)
        look.report.listed = comparison.listed
        look.report.moved = comparison.movedCount
        look.report.removed = comparison.removedCount
        look.report.withheld = comparison.withheld
        look.report.postponed = unlisted.count
        return look
    }

    /// - Returns: What was listed, `nil` for nothing, and what could not be.
    private func list(
        _ extent: Extent, of source: OpenedSource, into spool: ListingSpool,
        _ noting: @escaping @Sendable (FileObject) -> Void
    ) async throws -> (ComparisonScope?, [UnlistedItem]) {
        let listing = listing(of: source)
        guard case .places(let places) = extent, !places.isLarge, !places.present.contains(source.source.root) else {
            try await listings.begin()
            defer { listings.end() }
            return (.all, try await listing.listAll(into: spool, noting: noting))
        }
        if places.isEmpty { return (nil, []) }
        var listed = Array(places.gone)
        var unlisted: [UnlistedItem] = []
        for path in places.present.sorted() {
            do {
                unlisted += try await listing.list(path, into: spool)
                listed.append(path)
            } catch let error where !(error is OwnFailure || error.concernsEveryItem || error.isTransient) {
                unlisted.append(UnlistedItem(path: path, sentence: error.shownSentence))
            }
        }
        return (.below(listed), unlisted)
    }

    func listing(of source: OpenedSource) -> SourceListing {
        SourceListing(source: source.source, isHiddenIncluded: options.isHiddenIncluded)
    }

    private func reportMoves(_ comparison: Comparison) async throws {
        for start in stride(from: 0, to: comparison.moved.count, by: ShelfQuery.maxLimit) {
            let moved = comparison.moved[start..<min(start + ShelfQuery.maxLimit, comparison.moved.count)]
            let books = try await books(withIDs: moved.map(\.id))
            for move in moved {
                if let book = books[move.id] { options.report(.moved(book, from: move.from)) }
            }
        }
        for book in comparison.removed { options.report(.removed(id: book.id, path: book.path)) }
        let gone = Set(comparison.removed.map(\.id))
        if !gone.isEmpty { try await removeCovers(of: gone) }
    }

    /// - Parameter ids: At most ``ShelfQuery/maxLimit`` of them.
    func books(withIDs ids: [Int64]) async throws -> [Int64: ShelfBook] {
        var query = ShelfQuery(limit: ShelfQuery.maxLimit)
        query.ids = ids
        let asked = query
        let page = try await database.own { try await $0.books(asked) }
        return Dictionary(page.books.map { ($0.id, $0) }) { first, _ in first }
    }
}

// MARK: Reading

extension Shelf {
    private func readPending(of source: OpenedSource, into look: inout Look, progress: ProgressReporter) async throws {
        // If nothing changed, the storage is asked for its listings and nothing else, such as its capabilities.
        let first = try await database.own { try await $0.pending(source: source.id, limit: 1) }
        if first.isEmpty { return }
        let counts = LockedValue(look.report)
        let reading = PendingReading(
            source: source.id, database: database,
            reading: BookReading(provider: source.source.provider, options: openingOptions),
            turns: try await readTurns(of: source))
        let read = try await reading.run { [self] changes in
            progress.advance(by: Int64(changes.count))
            await stored(changes, counts)
        }
        look.report = counts.value
        look.report.read = read
    }

    /// The number of files that are read at once, by a scan and for covers together.
    func concurrentReads(of source: OpenedSource) async throws -> Int {
        if let count = options.concurrentReads { return max(1, count) }
        let capabilities = try await source.source.provider.capabilities()
        let cost = capabilities.readCost
        // What is read of a book is small: most of the time is round trips.
        if cost.roundTripsPerRange > 0, cost.concurrentRanges > 1 { return 8 }
        return min(8, max(1, capabilities.concurrentTransfers ?? 4))
    }

    /// As the app has them, with the shelf's logger unless they have one.
    var openingOptions: OpeningOptions {
        var opening = options.opening
        opening.logger = opening.logger ?? options.logger
        return opening
    }

    /// Reports what was stored, and counts it.
    private func stored(_ changes: [StoredChange], _ counts: LockedValue<ScanReport>) async {
        var replaced: Set<Int64> = []
        for change in changes {
            switch change {
            case .added(let book):
                counts.update { $0.added += 1 }
                options.report(.added(book))
            case .changed(let book):
                counts.update { $0.changed += 1 }
                replaced.insert(book.id)
                options.report(.changed(book))
            case .refused(let file, let book):
                counts.update { $0.refused += 1 }
                if let book {
                    counts.update { $0.removed += 1 }
                    replaced.insert(book)
                    options.report(.removed(id: book, path: file.path))
                }
                options.report(.refused(file))
            case .postponed(let path, let sentence, let isNews):
                counts.update { $0.postponed += 1 }
                if isNews { options.report(.postponed(path: path, sentence: sentence)) }
            case .outdated: counts.update { $0.postponed += 1 }
            }
        }
        if replaced.isEmpty { return }
        do { try await removeCovers(of: replaced) } catch {
            // A cover that stays is swept later.
            let reason = Secrets.removed(from: error.shownSentence)
            options.logger?.warning("covers not removed", metadata: ["reason": "\(reason)"])
        }
    }
}

/// The result of scanning one source.
private struct ScanOutcome: Sendable {
    var index: Int
    var result: Result<ScanReport, any Error>
}

extension ScanReport {
    /// Adds the report of another source.
    mutating func add(_ other: ScanReport) {
        listed += other.listed
        read += other.read
        added += other.added
        changed += other.changed
        moved += other.moved
        removed += other.removed
        refused += other.refused
        postponed += other.postponed
        withheld += other.withheld
        isComplete = isComplete && other.isComplete
    }
}
