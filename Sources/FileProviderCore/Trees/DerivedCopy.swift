import Foundation

extension FileProviderOperations {
    /// The default: copies through this machine, streaming. Needs a provider that reads and writes.
    ///
    /// - Throws: As ``copyThroughThisMachine(path:to:overwrite:progress:)``; `CocoaError(.featureUnsupported)` for one
    ///   that does not.
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
    /// Copies by reading and writing: what ``copyItem(path:to:overwrite:progress:)`` does where the storage does not
    /// copy by itself.
    ///
    /// A folder is copied under a temporary name and moved into place. On a storage that cannot move, it is made and
    /// filled under its own name: others see it grow, and what is there is removed before the copy begins. A copy that
    /// fails there removes only what it made itself, what it made last first; see
    /// ``Capabilities/Ability/atomicFolderCopying``.
    ///
    /// - Complexity: Without moves, what was copied is remembered: a path for each item. A file of which writing tells
    ///   neither tag nor date, or that the storage copies by itself, is looked at once more.
    public func copyThroughThisMachine(
        path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter
    ) async throws {
        let capabilities = try await capabilities()
        // Also under another form of its name: what gives way would be the source.
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
            // Outside the task, which may be cancelled. What cannot be removed is left under a name that tells.
            await withCancellationShield { try? await self.removeCopy(temporary) }
            throw TemporaryName.error(error, under: temporary, of: destination)
        }
    }

    /// Makes the folder `destination` and fills it.
    private func copyFolderInPlace(
        _ path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter
    ) async throws {
        if try await itemIfAny(path: destination) != nil {
            if !overwrite { throw FileError.make(.fileWriteFileExists, path: destination) }
            // A folder with content refuses to be removed.
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

    /// - Parameter destination: The name that the copy gets in the end.
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
