import FileProviderCore
import Foundation
import GRDB
import SQLiteStorage

/// The catalogue of a shelf in SQLite. Every change is one transaction; reads run beside it and see the state before.
///
/// Errors are those of ``/SQLiteStorage/StoredDatabase``: `CocoaError` with a sentence.
struct ShelfDatabase: Sendable {
    private let database: StoredDatabase
    private let now: @Sendable () -> Date

    /// Opens the database in `file`, and creates it if it is missing.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if it is damaged; `CocoaError(.fileReadUnknown)` if it is of a newer
    ///   version or of another program.
    /// - Complexity: Reads the file once.
    static func open(_ file: URL, now: @escaping @Sendable () -> Date = { Date() }) async throws -> ShelfDatabase {
        let database = try await StoredDatabase.open(file, kind: ShelfSchema.kind, noun: "shelf", concurrentReads: 3)
        return ShelfDatabase(database: database, now: now)
    }

    /// Closes the database; later calls fail.
    func close() async throws { try await database.close() }

    /// Returns the number of the source at `location`, which is added if it is new; sets its name.
    func sourceID(location: String, name: String) async throws -> Int64 {
        try await database.write { db in try SourceTable(db).id(location: location, name: name) }
    }

    /// Returns the states of all sources, without interruptions, which the database doesn't keep.
    func sources() async throws -> [SourceState] { try await database.read { db in try SourceTable(db).states() } }

    /// Removes the sources whose numbers aren't in `ids`, with everything known about their files.
    /// - Returns: Whether there were such sources.
    @discardableResult
    func removeSources(besides ids: [Int64]) async throws -> Bool {
        let now = now()
        return try await database.write { db in try SourceTable(db).remove(besides: ids, now: now) }
    }
}

// MARK: Scanning

extension ShelfDatabase {
    /// Starts a listing of a source, and drops an unfinished one. Several sources can be listed at once.
    func beginListing(of source: Int64) async throws {
        try await database.write { db in try Listing(db, source: source).begin() }
    }

    /// Adds files to the listing of a source, at most a few thousand per call. Of a path that is listed twice the last
    /// one counts.
    func list(_ files: [ListedFile], of source: Int64) async throws {
        try await database.write { db in try Listing(db, source: source).add(files) }
    }

    /// Compares the listing of a source with what is known about the source, in one transaction: files with another version and new
    /// ones become pending, those that moved get their new paths, and books whose files are missing are removed.
    ///
    /// - Parameters:
    ///   - scope: What was listed.
    ///   - unlisted: Folders that couldn't be listed. Files below them that aren't in the listing count as present.
    ///   - policy: If ``RemovalPolicy/cautious`` and the listing lacks more than half of the source's books, those that
    ///     it lacks for the first time stay. They count as ``Comparison/withheld``.
    ///   - isConfirmed: Whether to remove the books that the listing lacks in any case.
    /// - Complexity: Grows with the number of files in the scope; memory doesn't.
    func compare(
        source: Int64, scope: ComparisonScope = .all, unlisted: [ProviderPath] = [],
        policy: RemovalPolicy = .cautious, isConfirmed: Bool = false
    ) async throws -> Comparison {
        let now = now()
        let isCautious = policy == .cautious && !isConfirmed
        return try await database.write { db in
            let comparing = ListingComparison(db, source: source, now: now)
            return try comparing.run(scope: scope, unlisted: unlisted, isCautious: isCautious)
        }
    }

    /// Returns pending files in the order of their paths, those that come after `path`.
    func pending(source: Int64, after path: ProviderPath? = nil, limit: Int) async throws -> [PendingFile] {
        try await database.read { db in try FileTable(db).pending(source: source, after: path, limit: limit) }
    }

    /// Makes the file at `path` pending if it is known, even if its version is the same.
    func reread(source: Int64, path: ProviderPath) async throws {
        try await database.write { db in try FileTable(db).reread(source: source, path: path) }
    }

    /// Stores the results of reading pending files, in one transaction.
    ///
    /// - Returns: One change for each result, in the same order.
    func store(_ files: [ReadFile]) async throws -> [StoredChange] {
        let now = now()
        return try await database.write { db in
            var writer = BookWriter(db, now: now)
            return try files.map { try writer.store($0) }
        }
    }
}

// MARK: Covers

