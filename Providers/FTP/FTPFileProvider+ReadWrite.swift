public import FileProviderCore
import Foundation

extension FTPFileProvider {
    /// A reader by `RETR`. Nothing is sent: the first read tells whether the file is there.
    ///
    /// A change between two reads shows by size and modification time, in whole seconds.
    public func open(path: ProviderPath) async throws -> any FileReader { FTPReader(path: path, provider: self) }

    /// Writes a file: `STOR` to a temporary name, `SIZE`, `RNFR` and `RNTO`; or `STOR` in place.
    ///
    /// An upload of more than 1 MiB whose connection is lost goes on by `APPE`, or by `REST` and `STOR`, once the last
    /// 64 KiB of what the server has were compared; so does a later one with the same `resumption`. The whole is then
    /// compared by a hash where the server offers one (``FTPConfiguration/verification``), for which the source is read
    /// from its start. With `overwrite: false` the name is looked at right before the file comes there: FTP has no way
    /// to do both in one step.
    ///
    /// What was stored is seen before anything is renamed: by `SIZE`, by a listing, or by the length in the reply to
    /// `STOR`. A server that shows nothing is believed, and the file that is returned has no size; if it takes no
    /// renaming either, the file has to go in place.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` when the server's size or hash is another, or it kept nothing; nothing
    ///   was replaced. Also `CocoaError(.featureUnsupported)` for a condition, because FTP tells no versions.
    /// - Complexity: Five round trips and a data connection; in place four with the looks before and after. That is in
    ///   clear and up to 64 KiB; else two more, and over TLS four.
    public func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        if path.isRoot { throw FileError.isADirectory(path, url: url(of: path), writing: true) }
        if options.ifMatch != nil {
            throw FileError.unsupported("write under a condition", by: Self.type, path: path, url: url(of: path))
        }
        // After a login, for what the server keeps shows then.
        try await connection.run(path) { session in _ = try session.host.newBytes(of: path) }
        defer { cache.drop(path) }
        let upload = FTPUpload(provider: self, path: path, source: source, options: options)
        return options.placement == .inPlace ? try await upload.writeInPlace() : try await upload.publish()
    }
}
