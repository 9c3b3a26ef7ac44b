public import FileProviderCore
import Foundation
import SFTPEngine

extension SFTPFileProvider {
    /// Returns a reader that uses `READ`. Sends nothing: a missing file is reported by the first read.
    ///
    /// A change is detected by size and modification time, in whole seconds. If the file is replaced while it is open,
    /// the old file is read on.
    public func open(path: ProviderPath) async throws -> any FileReader { SFTPReader(path: path, provider: self) }

    /// Writes a file: under a temporary name, to the server's disk, and then in one step to its own name.
    ///
    /// A replaced file's permission bits are kept if the server sets them.
    ///
    /// If the connection is lost during an upload of more than 1 MiB, the upload resumes after head and tail of the
    /// part on the server were compared with the source. A later upload with the same `resumption` resumes in the same
    /// way. With `overwrite: false`, exactly one of two concurrent writers succeeds.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` if the server has another number of bytes; nothing was replaced. Also
    ///   `CocoaError(.featureUnsupported)` for a condition, because SFTP has no versions.
    /// - Complexity: Three round trips for a small file, one more with `overwrite: false`.
    public func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        if path.isRoot { throw FileError.isADirectory(path, url: url(of: path), writing: true) }
        if options.ifMatch != nil {
            throw FileError.unsupported("write under a condition", by: Self.type, path: path, url: url(of: path))
        }
        defer { cache.drop(path) }
        let upload = SFTPUpload(provider: self, path: path, source: source, options: options)
        return options.placement == .inPlace ? try await upload.writeInPlace() : try await upload.publish()
    }
}
