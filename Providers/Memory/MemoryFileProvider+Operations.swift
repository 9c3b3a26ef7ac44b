public import FileProviderCore

extension MemoryFileProvider {
    /// Creates the folder at `path`.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` if there is an item; `CocoaError(.fileNoSuchFile)` without its
    ///   parent.
    public func createFolder(path: ProviderPath) async throws {
        try Task.checkCancellation()
        try tree.update { try $0.createFolder(path) }
    }

    /// Moves an item, a folder with everything in it.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` if `destination` is taken; `CocoaError(.fileWriteInvalidFileName)`
    ///   if it is inside the folder to move; `CocoaError(.fileNoSuchFile)`.
    /// - Complexity: Independent of the size of the item.
    public func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try Task.checkCancellation()
        try tree.update { try $0.move(path, to: destination, overwrite: overwrite) }
        progress.expect(1)
        progress.advance(by: 1)
    }

    /// Copies an item. Copies share their bytes, and count in full towards the capacity.
    ///
    /// - Throws: As ``moveItem(path:to:overwrite:progress:)``; `CocoaError(.fileWriteOutOfSpace)`.
    public func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try Task.checkCancellation()
        let size = try tree.update { try $0.copy(path, to: destination, overwrite: overwrite) }
        progress.expect(size)
        progress.advance(by: size)
    }

    /// Removes an item; a folder with everything in it, in one step.
    ///
    /// - Throws: `CocoaError(.fileNoSuchFile)`; `CocoaError(.fileWriteFileExists)` with `ENOTEMPTY` below it.
    public func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        try Task.checkCancellation()
        let count = try tree.update { try $0.remove(path, recursive: recursive) }
        progress.expect(count)
        progress.advance(by: count)
    }
}
