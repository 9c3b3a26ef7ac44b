/// A provider whose storage searches by itself. Callers use Core's
/// ``FileProviderBasic/searchFiles(path:recursive:query:listings:unlisted:found:)``, which is there for every provider
/// and asks this one where there is it.
public protocol FileProviderSearch: FileProviderBasic {
    /// Whether the storage would search for `query` by itself here; where it would not, Core lists folders without
    /// asking it further.
    ///
    /// The default says yes.
    func searchesNatively(path: ProviderPath, recursive: Bool, query: FileQuery) async throws -> Bool

    /// Gives the items below the folder at `path` for which `query` says yes to `found`, as they come and one call
    /// after the other.
    ///
    /// Without `recursive`, the direct children only: with ``FileQuery/all``, what `contentsOfDirectory` gives. What
    /// the server cannot say is asked of each item with ``FileQuery/evaluate(_:)``; a query that it cannot say at all
    /// goes to ``FileProviderBasic/searchByListing(path:recursive:query:listings:unlisted:found:)``.
    ///
    /// - Throws: What ended the search; what `found` was given before is good as far as it goes.
    func searchFiles(
        path: ProviderPath, recursive: Bool, query: FileQuery,
        found: @escaping @Sendable ([FileObject]) async throws -> Void
    ) async throws
}

extension FileProviderSearch {
    /// The default: yes.
    public func searchesNatively(path: ProviderPath, recursive: Bool, query: FileQuery) async throws -> Bool { true }
}

extension FileProviderBasic {
    /// Gives the items below the folder at `path` for which `query` says yes to `found`, as they come and one call
    /// after the other.
    ///
    /// The storage searches where it can (``FileProviderSearch``); else folders are listed. `found` may take its time.
    /// A folder is found before what it holds; there is no other order. Symbolic links are found and not followed.
    ///
    /// - Parameters:
    ///   - recursive: Whether to go on below the direct children.
    ///   - listings: Folders listed at once; nil lets the cost of the provider's reads decide.
    ///   - unlisted: Told of a folder further down that cannot be listed; the search goes on unless it throws. Without
    ///     it, the search goes on too, and its error at the end names the folder. A storage that searches by itself
    ///     does not call it.
    /// - Throws: What ended the search: the folder at `path` cannot be listed, the server is lost or refuses the login,
    ///   `query` or `found` threw, cancelled. At the end, a `CocoaError` that names the first folder that was not
    ///   listed, its error below it.
    /// - Complexity: One listing for each folder; held are the pages at hand and the folders still to be listed.
    public func searchFiles(
        path: ProviderPath, recursive: Bool, query: FileQuery, listings: Int? = nil,
        unlisted: (@Sendable (ProviderPath, any Error) throws -> Void)? = nil,
        found: @escaping @Sendable ([FileObject]) async throws -> Void
    ) async throws {
        guard let storage = self as? any FileProviderSearch,
            try await storage.searchesNatively(path: path, recursive: recursive, query: query)
        else {
            return try await searchByListing(
                path: path, recursive: recursive, query: query, listings: listings, unlisted: unlisted, found: found)
        }
        try await storage.searchFiles(path: path, recursive: recursive, query: query, found: found)
    }

    /// The items below the folder at `path` for which `query` says yes, collected.
    ///
    /// - Throws: As ``searchFiles(path:recursive:query:listings:unlisted:found:)``, which gives what was found before
    ///   an error, too.
    public func searchFiles(path: ProviderPath, recursive: Bool, query: FileQuery) async throws -> [FileObject] {
        let all = CollectedValues<FileObject>()
        try await searchFiles(path: path, recursive: recursive, query: query, listings: nil) { all.append($0) }
        return all.values
    }

    /// The items below the folder at `path` for which `query` says yes, in pages; the search goes on when the one
    /// before was used up, and ends when the loop does.
    ///
    /// A failure comes after what was found before it.
    public func matches(path: ProviderPath, recursive: Bool, query: FileQuery) -> PushedValues<[FileObject]> {
        PushedValues { send in
            try await self.searchFiles(path: path, recursive: recursive, query: query, listings: nil) {
                try await send($0)
            }
        }
    }

    /// Searches by listing folders, whatever the storage can do itself.
    ///
    /// - Throws: As ``searchFiles(path:recursive:query:listings:unlisted:found:)``.
    public func searchByListing(
        path: ProviderPath, recursive: Bool, query: FileQuery, listings: Int? = nil,
        unlisted: (@Sendable (ProviderPath, any Error) throws -> Void)? = nil,
        found: @escaping @Sendable ([FileObject]) async throws -> Void
    ) async throws {
        try await TreeSearch(
            provider: self, query: query, recursive: recursive, listings: listings, unlisted: unlisted, found: found
        )
        .run(from: path)
    }
}
