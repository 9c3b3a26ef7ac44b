import Foundation

/// The trash of a storage: the items that `removeItem` removed, as long as the storage keeps them.
///
/// Only for storages that have a trash. A provider that conforms may still have none on this server.
public protocol FileProviderTrash: FileProviderBasic {
    /// Passes the items that were removed from the folder at `path` and from below it to `page`, in no promised order.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` if this server has no trash.
    /// - Complexity: One request, or one for each page of the server's.
    func trashItems(below path: ProviderPath, page: @Sendable ([TrashItem]) async throws -> Void) async throws

    /// Restores an item to its old path. Never replaces an item: if the name is taken, the storage refuses, or restores
    /// under another name in the same folder.
    ///
    /// - Throws: `CocoaError(.fileNoSuchFile)` for an item that is no longer in the trash, and for an identifier of
    ///   another item; `CocoaError(.fileWriteInvalidFileName)` for an identifier that the storage never gives;
    ///   `CocoaError(.fileWriteFileExists)` where the name is taken, and the storage refuses.
    func restore(_ item: TrashItem) async throws

    /// Removes an item from the trash for good.
    ///
    /// - Throws: `CocoaError(.fileNoSuchFile)` and `CocoaError(.fileWriteInvalidFileName)` as ``restore(_:)``.
    func removeFromTrash(_ item: TrashItem) async throws
}

extension FileProviderTrash {
    /// Returns the items that were removed from the folder at `path` and from below it, the last removed first.
    ///
    /// - Throws: As ``trashItems(below:page:)``.
    public func trashItems(below path: ProviderPath = .root) async throws -> [TrashItem] {
        let found = CollectedValues<TrashItem>()
        try await trashItems(below: path) { items in
            for item in items { found.append(item) }
        }
        return found.values.sorted { one, other in
            let (first, second) = (one.removedDate ?? .distantPast, other.removedDate ?? .distantPast)
            return first != second ? first > second : one.path < other.path
        }
    }
}
