public import FileProviderCore
import Foundation

extension LocalFileProvider {
    /// Creates a folder. Source: mkdir(2).
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` if there is an item; `CocoaError(.fileNoSuchFile)` without its
    ///   parent.
    public func createFolder(path: ProviderPath) async throws {
        let context = context(path, writing: true)
        if path.isRoot { throw context.error(EEXIST) }
        try await BlockingThreads.shared.run { [self] _ in
            let entry = try resolver.entry(of: path, context)
            try context.check(entry.name.withName { mkdirat(entry.folder.raw, $0, 0o777) })
        }
    }

    /// Moves with rename(2) or, without `overwrite`, renameat2(2): the kernel decides in one step. A symbolic link is
    /// moved itself.
    ///
    /// Both names are on the disk afterwards. Between file systems the item is copied, synced to the disk and then
    /// removed; it stays if a `user` extended attribute would be lost. Changes that others make in it meanwhile stay at
    /// the old place too, beside the copy.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` if `destination` is taken, or is a folder that is not empty
    ///   (`ENOTEMPTY` below it); `CocoaError(.fileWriteInvalidFileName)` if it is inside the folder to move;
    ///   `CocoaError(.fileNoSuchFile)`; `CocoaError(.fileReadUnknown)` with `ESTALE` below it if an item changed during
    ///   a move between file systems.
    public func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try await relocate(path, to: destination, verb: "moved") {
            [calls = resolver.calls] from, to, source, target, flag in
            progress.expect(1)
            switch try LocalMove(from: from, to: to, overwrite: overwrite, source: source, target: target, calls: calls)
                .run()
            {
            case .done: progress.advance(by: 1)
            case .otherFileSystem:
                let copied = CopiedItems()
                let copy = LocalCopy(
                    overwrite: overwrite, copied: copied, source: source, target: target, flag: flag, calls: calls)
                try copy.run(from: from, to: to)
                try LocalRemoval(flag: flag, context: source, progress: ProgressReporter(), copied: copied).runAside(
                    from, calls: calls)
                progress.advance(by: 1)
            }
        }
    }

    /// Copies by sharing blocks if the file system can (ioctl_ficlone(2)), else with copy_file_range(2). Holes stay
    /// holes, symbolic links are copied as links; permissions, access control lists, `user` extended attributes and
    /// modification times are kept if the target's storage can keep them.
    ///
    /// The copy is on the disk, and appears under its name only when it is whole. A failure or cancellation leaves
    /// nothing.
    ///
    /// - Throws: As ``moveItem(path:to:overwrite:progress:)``; `CocoaError(.featureUnsupported)` for a device or pipe.
    public func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try await relocate(path, to: destination, verb: "copied") {
            [calls = resolver.calls] from, to, source, target, flag in
            let copy = LocalCopy(
                overwrite: overwrite, copied: nil, source: source, target: target, flag: flag, progress: progress,
                calls: calls)
            try copy.run(from: from, to: to)
        }
    }

    /// Removes with unlink(2) and rmdir(2). Never follows links; each step counts from an open folder.
    ///
    /// A cancellation leaves the items that were not reached yet.
    ///
    /// - Throws: `CocoaError(.fileNoSuchFile)`; `CocoaError(.fileWriteFileExists)` with `ENOTEMPTY` below it.
    /// - Complexity: One system call for each file, about six for each folder. Holds the names of the folders on the
    ///   way down and beside it, and 48 descriptors.
    public func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        let context = context(path, writing: true)
        if path.isRoot { throw context.rootIsFixed("removed") }
        try await BlockingThreads.shared.run { [self] flag in
            let entry = try resolver.entry(of: path, context)
            try LocalRemoval(flag: flag, context: context, progress: progress).run(entry, recursive: recursive)
        }
    }

    private typealias Relocation =
        @Sendable (LocalEntry, LocalEntry, _ source: LocalContext, _ target: LocalContext, CancellationFlag) throws ->
        Void

    /// Resolves both ends, and refuses changes that no file system could make.
    private func relocate(
        _ path: ProviderPath, to destination: ProviderPath, verb: String, _ body: @escaping Relocation
    ) async throws {
        let source = context(path, writing: true)
        let target = context(destination, writing: true)
        if path.isRoot { throw source.rootIsFixed(verb) }
        if destination.isRoot || destination == path { throw target.error(EEXIST) }
        if destination.isBelow(path) { throw target.intoItself }
        try await BlockingThreads.shared.run { [self] flag in
            try body(resolver.entry(of: path, source), resolver.entry(of: destination, target), source, target, flag)
        }
    }
}
