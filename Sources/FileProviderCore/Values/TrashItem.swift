public import Foundation

/// An item in a storage's own trash.
public struct TrashItem: Sendable, Hashable {
    /// The storage's name for it in its trash; it says nothing elsewhere.
    public var identifier: String
    /// Where the item was before it was removed.
    public var path: ProviderPath
    /// A file or a folder; a folder is kept with all it held.
    public var type: FileType
    /// Bytes; nil for folders, and where the storage does not tell.
    public var size: Int64?
    /// When it was removed; nil where the storage does not tell.
    public var removedDate: Date?

    /// Made by providers.
    public init(
        identifier: String, path: ProviderPath, type: FileType, size: Int64? = nil, removedDate: Date? = nil
    ) {
        self.identifier = identifier
        self.path = path
        self.type = type
        self.size = size
        self.removedDate = removedDate
    }
}
