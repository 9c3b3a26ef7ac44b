public import Foundation

/// One version of a file that a storage keeps; the current one is among them if the storage lists it.
public struct FileVersion: Sendable, Hashable {
    /// The storage's name for the version, which is meaningless elsewhere.
    public var identifier: String
    /// The file.
    public var path: ProviderPath
    /// Bytes; nil if the storage does not say.
    public var size: Int64?
    /// When this version was written; nil if the storage does not say.
    public var modifiedDate: Date?
    /// The version's entry tag; nil if the storage has none.
    public var entryTag: String?
    /// Whether this is the current content of the file.
    public var isCurrent: Bool

    /// Created by providers.
    public init(
        identifier: String, path: ProviderPath, size: Int64? = nil, modifiedDate: Date? = nil,
        entryTag: String? = nil, isCurrent: Bool = false
    ) {
        self.identifier = identifier
        self.path = path
        self.size = size
        self.modifiedDate = modifiedDate
        self.entryTag = entryTag
        self.isCurrent = isCurrent
    }
}
