/// The versions of files that a storage keeps.
///
/// Only for storages that keep versions. A provider that conforms may still have none on this server, or of this file.
public protocol FileProviderVersions: FileProviderReadWrite {
    /// Returns the versions of the file at `path`, the newest first.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` if this server keeps none; `CocoaError(.fileReadNoSuchFile)`;
    ///   `CocoaError(.fileReadUnknown)` with `EISDIR` below it.
    /// - Complexity: One request, or one for each page of the server's; two if the file has to be looked at first.
    func versions(of path: ProviderPath) async throws -> [FileVersion]

    /// Returns a reader for one version. Sends nothing: the first read shows whether the version exists.
    func open(_ version: FileVersion) async throws -> any FileReader

    /// Makes `version` the current content of its file. The content so far stays as a version, if the storage keeps it.
    ///
    /// - Throws: `CocoaError(.fileNoSuchFile)` if the version is gone.
    func restore(_ version: FileVersion) async throws
}
