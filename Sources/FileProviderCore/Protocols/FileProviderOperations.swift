/// Changing what is where: folders, moves, copies and removal.
public protocol FileProviderOperations: FileProviderBasic {
    /// Makes the folder at `path`, in a folder that exists.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` when anything is there already; `CocoaError(.fileNoSuchFile)`
    ///   without its parent.
    func createFolder(path: ProviderPath) async throws

    /// Moves or renames the item at `path`, with all it holds. Folders are never merged.
    ///
    /// - Parameter overwrite: Whether a file or an empty folder at `destination` may be replaced.
    /// - Throws: `CocoaError(.fileWriteFileExists)` when `destination` is taken; `CocoaError(.fileNoSuchFile)`.
    func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws

    /// Copies the item at `path`, with all it holds. Folders are never merged.
    ///
    /// The default copies through this machine, and moves a folder into place if the storage can move. A provider whose
    /// storage copies by itself overrides it and says so in ``Capabilities/Ability/serverSideCopying``.
    ///
    /// - Parameter progress: Counts bytes.
    /// - Throws: As ``moveItem(path:to:overwrite:progress:)``.
    func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws

    /// Removes a file, a symbolic link (not what it points at) or a folder.
    ///
    /// - Parameters:
    ///   - recursive: Whether a folder goes with all it holds; else one that is not empty is refused.
    ///   - progress: Counts items.
    /// - Throws: `CocoaError(.fileNoSuchFile)`; `CocoaError(.fileWriteFileExists)` with `ENOTEMPTY` below it.
    func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws
}

extension FileProviderOperations {
    /// Moves without anybody following.
    public func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool = false) async throws {
        try await moveItem(path: path, to: destination, overwrite: overwrite, progress: ProgressReporter())
    }

    /// Copies without anybody following.
    public func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool = false) async throws {
        try await copyItem(path: path, to: destination, overwrite: overwrite, progress: ProgressReporter())
    }

    /// Removes without anybody following.
    public func removeItem(path: ProviderPath, recursive: Bool = true) async throws {
        try await removeItem(path: path, recursive: recursive, progress: ProgressReporter())
    }

    /// Makes the folder at `path` and those above it that are missing; a folder that is there already is fine.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` when a file is in the way.
    /// - Complexity: One request where the parent exists.
    public func createFolderWithParents(path: ProviderPath) async throws {
        if path.isRoot { return }
        do { try await createFolderIfMissing(path: path) } catch let error where error.isNoSuchFile {
            guard let parent = path.parent, !parent.isRoot else { throw error }
            try await createFolderWithParents(path: parent)
            // Another caller may have made it meanwhile.
            try await createFolderIfMissing(path: path)
        }
    }

    private func createFolderIfMissing(path: ProviderPath) async throws {
        do { try await createFolder(path: path) } catch let error where error.isFileExists {
            guard try await attributesOfItem(path: path).isDirectory else { throw error }
        }
    }
}
