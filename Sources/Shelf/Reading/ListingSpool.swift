import FileProviderCore

/// Collects the files of one listing of a source, and hands them to the database in batches.
///
/// The database has a separate listing for each source, and a batch is one short change, so a slow storage doesn't delay
/// the listings of others. The files of a listing that failed stay there, unused, until the next one of the same source.
final class ListingSpool: Sendable {
    /// Files of one call to the database, and the most files in memory.
    private static let batch = 1_000

    private let database: ShelfDatabase
    private let source: Int64
    private let state = LockedValue<(files: [ListedFile], isBegun: Bool)>(([], false))

    init(database: ShelfDatabase, source: Int64) {
        self.database = database
        self.source = source
    }

    /// Adds a file. One caller at a time.
    func add(_ file: ListedFile) async throws {
        let isFull = state.update { state in
            state.files.append(file)
            return state.files.count >= Self.batch
        }
        if isFull { try await store() }
    }

    /// Stores everything, and compares it with the catalogue by `compare`.
    func finish(_ compare: @Sendable (ShelfDatabase) async throws -> Comparison) async throws -> Comparison {
        try await store()
        return try await database.own(compare)
    }

    private func store() async throws {
        let source = source
        if !state.value.isBegun {
            try await database.own { try await $0.beginListing(of: source) }
            state.update { $0.isBegun = true }
        }
        let files = state.update { state in
            defer { state.files = [] }
            return state.files
        }
        if !files.isEmpty { try await database.own { try await $0.list(files, of: source) } }
    }
}
