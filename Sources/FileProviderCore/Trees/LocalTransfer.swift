import CLinux
public import Foundation

/// A regular file of this machine as a source that can be read again.
public struct FileSource: WriteSource {
    private let file: FileDescriptor
    private let path: ProviderPath
    /// Bytes when it was opened; a different length at the end fails the write.
    public let length: Int64?

    /// Opens the file at `url`.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` and its like; `CocoaError(.fileReadUnknown)` with `EISDIR` below it
    ///   for a folder.
    public init(_ url: URL) throws {
        // O_NONBLOCK: a pipe must not hold the thread before it is refused.
        let file = try FileDescriptor(path: url.path, flags: O_RDONLY | O_NONBLOCK)
        var status = stat()
        let path = (try? ProviderPath(url.path)) ?? .root
        guard fstat(file.raw, &status) == 0 else { throw FileError.make(errno: errno, path: path, writing: false) }
        if status.st_mode & S_IFMT == S_IFDIR { throw FileError.isADirectory(path, url: url) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError.make(.fileReadUnknown, path: path, url: url, sentence: "“\(path)” is not a regular file.")
        }
        self.init(file, length: Int64(status.st_size), path: path)
    }

    /// Creates a source from a regular file that is already open.
    package init(_ file: FileDescriptor, length: Int64, path: ProviderPath) {
        self.file = file
        self.length = length
        self.path = path
    }

    /// True: the file stays open as long as the source lives.
    public var isRepeatable: Bool { true }

    /// Returns the bytes from `offset` on, none past the end. Several may be read at once, each at its own pace; they
    /// block on the disk.
    public func bytes(from offset: Int64) throws -> any ByteSource { FileByteSource(file, from: offset, path: path) }
}

extension FileProviderReadWrite {
    /// Writes the local file at `localFile` to `path`.
    ///
    /// - Returns: The attributes of the written file.
    /// - Throws: As ``writeContents(path:from:options:)``, and an error of the local file.
    @discardableResult
    public func copyItem(
        localFile: URL, to path: ProviderPath, options: WriteOptions = WriteOptions(),
        progress: ProgressReporter = ProgressReporter()
    ) async throws -> FileObject {
        let source = try await BlockingThreads.shared.run { try FileSource(localFile) }
        return try await writeContents(path: path, from: source, options: options, progress: progress)
    }

    /// Reads the file at `path` into a local file, which appears under its name only when it is whole.
    ///
    /// - Throws: As ``open(path:)``; `CocoaError(.fileWriteFileExists)` if `localURL` is taken and `overwrite` is
    ///   false.
    public func copyItem(
        path: ProviderPath, toLocalURL localURL: URL, overwrite: Bool = false,
        progress: ProgressReporter = ProgressReporter()
    ) async throws {
        let target = try ProviderPath(localURL.standardizedFileURL.path)
        let staged = try await BlockingThreads.shared.run { try StagedFile(at: target) }
        try await staged.publish(overwrite: overwrite) {
            try await FileCopy(path, of: self).read(into: $0, progress: progress)
        }
    }
}
