public import Foundation

/// One version of a file that a storage keeps, the present one among them where the storage lists it.
public struct FileVersion: Sendable, Hashable {
    /// The storage's name for the version; it says nothing elsewhere.
    public var identifier: String
    /// The file.
    public var path: ProviderPath
    /// Bytes; nil where the storage does not tell.
    public var size: Int64?
    /// When this version was written; nil where the storage does not tell.
    public var modifiedDate: Date?
    /// The version's entry tag; nil where the storage gives none.
    public var entryTag: String?
    /// Whether this is what reading the file gives now.
    public var isCurrent: Bool

    /// Made by providers.
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
