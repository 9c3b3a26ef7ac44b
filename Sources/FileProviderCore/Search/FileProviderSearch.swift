/// A provider whose storage can search. Callers use Core's
/// ``FileProviderBasic/searchFiles(path:recursive:query:listings:unlisted:found:)``, which serves every provider and
/// uses this protocol if the provider conforms.
public protocol FileProviderSearch: FileProviderBasic {
    /// Returns whether the storage can search for `query` here; if not, Core lists folders instead.
    ///
    /// The default is true.
    func searchesNatively(path: ProviderPath, recursive: Bool, query: FileQuery) async throws -> Bool

    /// Passes the items below the folder at `path` that match `query` to `found`, as they arrive, one call after the
    /// other.
    ///
    /// Without `recursive`, the direct children only: with ``FileQuery/all``, the items of `contentsOfDirectory`. Use
    /// ``FileQuery/evaluate(_:)`` for conditions that the server cannot express, and
    /// ``FileProviderBasic/searchByListing(path:recursive:query:listings:unlisted:found:)`` for a query of which it can
    /// express nothing.
    ///
    /// - Throws: The error that ended the search; items passed to `found` before are valid.
    func searchFiles(
        path: ProviderPath, recursive: Bool, query: FileQuery,
        found: @escaping @Sendable ([FileObject]) async throws -> Void
    ) async throws
}

extension FileProviderSearch {
    /// The default is true.
    public func searchesNatively(path: ProviderPath, recursive: Bool, query: FileQuery) async throws -> Bool { true }
}

extension FileProviderBasic {
    /// Passes the items below the folder at `path` that match `query` to `found`, as they arrive, one call after the
    /// other.
    ///
    /// The storage searches if it can (``FileProviderSearch``); otherwise folders are listed. The search waits while
    /// `found` runs. A folder is found before the items in it; there is no other order. Symbolic links are found and
    /// not followed.
    ///
    /// - Parameters:
    ///   - recursive: Whether to go on below the direct children.
    ///   - listings: Folders to list at once; nil derives that from the cost of the provider's reads.
    ///   - unlisted: Called with a folder further down that cannot be listed; the search goes on unless it throws.
    ///     Without it, the search goes on too, and throws an error at the end that names the folder. A storage that
    ///     searches by itself does not call it.
    /// - Throws: The error that ended the search: the folder at `path` cannot be listed, the server is lost or refuses
    ///   the login, `query` or `found` threw, cancelled. At the end, a `CocoaError` that names the first folder that
    ///   was not listed, with its error below it.
    /// - Complexity: One listing for each folder; holds the current pages and the folders still to be listed.
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

    /// Returns the items below the folder at `path` that match `query`.
    ///
    /// - Throws: As ``searchFiles(path:recursive:query:listings:unlisted:found:)``, whose form with `found` also gives
    ///   the items found before an error.
    public func searchFiles(path: ProviderPath, recursive: Bool, query: FileQuery) async throws -> [FileObject] {
        let all = CollectedValues<FileObject>()
        try await searchFiles(path: path, recursive: recursive, query: query, listings: nil) { all.append($0) }
        return all.values
    }

    /// Returns the items below the folder at `path` that match `query`, in pages. The search continues once a page was
    /// consumed, and ends with the loop.
    ///
    /// A failure is thrown after the items found before it.
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
