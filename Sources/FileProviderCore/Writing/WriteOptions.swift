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
    /// The permission bits of the file, `0o777` at most, from its first byte on. Nil, as it is unless said otherwise, keeps those of a file
    /// that is replaced, and leaves those of a new one to the storage. On local disks and over SFTP; ignored elsewhere.
    public var permissions: UInt16?
    /// What identifies the source and its version, such as URL, size and validator together: a write that stops, by failure or by
    /// cancellation, then leaves its part under ``TemporaryName/make(beside:for:)``, and the next write of the same identity to the same
    /// name goes on there, in another process even.
    ///
    /// The end of the part is compared with the source before anything is added; what differs is begun anew. Nil, as it is unless said
    /// otherwise, removes what a failed write left. Of use for published writes of sources that are repeatable, where
    /// ``Capabilities/Ability/resumingWrites`` is there, and of more bytes than a provider deems worth it; ignored elsewhere. One write of
    /// one identity at a time: nothing keeps two apart.
    public var resumption: String?

    /// The defaults refuse what is there already, publish, leave the time to the storage, and keep no part.
    public init(
        overwrite: Bool = false, ifMatch: String? = nil, placement: Placement = .published, modificationDate: Date? = nil,
        permissions: UInt16? = nil, resumption: String? = nil
    ) {
        self.overwrite = overwrite
        self.ifMatch = ifMatch
        self.placement = placement
        self.modificationDate = modificationDate
        self.permissions = permissions
        self.resumption = resumption
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

    /// The name, in the folder of `path`, of a part that a later write goes on with: the same in every run.
    ///
    /// It holds a hash (FNV-1a, 64 bits) of the name of `path` and of `identity`. So it proves that whoever left the part knew both, and
    /// keeps the parts of different sources and versions apart. It proves nothing of what is in the part, and not who left it: the hash is
    /// no secret, and others who may write into the folder can foretell the name. What is there is compared with the source before use.
    public static func make(beside path: ProviderPath, for identity: String) throws -> ProviderPath {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325  // Not Swift's own hash, which is another in each run.
        for byte in Array(path.nameBytes) + [0] + Array(identity.utf8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return try (path.parent ?? .root).appending(".\(String(hash, radix: 36))\(suffix)")
    }

    /// What `error` is to those who know nothing of the other name: an error of a step under `temporary`, or below it, told of `path`, under
    /// which the item was to be published. Other errors stay as they are.
    public static func error(_ error: any Error, under temporary: ProviderPath, of path: ProviderPath) -> any Error {
        guard let error = error as? CocoaError, let told = error.userInfo[NSFilePathErrorKey] as? String,
            told == temporary.string || told.hasPrefix(temporary.string + "/")
        else { return error }
        var info = error.userInfo
        let named = { (text: String, path: ProviderPath) in text.replacingOccurrences(of: temporary.string, with: path.string) }
        info[NSFilePathErrorKey] = named(told, path)
        info[NSLocalizedDescriptionKey] = (info[NSLocalizedDescriptionKey] as? String).map { named($0, path) }
        if let url = info[NSURLErrorKey] as? URL {
            let text = url.absoluteString.replacingOccurrences(of: temporary.percentEncoded, with: path.percentEncoded)
            info[NSURLErrorKey] = URL(string: text)
        }
        return CocoaError(error.code, userInfo: info)
    }

    /// Whether `name` was made here.
    public static func matches(_ name: String) -> Bool { name.hasPrefix(".") && name.hasSuffix(suffix) }
}
