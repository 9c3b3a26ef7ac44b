/// Extended attributes of files and folders: named values that a storage keeps and does not interpret.
///
/// Names begin with a namespace; every user may write those in `user.`. Source: xattr(7).
public protocol FileProviderExtendedAttributes: FileProviderBasic {
    /// Returns all extended attributes of the item at `path` that may be read, by their names with the namespace in
    /// front: `user.comment`.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadTooLarge)` over 16 MiB in all;
    ///   `CocoaError(.featureUnsupported)` for an item that cannot have any.
    func extendedAttributes(path: ProviderPath) async throws -> [String: [UInt8]]

    /// Sets the extended attribute called `name` of the item at `path`.
    ///
    /// - Throws: `CocoaError(.fileNoSuchFile)`; `CocoaError(.fileWriteNoPermission)`;
    ///   `CocoaError(.fileWriteOutOfSpace)`; `CocoaError(.featureUnsupported)` if the storage or the item has no
    ///   extended attributes, and for an unknown namespace.
    func setExtendedAttribute(_ name: String, to value: [UInt8], path: ProviderPath) async throws

    /// Removes the extended attribute called `name` of the item at `path`. Succeeds if there is none.
    func removeExtendedAttribute(_ name: String, path: ProviderPath) async throws
}
