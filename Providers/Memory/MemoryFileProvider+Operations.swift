public import FileProviderCore

extension MemoryFileProvider {
    /// Makes the folder at `path`.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` when anything is there already; `CocoaError(.fileNoSuchFile)`
    ///   without its parent.
    public func createFolder(path: ProviderPath) async throws {
        try Task.checkCancellation()
        try tree.update { try $0.createFolder(path) }
    }

    /// Moves an item with all it holds.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` when `destination` is taken;
    ///   `CocoaError(.fileWriteInvalidFileName)` when it lies in the folder to be moved; `CocoaError(.fileNoSuchFile)`.
    /// - Complexity: Independent of what the item holds.
    public func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try Task.checkCancellation()
        try tree.update { try $0.move(path, to: destination, overwrite: overwrite) }
        progress.expect(1)
        progress.advance(by: 1)
    }

    /// Copies share their bytes, and count in full towards the capacity.
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

    /// Removes an item; a folder with all it holds, in one step.
    ///
    /// - Throws: `CocoaError(.fileNoSuchFile)`; `CocoaError(.fileWriteFileExists)` with `ENOTEMPTY` below it.
    public func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        try Task.checkCancellation()
        let count = try tree.update { try $0.remove(path, recursive: recursive) }
        progress.expect(count)
        progress.advance(by: count)
    }
}