extension ShelfDatabase {
    /// Returns the numbers of books of a source whose covers have not been asked for, in their order, those that come
    /// after `id`.
    func coverless(source: Int64, after id: Int64 = 0, limit: Int) async throws -> [Int64] {
        try await database.read { db in try BookReader(db).coverless(source: source, after: id, limit: limit) }
    }

    /// Returns the numbers of such books that were added or changed at the time `date` or later.
    func coverless(source: Int64, since date: Date) async throws -> [Int64] {
        try await database.read { db in try BookReader(db).coverless(source: source, since: date) }
    }

    /// Returns the books with the numbers `ids`, in that order; those that aren't on the shelf are left out.
    func books(in ids: [Int64]) async throws -> [ShelfBook] {
        try await database.read { db in try BookReader(db).books(ids) }
    }

    /// Stores what was found out about a book's cover: `tag` is `nil` if it has none.
    ///
    /// - Parameter version: The version of the file that was read.
    /// - Returns: Whether it was stored. It isn't if the book is gone, or its file has another version by now.
    func setCover(of id: Int64, tag: String?, ifFileIs version: ListedVersion) async throws -> Bool {
        try await database.write { db in try FileTable(db).setCover(of: id, tag: tag, ifFileIs: version) }
    }

    /// Returns those of `ids` that are numbers of books on the shelf.
    func existing(_ ids: [Int64]) async throws -> Set<Int64> {
        try await database.read { db in try BookReader(db).existing(ids) }
    }
}

// MARK: Asking

extension ShelfDatabase {
    /// Returns a page of books, and the number of books on all pages.
    func books(_ query: ShelfQuery) async throws -> ShelfPage {
        try await database.read { db in try BookReader(db).page(query) }
    }

    /// Returns the book with the number `id`, or the successor of one that left; `nil` if there is none.
    func book(_ id: Int64) async throws -> ShelfBook? { try await books(numbered: [id])[id] }

    /// Returns the books with the numbers `ids`, by these numbers; for a book that left the shelf, its successor.
    func books(numbered ids: [Int64]) async throws -> [Int64: ShelfBook] {
        try await database.read { db in try BookReader(db).books(numbered: ids) }
    }

    /// Returns the numbers whose successors are in `books`, each with its successor.
    func predecessors(of books: [Int64]) async throws -> [Int64: Int64] {
        try await database.read { db in try SuccessorTable(db).predecessors(of: books) }
    }

    /// Returns the book whose file is at `path`, or `nil` if there is none.
    func book(source: Int64, path: ProviderPath) async throws -> ShelfBook? {
        try await database.read { db in try BookReader(db).book(source: source, path: path) }
    }

    /// Returns the values of a facet among the books that match `query`, in the order of their names; its order, limit
    /// and offset don't matter.
    func facets(_ facet: ShelfFacet, in query: ShelfQuery = ShelfQuery(), limit: Int = 500, offset: Int = 0)
        async throws -> [FacetValue]
    {
        try await database.read { db in
            try FacetReader(db).values(of: facet, in: query, limit: limit, offset: offset)
        }
    }

    /// Returns the first values of several facets among the books that match `query`, which are looked for once.
    func facets(_ facets: [ShelfFacet], in query: ShelfQuery, limit: Int) async throws -> [ShelfFacet: [FacetValue]] {
        try await database.read { db in try FacetReader(db).values(of: facets, in: query, limit: limit) }
    }

    /// Returns files that aren't shown as books, in the order of their sources and paths.
    func refused(source: Int64? = nil, limit: Int = 500, offset: Int = 0) async throws -> [RefusedFile] {
        try await database.read { db in try FileTable(db).refused(source: source, limit: limit, offset: offset) }
    }

    /// Returns the numbers of what is on the shelf.
    func counts() async throws -> ShelfCounts { try await database.read { db in try FacetReader(db).counts() } }

    /// Returns when the shelf last changed, without the numbers.
    func changed() async throws -> Date? { try await database.read { db in try FacetReader(db).changed() } }
}

extension ShelfDatabase {
    /// Returns SQLite's plans of the statements that `books` runs for `query`, for tests.
    func plans(of query: ShelfQuery) async throws -> (page: [String], count: [String]) {
        try await database.read { db in try BookReader(db).plans(of: query) }
    }
}
