public import Foundation

/// How to write a file.
public struct WriteOptions: Sendable, Hashable {
    /// Where the bytes go while they arrive.
    public enum Placement: String, Sendable, Hashable, Codable {
        /// To a temporary name in the same folder; verified, then moved into place in one step.
        case published
        /// To the name itself. A failure may leave a part behind; only for storages where moving is expensive or
        /// impossible.
        case inPlace
    }

    /// Whether an existing file, or an empty folder, may be replaced. A folder with content never is.
    public var overwrite: Bool
    /// Write only while the file is this version (its ETag); fails with `CocoaError(.fileWriteUnknown)` otherwise. Goes
    /// with ``overwrite``: without it an existing file is refused, whatever its version.
    public var ifMatch: String?
    /// Published by default.
    public var placement: Placement
    /// The modification time to set, if the provider has ``Capabilities/Ability/settingModificationDate``; ignored
    /// otherwise.
    public var modificationDate: Date?
    /// The permission bits of the file, `0o777` at most, from its first byte on. Nil, the default, keeps those of a
    /// file that is replaced and leaves those of a new one to the storage. Needs
    /// ``Capabilities/Ability/settingPermissions``, which local disks and SFTP have; ignored otherwise.
    public var permissions: UInt16?
    /// What identifies the source and its version, such as URL, size and validator together. A write that stops, by
    /// failure or by cancellation, then leaves its part under ``TemporaryName/make(beside:for:)``, and the next write
    /// of the same identity to the same name continues there, even in another process.
    ///
    /// The part is compared with the source before anything is added; if it differs, the write starts over. Over HTTP
    /// the part is an unfinished upload on the server. It stays after a lost connection, an answer that says to try
    /// later, a cancellation and the end of the process, and is removed after any other failure. Nil, the default,
    /// removes what a failed write left. Applies to published writes of repeatable sources that have more bytes than a
    /// provider deems worth it, if the provider has ``Capabilities/Ability/resumingWrites``; ignored otherwise. Run one
    /// write of an identity at a time: nothing keeps two apart.
    public var resumption: String?
    /// The media type to store with the file, such as `application/epub+zip`. Nil, the default, takes that of the
    /// name's extension if it is a known one. Sent over HTTP as `Content-Type` (RFC 9110, section 8.3); ignored
    /// otherwise.
    public var contentType: String?

    /// The defaults refuse to overwrite, publish, leave the time to the storage, and keep no part.
    public init(
        overwrite: Bool = false, ifMatch: String? = nil, placement: Placement = .published,
        modificationDate: Date? = nil,
        permissions: UInt16? = nil, resumption: String? = nil, contentType: String? = nil
    ) {
        self.overwrite = overwrite
        self.ifMatch = ifMatch
        self.placement = placement
        self.modificationDate = modificationDate
        self.permissions = permissions
        self.resumption = resumption
        self.contentType = contentType
    }
}
