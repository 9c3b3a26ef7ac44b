/// The versions of files that a storage keeps itself.
///
/// Only for storage that keeps them. A provider that conforms may still keep none on this server, or of this file.
public protocol FileProviderVersions: FileProviderReadWrite {
    /// The versions of the file at `path`, the newest first.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` where this server keeps none; `CocoaError(.fileReadNoSuchFile)`;
    ///   `CocoaError(.fileReadUnknown)` with `EISDIR` below it.
    /// - Complexity: One request, or one for each page of the server's; two where the file has to be looked at first.
    func versions(of path: ProviderPath) async throws -> [FileVersion]

    /// A reader for one version. Nothing is sent: the first read tells whether the version is there.
    func open(_ version: FileVersion) async throws -> any FileReader

    /// Makes `version` what reading its file gives. What the file was before stays as a version, where the storage
    /// keeps it.
    ///
    /// - Throws: `CocoaError(.fileNoSuchFile)` for a version that is gone.
    func restore(_ version: FileVersion) async throws
}
