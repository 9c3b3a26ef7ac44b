public import Foundation

/// An item in a storage's own trash.
public struct TrashItem: Sendable, Hashable {
    /// The storage's name for it in its trash, which is meaningless elsewhere.
    public var identifier: String
    /// The item's path before it was removed.
    public var path: ProviderPath
    /// A file or a folder; a folder is kept with everything in it.
    public var type: FileType
    /// Bytes; nil for folders, and if the storage does not say.
    public var size: Int64?
    /// When it was removed; nil if the storage does not say.
    public var removedDate: Date?

    /// Created by providers.
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
