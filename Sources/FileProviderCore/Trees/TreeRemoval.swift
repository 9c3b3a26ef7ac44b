/// Removes the items of a folder that a selection takes, one by one.
///
/// A folder is removed only if it is taken itself and nothing in it stays.
public struct TreeRemoval: Sendable {
    /// The outcome of a removal.
    public struct Outcome: Sendable {
        /// Files and folders that were removed, or would be in a dry run.
        public var removed = 0
        /// Items that could not be removed and folders that could not be listed, each with its reason; the removal went
        /// on.
        public var failed: [(path: ProviderPath, error: any Error)] = []

        /// Creates an empty outcome.
        public init() {}
    }

    /// The items to remove.
    public var selection: TreeSelection
    /// Whether the removal only names items.
    public var isDryRun: Bool

    /// Creates a removal of the items that `selection` takes.
    public init(_ selection: TreeSelection = .all, isDryRun: Bool = false) {
        self.selection = selection
        self.isDryRun = isDryRun
    }

    /// Removes the taken items of the folder at `path`, and the folder itself if it is taken as well. Does not follow
    /// symbolic links.
    ///
    /// - Parameter removed: Called with each item after its removal, or instead of it in a dry run; a folder comes
    ///   after the items in it.
    /// - Throws: An error of listing the folder itself; an error that the next item would meet as well; an error of
    ///   `removed`.
    /// - Complexity: One listing for each folder, and one removal for each item. Holds the paths of all items.
    public func remove(
        _ path: ProviderPath, of provider: any FileProvider, removed: @Sendable (ProviderPath) throws -> Void = { _ in }
    ) async throws -> Outcome {
        let found = CollectedValues<Found>()
        let unlisted = CollectedValues<(path: ProviderPath, error: any Error)>()
        let selection = selection
        try await provider.walk(path: path) { path, error in
            unlisted.append((path, error))
        } entering: { item in
            selection.part(of: item, below: path) != .leftOut
        } visit: { item in
            found.append(Found(path: item.path, part: selection.part(of: item, below: path)))
        }
        var run = Run(top: path)
        for folder in unlisted.values { run.fail(folder.path, folder.error) }
        let top = Found(path: path, part: selection.part(of: .root, isFolder: true))
        // The items in a folder come before the folder.
        for item in found.values.reversed() + [top] {
            try Task.checkCancellation()
            if item.part != .taken { run.keep(item.path) }
            if run.kept.contains(item.path) { continue }
            do {
                if !isDryRun { try await provider.removeItem(path: item.path, recursive: false) }
            } catch {
                if error.concernsEveryItem { throw error }
                run.fail(item.path, error)
                continue
            }
            run.outcome.removed += 1
            try removed(item.path)
        }
        return run.outcome
    }

    private struct Found: Sendable {
        let path: ProviderPath
        let part: TreeSelection.Part
    }

    private struct Run {
        let top: ProviderPath
        var outcome = Outcome()
        /// Folders that stay, because something in them does.
        var kept: Set<ProviderPath> = []

        /// Records that an item stays, and with it the folders above it.
        mutating func keep(_ path: ProviderPath) {
            var folder = path
            while folder != top, kept.insert(folder).inserted, let parent = folder.parent { folder = parent }
            kept.insert(top)
        }

        mutating func fail(_ path: ProviderPath, _ error: any Error) {
            keep(path)
            outcome.failed.append((path, error))
        }
    }
}
