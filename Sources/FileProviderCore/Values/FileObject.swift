public import Foundation

/// The kind of item that a path names.
public enum FileType: String, Sendable, Hashable, Codable {
    /// A regular file.
    case regular = "file"
    /// A folder. A link to one is a ``symbolicLink``.
    case directory
    /// A link, whose target does not matter for the type.
    case symbolicLink = "symlink"
    /// A device, socket, pipe or anything else.
    case other
}

/// The attributes of an item, without its bytes.
///
/// A provider fills in the properties that its listing has and leaves the others nil; it guesses nothing.
public struct FileObject: Sendable {
    /// The item's path.
    public var path: ProviderPath
    /// The name to show. Never take it from `path`: with a provider that addresses by identifier, that has only an
    /// identifier.
    public var name: String
    /// The type; of a symbolic link, that of the link itself.
    public var type: FileType
    /// Bytes; nil if unknown, and for folders.
    public var size: Int64?
    /// The modification time, in steps of ``Capabilities/timePrecision``.
    public var modifiedDate: Date?
    /// The time of creation; nil for most storages.
    public var creationDate: Date?
    /// The server's validator for this version of the item (RFC 9110, section 8.8.3), as sent, with its quotes.
    public var entryTag: String?
    /// What identifies the item in its storage under any name: it stays when the item is moved. Nil if the storage has
    /// no such notion.
    ///
    /// Some storages reuse it once the item is gone, so compare size and time as well.
    public var identity: String?
    /// The media type, as the server sent it.
    public var mimeType: String?
    /// POSIX permission bits, `0o7777` at most.
    public var permissions: UInt16?
    /// The target of a symbolic link, as stored.
    public var linkTarget: [UInt8]?
    private var extra: [String: any Sendable] = [:]

    /// Creates an item whose name is the last name of `path`.
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

    /// Whether it is a folder.
    public var isDirectory: Bool { type == .directory }
    /// Whether it is a regular file.
    public var isRegularFile: Bool { type == .regular }
    /// Whether it is a symbolic link.
    public var isSymbolicLink: Bool { type == .symbolicLink }
    /// ``linkTarget`` as text; bytes that are not UTF-8 are escaped as in ``ProviderPath``.
    public var linkTargetText: String? { linkTarget.map { NameEscape.string(of: $0[...]) } }
    /// Whether the name starts with a dot.
    public var isHidden: Bool { name.hasPrefix(".") }
    /// Whether its permissions forbid all writing; false if they are unknown.
    public var isReadOnly: Bool { permissions.map { $0 & 0o222 == 0 } ?? false }
    /// The number of items in a folder; nil if the storage does not report it.
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

/// The name of a property of a ``FileObject`` or ``VolumeObject`` together with its type.
///
/// Declare keys as static members, with a name no other provider uses: `FileObjectKey<Int>("example.revision")`.
public struct FileObjectKey<Value: Sendable>: Sendable {
    /// The name, unique across all providers.
    public let name: String

    /// Creates a key; keys with the same name are equal.
    public init(_ name: String) {
        self.name = name
    }
}

extension FileObjectKey where Value == Int {
    static let childrenCount = FileObjectKey("carrel.childrenCount")
}

/// The volume behind a provider, with its capacity in bytes.
public struct VolumeObject: Sendable, Hashable {
    /// The name that a person gave it; nil if the storage does not say.
    public var name: String?
    /// Nil if the storage does not say.
    public var totalCapacity: Int64?
    /// Bytes that this user can still write; nil if the storage does not say.
    public var availableCapacity: Int64?
    /// Bytes in use; nil if the storage does not say.
    public var usage: Int64?
    /// Whether no user can change anything.
    public var isReadOnly: Bool

    /// Creates a value. If ``usage`` is not given and both capacities are known, it is their difference.
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
