import FileProviderCore
import Foundation
import MediaTypes
import ProviderDoubles
import Publication
import Synchronization

@testable import Shelf

/// A shelf's database in a temporary folder, with one source.
struct DatabaseFixture {
    let folder: TemporaryFolder
    let clock = Clock()
    let database: ShelfDatabase
    let source: Int64

    /// A clock that a test sets.
    final class Clock: Sendable {
        private let seconds = Mutex(1_000_000.0)

        var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
        func advance() { seconds.withLock { $0 += 10 } }
    }

    init() async throws {
        folder = try TemporaryFolder()
        let clock = self.clock
        database = try await ShelfDatabase.open(Self.file(in: folder)) { clock.now }
        source = try await database.sourceID(location: "memory://test/", name: "Test")
    }

    static func file(in folder: TemporaryFolder) -> URL { folder.url.appendingPathComponent("shelf.sqlite") }

    /// A file of a listing whose version depends on `number` alone.
    static func file(_ path: String, _ number: Int = 1, tag: String? = nil, identity: String? = nil) throws
        -> ListedFile
    {
        let version = ListedVersion(size: Int64(100 + number), modified: Double(number) + 0.25, tag: tag)
        return ListedFile(path: try ProviderPath(path), version: version, identity: identity)
    }

    /// A book with a title and authors.
    static func record(_ title: String, by authors: [String] = [], _ change: (inout Metadata) -> Void = { _ in })
        -> BookRecord
    {
        var metadata = Metadata(title: LocalizedString(title))
        metadata.authors = authors.map { Contributor(name: LocalizedString($0)) }
        change(&metadata)
        return BookRecord(metadata: metadata, mediaType: .epub, positions: 12)
    }

    /// Compares a listing of `files` with the database.
    @discardableResult
    func look(
        _ files: [ListedFile], scope: ComparisonScope = .all, unlisted: [String] = [],
        policy: RemovalPolicy = .cautious, isConfirmed: Bool = false
    ) async throws -> Comparison {
        clock.advance()
        try await database.beginListing(of: source)
        try await database.list(files, of: source)
        return try await database.compare(
            source: source, scope: scope, unlisted: try unlisted.map { try ProviderPath($0) }, policy: policy,
            isConfirmed: isConfirmed)
    }

    /// Reads all pending files; by default, each is a book called as its file.
    @discardableResult
    func read(_ outcome: (PendingFile) throws -> ReadFile.Outcome = { .book(DatabaseFixture.record($0.path.name)) })
        async throws -> [StoredChange]
    {
        clock.advance()
        let pending = try await database.pending(source: source, limit: 100_000)
        return try await database.store(
            try pending.map { ReadFile(file: $0.id, version: $0.version, outcome: try outcome($0)) })
    }

    /// Adds one book for each record.
    func add(_ records: [BookRecord]) async throws {
        try await look(try records.indices.map { try Self.file("books/\($0).epub", $0) })
        try await read { file in
            let number = Int(file.path.name.prefix { $0 != "." }) ?? 0
            return .book(records[number])
        }
    }

    /// The titles of the books that `query` finds, in order.
    func titles(_ query: ShelfQuery = ShelfQuery()) async throws -> [String] {
        try await database.books(query).books.map(\.metadata.title.string)
    }

    /// The paths of all books.
    func paths() async throws -> [String] {
        try await database.books(ShelfQuery(sort: .added, limit: 500)).books.map(\.path.string).sorted()
    }

    /// The numbers of the books at `paths`.
    func ids(_ paths: [String]) async throws -> [Int64?] {
        var ids: [Int64?] = []
        for path in paths { ids.append(try await id(path)) }
        return ids
    }

    /// The number of the book at `path`.
    func id(_ path: String) async throws -> Int64? {
        try await database.book(source: source, path: try ProviderPath(path))?.id
    }
}
