public import FileProviderCore
import Foundation

extension FTPFileProvider {
    /// Returns a reader that uses `RETR`. Sends nothing: a missing file is reported by the first read.
    ///
    /// A change between two reads is detected by size and modification time, in whole seconds.
    public func open(path: ProviderPath) async throws -> any FileReader { FTPReader(path: path, provider: self) }

    /// Writes a file: `STOR` to a temporary name, `SIZE`, `RNFR` and `RNTO`; or `STOR` in place.
    ///
    /// If the connection is lost during an upload of more than 1 MiB, the upload resumes with `APPE`, or with `REST`
    /// and `STOR`, after the last 64 KiB on the server were compared with the source. A later upload with the same
    /// `resumption` resumes in the same way. The whole file is then verified by a hash if the server offers one
    /// (``FTPConfiguration/verification``), for which the source is read from its start. With `overwrite: false`, the
    /// name is looked up right before the file is placed: FTP cannot do both in one step.
    ///
    /// The stored file is verified before anything is renamed: by `SIZE`, by a listing, or by the length in the reply
    /// to `STOR`. If the server shows none of these, its acknowledgement is accepted, and the returned file has no
    /// size. If the server doesn't allow renaming either, the file must be written in place.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` if the server's size or hash differs, or if it kept nothing; nothing
    ///   was replaced. Also `CocoaError(.featureUnsupported)` for a condition, because FTP has no versions.
    /// - Complexity: Five round trips and a data connection; in place four, including the lookups. That is in clear and
    ///   up to 64 KiB; larger files need two more, and TLS four.
    public func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        if path.isRoot { throw FileError.isADirectory(path, url: url(of: path), writing: true) }
        if options.ifMatch != nil {
            throw FileError.unsupported("write under a condition", by: Self.type, path: path, url: url(of: path))
        }
        // After a login, because the server's greeting tells which names it keeps.
        try await connection.run(path) { session in _ = try session.host.newBytes(of: path) }
        defer { cache.drop(path) }
        let upload = FTPUpload(provider: self, path: path, source: source, options: options)
        return options.placement == .inPlace ? try await upload.writeInPlace() : try await upload.publish()
    }
}
