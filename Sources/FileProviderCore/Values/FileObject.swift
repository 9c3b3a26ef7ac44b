public import Foundation

/// What kind of thing a path names.
public enum FileType: String, Sendable, Hashable, Codable {
    /// A file with bytes of its own.
    case regular = "file"
    /// A folder. A link to one is a ``symbolicLink``.
    case directory
    /// A link, which is not followed to tell the type.
    case symbolicLink = "symlink"
    /// A device, socket, pipe or something the provider has no word for.
    case other
}

/// What is known about an item without its bytes.
///
/// A provider fills what its listing tells and leaves the rest nil; nothing is guessed.
public struct FileObject: Sendable {
    /// Where the item lies.
    public var path: ProviderPath
    /// The name to show. Never take it from `path`: a provider that addresses by identifier has only an identifier
    /// there.
    public var name: String
    /// Of a symbolic link, the link itself.
    public var type: FileType
    /// Bytes; nil where unknown, and for folders.
    public var size: Int64?
    /// In the step that ``Capabilities/timePrecision`` tells.
    public var modifiedDate: Date?
    /// Nil for most storages.
    public var creationDate: Date?
    /// The server's validator for this version of the item (RFC 9110, section 8.8.3), as sent, with its quotes.
    public var entryTag: String?
    /// What tells this item from the storage's others, whatever it is called: it stays when the item is moved. Nil
    /// where the storage has no such notion.
    ///
    /// Some storages give it to a new item once the old one is gone: the same item has the same size and time as well.
    public var identity: String?
    /// The media type as the server gave it.
    public var mimeType: String?
    /// POSIX permission bits, `0o7777` at most.
    public var permissions: UInt16?
    /// What a symbolic link points at, as stored.
    public var linkTarget: [UInt8]?
    private var extra: [String: any Sendable] = [:]

    /// An item at `path` whose name is the path's last.
    public init(
        path: ProviderPath, type: FileType, size: Int64? = nil, modifiedDate: Date? = nil, entryTag: String? = nil
    ) {
        self.path = path
        self.name = path.name
        self.type = type
        self.size = size
        self.modifiedDate = modifiedDate
        self.entryTag = entryTag
    }

    /// A property that only some providers know.
    public subscript<Value: Sendable>(key: FileObjectKey<Value>) -> Value? {
        get { extra[key.name] as? Value }
        set { extra[key.name] = newValue }
    }

    /// Whether it can be listed.
    public var isDirectory: Bool { type == .directory }
    /// Whether it has bytes of its own.
    public var isRegularFile: Bool { type == .regular }
    /// Whether it names another place.
    public var isSymbolicLink: Bool { type == .symbolicLink }
    /// ``linkTarget`` as text, escaped as in ``ProviderPath`` where it is not UTF-8.
    public var linkTargetText: String? { linkTarget.map { NameEscape.string(of: $0[...]) } }
    /// Whether the name starts with a dot.
    public var isHidden: Bool { name.hasPrefix(".") }
    /// Whether nobody may write, as far as permissions tell; false where they are unknown.
    public var isReadOnly: Bool { permissions.map { $0 & 0o222 == 0 } ?? false }
    /// How many items a folder has; nil where the storage does not tell.
    public var childrenCount: Int? {
        get { self[.childrenCount] }
        set { self[.childrenCount] = newValue }
    }

    /// The name of an older interface.
    @available(*, deprecated, renamed: "isSymbolicLink")
    public var isSymLink: Bool { isSymbolicLink }
    /// The name of an older interface, misspelt.
    @available(*, deprecated, renamed: "childrenCount")
    public var childrensCount: Int? { childrenCount }
}

/// Names a property of a ``FileObject`` or ``VolumeObject`` together with its type.
///
/// Declare keys as static members, with a name no other provider uses: `FileObjectKey<Int>("example.revision")`.
public struct FileObjectKey<Value: Sendable>: Sendable {
    /// What tells the keys apart, across all providers.
    public let name: String

    /// Keys with one name are one key.
    public init(_ name: String) {
        self.name = name
    }
}

extension FileObjectKey where Value == Int {
    static let childrenCount = FileObjectKey("carrel.childrenCount")
}

/// The storage behind a provider: its capacity, in bytes.
public struct VolumeObject: Sendable, Hashable {
    /// As a person gave it; nil where the storage does not say.
    public var name: String?
    /// Nil where the storage does not say.
    public var totalCapacity: Int64?
    /// What can still be written by this user; nil where the storage does not say.
    public var availableCapacity: Int64?
    /// What is in use; nil where the storage does not say.
    public var usage: Int64?
    /// Whether nothing can be changed, by anybody.
    public var isReadOnly: Bool

    /// ``usage`` is what is not available of the total, where both are known and it is not given.
    public init(
        name: String? = nil, totalCapacity: Int64? = nil, availableCapacity: Int64? = nil, usage: Int64? = nil,
        isReadOnly: Bool = false
    ) {
        self.name = name
        self.totalCapacity = totalCapacity
        self.availableCapacity = availableCapacity
        self.usage = usage ?? totalCapacity.flatMap { total in availableCapacity.map { total - $0 } }
        self.isReadOnly = isReadOnly
    }
}
