public import Foundation

/// Reading and writing files.
public protocol FileProviderReadWrite: FileProviderBasic {
    /// Opens the file at `path` for reading, following a symbolic link that stays below the root.
    ///
    /// Remote providers send nothing yet: the first read shows whether the file exists, its size and its version.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`, here or at the first read; `CocoaError(.fileReadUnknown)` with
    ///   `EISDIR` below it.
    func open(path: ProviderPath) async throws -> any FileReader

    /// Opens the file at `path` if its version meets `options`. The default compares the attributes of the reader of
    /// ``open(path:)`` before its first byte; a provider overrides it if the storage can compare.
    ///
    /// - Throws: As ``open(path:)``; also, here or at the first read, ``FileError/unmodified(_:version:url:)`` and
    ///   ``FileError/otherVersion(_:url:)``.
    /// - Complexity: By default, ``FileReader/attributes()`` before the first read. Over HTTP only the read itself: a
    ///   file whose version does not match is not sent.
    func open(path: ProviderPath, options: ReadOptions) async throws -> any FileReader

    /// Writes a file in a folder that exists.
    ///
    /// - Returns: The attributes of the written file; at least its path and size.
    /// - Throws: `CocoaError(.fileWriteFileExists)` if the name is taken and `options.overwrite` is false, or by a
    ///   folder that is not empty; `CocoaError(.fileNoSuchFile)` without its parent; an error of the source. Nothing is
    ///   left behind.
    @discardableResult
    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
}

extension FileProviderReadWrite {
    /// The default compares before the first byte.
    public func open(path: ProviderPath, options: ReadOptions) async throws -> any FileReader {
        let reader = try await open(path: path)
        return options.isUnconditional ? reader : ConditionalReader(reader, options: options)
    }

    /// Writes a file, counting bytes into `progress`.
    @discardableResult
    public func writeContents(
        path: ProviderPath, from source: any WriteSource, options: WriteOptions, progress: ProgressReporter
    ) async throws -> FileObject {
        progress.expect(source.length)
        return try await writeContents(path: path, from: TappedSource(source, ProgressTap(progress)), options: options)
    }

    /// Writes bytes in memory to a file.
    @discardableResult
    public func writeContents(path: ProviderPath, contents: Data, overwrite: Bool = false) async throws -> FileObject {
        try await writeContents(path: path, from: DataSource(contents), options: WriteOptions(overwrite: overwrite))
    }

    /// Returns the bytes of a part of the file at `path`.
    ///
    /// - Throws: As ``open(path:)``; `CocoaError(.fileReadTooLarge)` over 256 MiB. Stream such a part instead.
    public func contents(path: ProviderPath, part: FilePart = .whole) async throws -> Data {
        try await withReader(path: path) { try await $0.read(part).data }
    }

    /// Opens the file at `path` for the duration of `body`.
    public func withReader<Value: Sendable>(
        path: ProviderPath, _ body: (any FileReader) async throws -> Value
    ) async throws -> Value {
        let reader = try await open(path: path)
        return try await reader.closing { try await body(reader) }
    }
}

/// Accepting bytes as they arrive, without a queue in between, for storages that can be written from any thread.
public protocol FileProviderPushWrite: FileProviderReadWrite {
    /// Writes the bytes that `fill` streams into a sink.
    ///
    /// - Parameter fill: Streams a whole file into the sink and returns its extent.
    /// - Throws: As ``FileProviderReadWrite/writeContents(path:from:options:)``, an error of `fill`, and
    ///   `CocoaError(.fileReadCorruptFile)` if fewer bytes arrived than the file has. Nothing is left behind.
    @discardableResult
    func writeContents(
        path: ProviderPath, options: WriteOptions, fill: @Sendable (any ByteSink) async throws -> FileExtent
    ) async throws -> FileObject
}

/// A provider with everything that a file manager needs.
public typealias FileProvider = FileProviderBasic & FileProviderOperations & FileProviderReadWrite
