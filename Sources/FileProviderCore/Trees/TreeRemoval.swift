/// Removes what a selection takes of a folder, item by item.
///
/// A folder is removed only if it is taken itself and nothing in it stays.
public struct TreeRemoval: Sendable {
    /// What a removal came to.
    public struct Outcome: Sendable {
        /// Files and folders that were removed, or would be in a dry run.
        public var removed = 0
        /// Items that could not be removed and folders that could not be listed, each with its reason; the others went
        /// on.
        public var failed: [(path: ProviderPath, error: any Error)] = []

        /// Nothing removed, nothing failed.
        public init() {}
    }

    /// What is removed.
    public var selection: TreeSelection
    /// Whether items are only named.
    public var isDryRun: Bool

    /// A removal of what `selection` takes.
    public init(_ selection: TreeSelection = .all, isDryRun: Bool = false) {
        self.selection = selection
        self.isDryRun = isDryRun
    }

    /// Removes what is taken of the folder at `path`, and the folder itself if it is taken as well. Symbolic links are
    /// not followed.
    ///
    /// - Parameter removed: Called with each item after it was removed, or found to be removed in a dry run; a folder
    ///   after what was in it.
    /// - Throws: An error of listing the folder itself; an error that the next item would meet as well; an error of
    ///   `removed`.
    /// - Complexity: One listing for each folder, and one removal for each item. The paths of all items are held.
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
        // What a folder holds comes before the folder.
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

        /// Notes that an item stays, and with it the folders that it is in.
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
