public import Foundation

/// How a file is to be written.
public struct WriteOptions: Sendable, Hashable {
    /// Where the bytes go while they come in.
    public enum Placement: String, Sendable, Hashable, Codable {
        /// To a temporary name in the same folder; verified, then moved into place in one step.
        case published
        /// To the name itself. A failure may leave a part behind; only for storages where moving is dear or impossible.
        case inPlace
    }

    /// Whether an existing file, or an empty folder, may be replaced. A folder with content never is.
    public var overwrite: Bool
    /// Write only while the file is this version (its ETag); fails with `CocoaError(.fileWriteUnknown)` otherwise. Goes with ``overwrite``:
    /// without it an existing file is refused, whatever its version.
    public var ifMatch: String?
    /// Published by default.
    public var placement: Placement
    /// The modification time to set, where ``Capabilities/Ability/settingModificationDate`` is there; ignored elsewhere.
    public var modificationDate: Date?

    /// The defaults refuse what is there already, publish, and leave the time to the storage.
    public init(overwrite: Bool = false, ifMatch: String? = nil, placement: Placement = .published, modificationDate: Date? = nil) {
        self.overwrite = overwrite
        self.ifMatch = ifMatch
        self.placement = placement
        self.modificationDate = modificationDate
    }
}

/// Names for files that are on their way: recognisable, so that what a crash left can be swept.
public enum TemporaryName {
    /// The end of every such name.
    public static let suffix = ".carrel-part"

    /// A new name in the folder of `path`.
    public static func make(beside path: ProviderPath) throws -> ProviderPath {
        let tag = String(UInt64.random(in: .min ... .max), radix: 36)
        return try (path.parent ?? .root).appending(".\(tag)\(suffix)")
    }

    /// Whether `name` was made here.
    public static func matches(_ name: String) -> Bool { name.hasPrefix(".") && name.hasSuffix(suffix) }
}
