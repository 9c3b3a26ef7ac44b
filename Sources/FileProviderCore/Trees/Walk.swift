import Foundation

/// Walking through a folder and everything below it, with any provider.
extension FileProviderBasic {
    /// Passes every item below the folder at `path` to `visit`, one after the other, a folder before the items in it.
    /// Does not follow symbolic links.
    ///
    /// - Parameters:
    ///   - unlisted: Called with a folder further down that cannot be listed, and with every folder whose listing left
    ///     out unusable names (``Swift/Error/unusableNames``). The walk goes on unless it throws; the default throws
    ///     for everything but unusable names.
    ///   - entering: Whether to enter a folder further down; its own item is visited all the same.
    /// - Throws: The first error of a listing or of `visit`; `CocoaError(.fileReadTooLarge)` deeper than
    ///   ``ProviderPath/maxTreeDepth`` folders.
    /// - Complexity: One listing for each folder, as many at once as suit the provider's reads
    ///   (``Capabilities/ReadCost/concurrentRanges``); holds the current pages and the folders still to be listed.
    public func walk(
        path: ProviderPath,
        unlisted: @escaping @Sendable (ProviderPath, any Error) throws -> Void = {
            if $1.unusableNames == nil { throw $1 }
        },
        entering: @escaping @Sendable (FileObject) -> Bool = { _ in true },
        visit: @escaping @Sendable (FileObject) async throws -> Void
    ) async throws {
        try await TreeSearch(
            provider: self, query: .all, recursive: true, listings: nil, entering: entering, unlisted: unlisted
        ) { page in
            for item in page {
                try Task.checkCancellation()
                try await visit(item)
            }
        }.run(from: path)
    }
}

extension FileProviderOperations {
    /// Removes the folder at `path` with everything in it, item by item: for storages that remove only empty folders.
    ///
    /// - Parameter removeOne: Removes a file or an empty folder.
    public func removeTree(
        path: ProviderPath, progress: ProgressReporter, removeOne: @Sendable (ProviderPath) async throws -> Void
    ) async throws {
        let items = CollectedValues<ProviderPath>()
        try await walk(path: path) { items.append($0.path) }
        try await removeTree([path] + items.values, progress: progress, removeOne: removeOne)
    }

    /// Removes the items, the last one first, so that the tree's own folder is the last.
    package func removeTree(
        _ items: [ProviderPath], progress: ProgressReporter, removeOne: @Sendable (ProviderPath) async throws -> Void
    ) async throws {
        progress.expect(Int64(items.count))
        for item in items.reversed() {
            try Task.checkCancellation()
            do { try await removeOne(item) } catch {
                guard item != items.first,
                    await OperationConsent.proceeds(after: error, operation: .remove(path: item.string))
                else {
                    throw error
                }
            }
            progress.advance(by: 1)
        }
    }
}
