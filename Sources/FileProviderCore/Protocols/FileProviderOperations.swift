/// Folders, moves, copies and removal.
public protocol FileProviderOperations: FileProviderBasic {
    /// Creates the folder at `path`, in a folder that exists.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` if there is an item; `CocoaError(.fileNoSuchFile)` without its
    ///   parent.
    func createFolder(path: ProviderPath) async throws

    /// Moves or renames the item at `path`, with everything in it. Folders are never merged.
    ///
    /// - Parameter overwrite: Whether a file or an empty folder at `destination` may be replaced.
    /// - Throws: `CocoaError(.fileWriteFileExists)` if `destination` is taken; `CocoaError(.fileNoSuchFile)`.
    func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws

    /// Copies the item at `path`, with everything in it. Folders are never merged.
    ///
    /// The default copies through this machine, and moves a folder into place if the storage can move. A provider whose
    /// storage copies by itself overrides it and sets ``Capabilities/Ability/serverSideCopying``.
    ///
    /// - Parameter progress: Counts bytes.
    /// - Throws: As ``moveItem(path:to:overwrite:progress:)``.
    func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws

    /// Removes a file, a symbolic link (not what it points at) or a folder.
    ///
    /// - Parameters:
    ///   - recursive: Whether a folder is removed with everything in it; otherwise one that is not empty is refused.
    ///   - progress: Counts items.
    /// - Throws: `CocoaError(.fileNoSuchFile)`; `CocoaError(.fileWriteFileExists)` with `ENOTEMPTY` below it.
    func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws
}

extension FileProviderOperations {
    /// Moves the item without reporting progress.
    public func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool = false) async throws {
        try await moveItem(path: path, to: destination, overwrite: overwrite, progress: ProgressReporter())
    }

    /// Copies the item without reporting progress.
    public func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool = false) async throws {
        try await copyItem(path: path, to: destination, overwrite: overwrite, progress: ProgressReporter())
    }

    /// Removes the item without reporting progress.
    public func removeItem(path: ProviderPath, recursive: Bool = true) async throws {
        try await removeItem(path: path, recursive: recursive, progress: ProgressReporter())
    }

    /// Creates the folder at `path` and its missing parents. Succeeds if the folder exists.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` if a file is in the way.
    /// - Complexity: One request if the parent exists.
    public func createFolderWithParents(path: ProviderPath) async throws {
        if path.isRoot { return }
        do { try await createFolderIfMissing(path: path) } catch let error where error.isNoSuchFile {
            guard let parent = path.parent, !parent.isRoot else { throw error }
            try await createFolderWithParents(path: parent)
            // Another caller may have created it meanwhile.
            try await createFolderIfMissing(path: path)
        }
    }

    private func createFolderIfMissing(path: ProviderPath) async throws {
        do { try await createFolder(path: path) } catch let error where error.isFileExists {
            guard try await attributesOfItem(path: path).isDirectory else { throw error }
        }
    }
}
