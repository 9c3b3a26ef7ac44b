/// Hashes of files from the storage, so that the bytes need not pass through this machine.
public protocol FileProviderChecksums: FileProviderBasic {
    /// Returns the hash of the whole content of the file at `path`, as the storage computes or keeps it, in lower-case
    /// hexadecimal digits.
    ///
    /// - Parameter kind: One of ``Capabilities/hashKinds``, such as `sha256`.
    /// - Throws: `CocoaError(.featureUnsupported)` for a kind that this storage does not give;
    ///   `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadUnknown)` for a folder.
    func checksum(of path: ProviderPath, kind: String) async throws -> String
}
