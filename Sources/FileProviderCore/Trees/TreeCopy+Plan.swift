import Foundation

extension TreeCopy {
    /// Returns the outcome that ``copyFolder(_:of:to:of:progress:)`` would have, and changes nothing.
    ///
    /// - Parameter planned: Called with each file that would be copied, and its path in the target; one call after the
    ///   other.
    /// - Returns: As the copy, judging by listings only. With ``resumes``, files of the same size and time count as
    ///   skipped.
    /// - Throws: As the copy, and the first error of `planned`.
    /// - Complexity: One listing for each folder of the source, and for each of them that exists in the target. Reads
    ///   no file.
    public func planFolder(
        _ path: ProviderPath, of provider: any FileProvider, to destination: ProviderPath, of target: any FileProvider,
        planned: @Sendable (FileObject, ProviderPath) throws -> Void
    ) async throws -> Outcome {
        try await checkNotIntoItself(path, of: provider, to: destination, of: target)
        let keepsTimes = try await target.capabilities().has(.settingModificationDate)
        var outcome = Outcome()
        var folders = [(path: path, isThere: try await isFolder(destination, of: target))]
        while let folder = folders.popLast() {
            try Task.checkCancellation()
            let there: [ArraySlice<UInt8>: FileObject]
            let items: [FileObject]
            do {
                there =
                    folder.isThere
                    ? try await contents(of: Self.target(of: folder.path, from: path, to: destination), of: target)
                    : [:]
                let listing = await provider.listing(path: folder.path).checked(in: folder.path)
                if let error = listing.error {
                    if error.unusableNames == nil { throw error }
                    try record(error, at: folder.path, in: &outcome)
                }
                items = listing.contents
            } catch {
                if folder.path == path { throw error }
                try record(error, at: folder.path, in: &outcome)
                continue
            }
            for item in items where selection.part(of: item, below: path) != .leftOut {
                let target = Self.target(of: item.path, from: path, to: destination)
                let isTaken: Bool
                do {
                    if item.isDirectory {
                        folders.append(try enter(item, over: there[item.path.nameBytes], from: path, at: target))
                        continue
                    }
                    isTaken = try takes(
                        item, over: there[item.path.nameBytes], at: target, keepsTimes: keepsTimes)
                } catch {
                    try record(error, at: item.path, in: &outcome)
                    continue
                }
                if isTaken {
                    outcome.copied += 1
                    outcome.bytes += item.size ?? 0
                    try planned(item, target)
                } else {
                    outcome.skipped += 1
                }
            }
        }
        return outcome
    }

    /// Whether ``copyFile(_:of:to:of:listed:progress:)`` would copy `file`; false if it would skip it, because an
    /// earlier copy finished it.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` if a file that may not be replaced, or a folder, is in the way.
    /// - Complexity: One request. Reads no file.
    public func plan(_ file: FileObject, to destination: ProviderPath, of target: any FileProvider) async throws -> Bool
    {
        let keepsTimes = try await target.capabilities().has(.settingModificationDate)
        return try takes(
            file, over: try await target.itemIfAny(path: destination), at: destination, keepsTimes: keepsTimes)
    }

    private func takes(
        _ file: FileObject, over existing: FileObject?, at location: ProviderPath, keepsTimes: Bool
    ) throws -> Bool {
        guard file.isRegularFile else { throw Self.uncopied(file) }
        guard let existing else { return true }
        if resumes, existing.isRegularFile, existing.size == file.size,
            file.mayBeFinished(as: existing, keepsTimes: keepsTimes)
        {
            return false
        }
        if existing.isDirectory { throw FileError.isADirectory(location, writing: true) }
        if !overwrite { throw FileError.make(.fileWriteFileExists, path: location) }
        return true
    }

    private func enter(
        _ folder: FileObject, over existing: FileObject?, from path: ProviderPath, at location: ProviderPath
    ) throws -> (path: ProviderPath, isThere: Bool) {
        if let existing, !existing.isDirectory { throw FileError.make(.fileWriteFileExists, path: location) }
        guard folder.path.components.count <= path.components.count + ProviderPath.maxTreeDepth else {
            throw FileError.tooDeep(folder.path)
        }
        return (folder.path, existing != nil)
    }

    private func isFolder(_ path: ProviderPath, of target: any FileProvider) async throws -> Bool {
        guard let existing = try await target.itemIfAny(path: path) else { return false }
        if !existing.isDirectory { throw FileError.make(.fileWriteFileExists, path: path) }
        return true
    }

    private func contents(of folder: ProviderPath, of target: any FileProvider) async throws -> [ArraySlice<UInt8>:
        FileObject]
    {
        let listing = await target.listing(path: folder)
        if let error = listing.error, error.unusableNames == nil { throw error }
        return Dictionary(listing.contents.map { ($0.path.nameBytes, $0) }) { first, _ in first }
    }
}
