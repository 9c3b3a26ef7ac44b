import FileProviderCore
import Foundation

/// A file or folder that could not be listed.
struct UnlistedItem: Sendable {
    var path: ProviderPath
    var sentence: String
}

/// Lists a source, or parts of it.
struct SourceListing: Sendable {
    let source: ShelfSource
    let isHiddenIncluded: Bool

    /// Lists the whole source into `spool`.
    ///
    /// - Parameter noting: Called with each item, also with those that the shelf doesn't show.
    /// - Returns: The folders that could not be listed, and those whose listings are incomplete.
    /// - Throws: The error of the source's folder itself; an error that concerns every folder; ``OwnFailure``.
    /// - Complexity: One listing for each folder.
    func listAll(into spool: ListingSpool, noting: @escaping @Sendable (FileObject) -> Void) async throws
        -> [UnlistedItem]
    {
        try await walk(from: source.root, into: spool, noting: noting)
    }

    /// Lists the item at `path` into `spool`, a folder with everything below it. Lists nothing if there is none, and if
    /// the folder around it doesn't list it either.
    ///
    /// - Returns: As ``listAll(into:noting:)``.
    /// - Throws: The error of the item; ``OwnFailure``.
    /// - Complexity: One request for a file, and one more for each folder; if there is none, a listing of the folder
    ///   around it.
    func list(_ path: ProviderPath, into spool: ListingSpool) async throws -> [UnlistedItem] {
        do {
            let item = try await source.provider.attributesOfItem(path: path)
            if item.isDirectory { return try await walk(from: path, into: spool) }
            if item.isRegularFile { try await spool.add(ListedFile(item)) }
            return []
        } catch let error where error.isNoSuchFile {
            return try await isListed(path) ? [UnlistedItem(path: path, sentence: error.shownSentence)] : []
        }
    }

    /// Whether the folder around `path` lists an item there. Some servers list folders that they don't find afterwards,
    /// as while a volume below is away; such a folder says nothing about its files.
    private func isListed(_ path: ProviderPath) async throws -> Bool {
        guard path != source.root, let folder = path.parent else { return false }
        let isFound = LockedValue(false)
        do {
            try await source.provider.contentsOfDirectory(path: folder) { page in
                if page.contains(where: { $0.path == path }) { isFound.update { $0 = true } }
            }
        } catch let error where error.isNoSuchFile {
            return try await isListed(folder)
        }
        return isFound.value
    }

    /// Whether the shelf shows the item at `path`: it is in the source, and no name on the way is hidden or that of an
    /// unfinished file.
    func isShown(_ path: ProviderPath) -> Bool {
        guard let below = path.relative(to: source.root) else { return false }
        return below.components.allSatisfy { isShown(name: String(decoding: $0, as: UTF8.self)) }
    }

    private func isShown(name: String) -> Bool {
        !TemporaryName.matches(name) && (isHiddenIncluded || !name.hasPrefix("."))
    }

    private func walk(
        from path: ProviderPath, into spool: ListingSpool, noting: @escaping @Sendable (FileObject) -> Void = { _ in }
    ) async throws -> [UnlistedItem] {
        let unlisted = CollectedValues<UnlistedItem>()
        try await source.provider.walk(path: path) { folder, error in
            if error.isCancellation { throw error }
            // If the folder was removed meanwhile, the next listing of the folder above shows it.
            unlisted.append(UnlistedItem(path: folder, sentence: error.shownSentence))
        } entering: { folder in
            isShown(name: folder.name)
        } visit: { item in
            noting(item)
            if item.isRegularFile, isShown(name: item.name) { try await spool.add(ListedFile(item)) }
        }
        return unlisted.values
    }
}
