public import Foundation

/// Setting permissions and times of existing items.
///
/// Local: chmod(2), utimensat(2). SFTP: `SETSTAT`. FTP: `SITE CHMOD`, and `MFMT` (draft-somers-ftp-mfxx).
public protocol FileProviderAttributes: FileProviderBasic {
    /// Sets the values that are not nil on the item at `path`; on a symbolic link, not on its target.
    ///
    /// - Parameters:
    ///   - permissions: POSIX permission bits, `0o7777` at most.
    ///   - modificationDate: Kept as precisely as the storage can (``Capabilities/timePrecision``).
    /// - Throws: `CocoaError(.fileNoSuchFile)`; `CocoaError(.fileWriteNoPermission)`; `CocoaError(.featureUnsupported)`
    ///   for a value that the storage cannot set on this item. Earlier parameters may have been set by then.
    func setAttributes(path: ProviderPath, permissions: UInt16?, modificationDate: Date?) async throws
}
