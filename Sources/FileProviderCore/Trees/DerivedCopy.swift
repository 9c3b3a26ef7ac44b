import Foundation

extension FileProviderOperations {
    /// The default copies through this machine, streaming. The provider has to read and write.
    ///
    /// - Throws: As ``copyThroughThisMachine(path:to:overwrite:progress:)``; `CocoaError(.featureUnsupported)` for a
    ///   provider that does not read and write.
    public func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        guard let provider = self as? any FileProvider else {
            throw FileError.unsupported("copy", by: Self.type, path: path)
        }
        try await provider.copyThroughThisMachine(path: path, to: destination, overwrite: overwrite, progress: progress)
    }
}

extension FileProviderOperations where Self: FileProviderReadWrite {
    /// Copies by reading and writing, as ``copyItem(path:to:overwrite:progress:)`` does if the storage cannot copy by
    /// itself.
    ///
    /// A folder is copied under a temporary name and moved into place. On a storage that cannot move, it is created and
    /// filled under its own name: others see it grow, and an item at `destination` is removed before the copy begins. A
    /// copy that fails there removes only the items that it created, the last one first; see
    /// ``Capabilities/Ability/atomicFolderCopying``.
    ///
    /// - Complexity: Without moves, the copy holds a path for each copied item, and looks once more at each file whose
    ///   write returns neither tag nor date, or that the storage copies by itself.
    public func copyThroughThisMachine(
        path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter
    ) async throws {
        let capabilities = try await capabilities()
        // Also under another form of its name: the item to replace would be the source.
        if !capabilities.tells(destination, from: path) {
            throw FileError.make(.fileWriteFileExists, path: destination)
        }
        let item = try await attributesOfItem(path: path)
        let copy = TreeCopy(overwrite: overwrite, preservesDates: false)
        guard item.isDirectory else {
            try await copy.copyFile(path, of: self, to: destination, of: self, listed: item, progress: progress)
            return
        }
        try await copy.checkNotIntoItself(path, of: self, to: destination, of: self)
        guard capabilities.has(.moving) else {
            return try await copyFolderInPlace(path, to: destination, overwrite: overwrite, progress: progress)
        }
        let temporary = try TemporaryName.make(beside: destination)
        do {
            try await copyFolder(path, to: temporary, for: destination, by: copy, progress)
            try await moveItem(path: temporary, to: destination, overwrite: overwrite)
        } catch {
            // Outside the task, which may be cancelled. A folder that cannot be removed keeps its temporary name.
            await withCancellationShield { try? await self.removeCopy(temporary) }
            throw TemporaryName.error(error, under: temporary, of: destination)
        }
    }

    /// Creates the folder `destination` and fills it.
    private func copyFolderInPlace(
        _ path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter
    ) async throws {
        if try await itemIfAny(path: destination) != nil {
            if !overwrite { throw FileError.make(.fileWriteFileExists, path: destination) }
            // A folder that is not empty refuses to be removed.
            try await removeItem(path: destination, recursive: false)
        }
        let made = MadeItems()
        var copy = TreeCopy()
        copy.made = made
        do { try await copyFolder(path, to: destination, for: destination, by: copy, progress) } catch {
            await withCancellationShield { await made.remove(from: self) }
            throw error
        }
    }

    /// - Parameter destination: The final name of the copy.
    private func copyFolder(
        _ path: ProviderPath, to location: ProviderPath, for destination: ProviderPath, by copy: TreeCopy,
        _ progress: ProgressReporter
    ) async throws {
        let outcome = try await copy.copyFolder(path, of: self, to: location, of: self, progress: progress)
        for failed in outcome.failed {
            let operation = FileOperationType.copy(source: failed.path.string, destination: destination.string)
            guard await OperationConsent.proceeds(after: failed.error, operation: operation) else {
                throw failed.error
            }
        }
    }

    private func removeCopy(_ path: ProviderPath) async throws {
        if try await capabilities().has(.recursiveRemoval) { return try await removeItem(path: path) }
        try await removeTree(path: path, progress: ProgressReporter()) {
            try await self.removeItem(path: $0, recursive: false)
        }
    }
}
