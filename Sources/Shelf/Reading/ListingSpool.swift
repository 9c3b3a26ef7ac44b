import FileProviderCore

/// Collects the files of one listing, and hands them to the database in batches.
///
/// The database holds one listing at a time. The files of a usual listing are kept in memory until it is complete, so
/// that a slow storage doesn't delay the listings of others.
final class ListingSpool: Sendable {
    /// Files of one call to the database.
    private static let batch = 1_000
    /// The most files in memory.
    private static let limit = 20_000

    private let database: ShelfDatabase
    private let turns: Turns
    private let state = LockedValue<(files: [ListedFile], isBegun: Bool)>(([], false))

    /// - Parameter turns: Admits one listing to the database.
    init(database: ShelfDatabase, turns: Turns) {
        self.database = database
        self.turns = turns
    }

    /// Adds a file. One caller at a time.
    func add(_ file: ListedFile) async throws {
        let isFull = state.update { state in
            state.files.append(file)
            return state.files.count >= Self.limit
        }
        if isFull { try await store() }
    }

    /// Stores everything, and compares it with the catalogue by `compare`.
    func finish(_ compare: @Sendable (ShelfDatabase) async throws -> Comparison) async throws -> Comparison {
        try await store()
        return try await database.own(compare)
    }

    /// Admits the next listing. Has to be called once this one has ended in any way.
    func end() {
        let wasBegun = state.update { state in
            defer { state = ([], false) }
            return state.isBegun
        }
        if wasBegun { turns.end() }
    }

    private func store() async throws {
        if !state.value.isBegun {
            try await turns.begin()
            state.update { $0.isBegun = true }
            try await database.own { try await $0.beginListing() }
        }
        let files = state.update { state in
            defer { state.files = [] }
            return state.files
        }
        for start in stride(from: 0, to: files.count, by: Self.batch) {
            let part = Array(files[start..<min(start + Self.batch, files.count)])
            try await database.own { try await $0.list(part) }
        }
    }
}
