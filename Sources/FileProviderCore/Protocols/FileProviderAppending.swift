public import Foundation

/// Adding bytes at the end of a file without sending its present bytes again, for logs and growing collections.
///
/// Local: `O_APPEND` (open(2)). SFTP: `WRITE` behind the size that the open file has. FTP: `APPE` (RFC 959, section
/// 4.1.3). Callers use ``FileProviderReadWrite/appendContents(path:from:createsFile:progress:)``, which every provider
/// has.
public protocol FileProviderAppending: FileProviderReadWrite {
    /// Adds the bytes of `source` at the end of the file at `path`, following a symbolic link that stays below the
    /// root.
    ///
    /// An append isn't one step: others see the file grow. One that fails or is cancelled keeps the old bytes and,
    /// behind them, the first bytes of `source` as far as they arrived; the size of the file shows how many. It isn't
    /// tried again once bytes were sent. Two concurrent appends to one file may mix their bytes; over SFTP one may
    /// overwrite the other's.
    ///
    /// - Parameter createsFile: Whether the file is made if there is none, in a folder that exists.
    /// - Returns: The file's attributes afterwards; its size is nil if the storage doesn't show it.
    /// - Throws: `CocoaError(.fileNoSuchFile)` without the file or its folder; `CocoaError(.fileWriteUnknown)` with
    ///   `EISDIR` below it for a folder, and for a source of another length than it said; an error of the source.
    func append(path: ProviderPath, from source: any WriteSource, createsFile: Bool) async throws -> FileObject
}

extension FileProviderReadWrite {
    /// Adds the bytes of `source` at the end of the file at `path`, counting them into `progress`.
    ///
    /// - Throws: As ``FileProviderAppending/append(path:from:createsFile:)``, which also says what a failed append
    ///   leaves behind; `CocoaError(.featureUnsupported)` for a provider that cannot append.
    @discardableResult
    public func appendContents(
        path: ProviderPath, from source: any WriteSource, createsFile: Bool = true,
        progress: ProgressReporter = ProgressReporter()
    ) async throws -> FileObject {
        guard let storage = self as? any FileProviderAppending else {
            throw FileError.unsupported("append", by: Self.type, path: path, url: url(of: path))
        }
        progress.expect(source.length)
        return try await storage.append(
            path: path, from: TappedSource(source, ProgressTap(progress)), createsFile: createsFile)
    }

    /// Adds bytes that are in memory at the end of the file at `path`.
    @discardableResult
    public func appendContents(path: ProviderPath, contents: Data, createsFile: Bool = true) async throws -> FileObject
    {
        try await appendContents(path: path, from: DataSource(contents), createsFile: createsFile)
    }
}
