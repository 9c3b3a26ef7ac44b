public import FileProviderCore
import Foundation
import SFTPEngine

extension SFTPFileProvider {
    /// A reader by `READ`. Nothing is sent: the first read tells whether the file is there.
    ///
    /// A change shows by size and modification time, in whole seconds; a file that is replaced while it is open goes on
    /// being read.
    public func open(path: ProviderPath) async throws -> any FileReader { SFTPReader(path: path, provider: self) }

    /// Writes a file: under a temporary name, to the server's disk, and then in one step under its own.
    ///
    /// A file that is replaced keeps its permission bits, where the server sets them.
    ///
    /// An upload of more than 1 MiB whose connection is lost goes on where it was, once head and tail of what the
    /// server has were compared; so does a later one with the same `resumption`. With `overwrite: false`, of two
    /// writers at once exactly one wins.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` when the server has another number of bytes; nothing was replaced.
    ///   Also `CocoaError(.featureUnsupported)` for a condition, because SFTP tells no versions.
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
