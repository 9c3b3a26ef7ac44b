/// Extended attributes of files and folders: names with values, which a storage keeps and does not look into.
///
/// Names begin with a namespace, of which `user.` is everybody's. Source: xattr(7).
public protocol FileProviderExtendedAttributes: FileProviderBasic {
    /// All extended attributes of the item at `path` that may be read, by their names with the namespace in front:
    /// `user.comment`.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadTooLarge)` over 16 MiB in all;
    ///   `CocoaError(.featureUnsupported)` for an item that cannot have any.
    func extendedAttributes(path: ProviderPath) async throws -> [String: [UInt8]]

    /// Sets the extended attribute called `name` of the item at `path`.
    ///
    /// - Throws: `CocoaError(.fileNoSuchFile)`; `CocoaError(.fileWriteNoPermission)`;
    ///   `CocoaError(.fileWriteOutOfSpace)`; `CocoaError(.featureUnsupported)` where the storage or the item has none,
    ///   and for another namespace than one it knows.
    func setExtendedAttribute(_ name: String, to value: [UInt8], path: ProviderPath) async throws

    /// Removes the extended attribute called `name` of the item at `path`; one that is not there is fine.
    func removeExtendedAttribute(_ name: String, path: ProviderPath) async throws
}
