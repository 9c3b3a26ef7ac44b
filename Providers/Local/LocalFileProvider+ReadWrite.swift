public import FileProviderCore
import Foundation

extension LocalFileProvider: FileProviderPushWrite {
    /// Opens a regular file, through symbolic links that stay below the root. The reader reads the version that it
    /// opened.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadUnknown)` with `EISDIR` below it for a folder.
    public func open(path: ProviderPath) async throws -> any FileReader {
        try await BlockingThreads.shared.run { [self] _ in
            let context = context(path, writing: false)
            let (file, status) = try resolver.file(at: path, context)
            return LocalReader(file, status: status, context: context)
        }
    }

    /// Writes a file; by default under a temporary name, which rename(2) or renameat2(2) puts into place after
    /// fsync(2).
    ///
    /// A replaced file keeps its permissions, unless others are given; a symbolic link is replaced itself. `ifMatch`
    /// takes ``/FileProviderCore/FileObject/entryTag`` and is compared right before the move, not in the same step. In
    /// place, a failed write removes a file that did not exist before. With `resumption`, the part of a failed write
    /// stays beside the target; a later write continues it if its first and last 64 KiB are the source's.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` if the name is taken and `overwrite` is false, or by a folder that
    ///   is not empty; `CocoaError(.fileNoSuchFile)` without its parent; `CocoaError(.fileWriteUnknown)` for another
    ///   version, or a source whose length is not what it promised.
    @discardableResult
    public func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        var options = options
        if !source.isRepeatable { options.resumption = nil }
        return try await write(path, options) { try await $0.pour(source) }
    }

    /// Writes the bytes of `fill` as they arrive, on its thread; otherwise as ``writeContents(path:from:options:)``.
    @discardableResult
    public func writeContents(
        path: ProviderPath, options: WriteOptions, fill: @Sendable (any ByteSink) async throws -> FileExtent
    ) async throws -> FileObject {
        var options = options
        options.resumption = nil
        return try await write(path, options) { try $0.checkWhole(try await fill($0.sink)) }
    }

    private func write(
        _ path: ProviderPath, _ options: WriteOptions, _ body: @Sendable (LocalWrite) async throws -> Void
    ) async throws -> FileObject {
        let context = context(path, writing: true)
        if path.isRoot { throw context.error(EISDIR) }
        let write = try await BlockingThreads.shared.run { [self] _ in
            let entry = try resolver.entry(of: path, context)
            return try LocalWrite(entry: entry, options: options, calls: resolver.calls, context: context)
        }
        do {
            try await body(write)
            return try await BlockingThreads.shared.run { flag in
                try flag.check()
                return try write.commit()
            }
        } catch {
            // `discard` throws nothing, so neither does `run`.
            try? await BlockingThreads.shared.run { write.discard() }
            throw error
        }
    }
}
