public import Foundation

/// Setting permissions and times of what is there.
///
/// Local: chmod(2), utimensat(2). SFTP: `SETSTAT`. FTP: `SITE CHMOD`, and `MFMT` (draft-somers-ftp-mfxx).
public protocol FileProviderAttributes: FileProviderBasic {
    /// Sets what is not nil of the item at `path`; of a symbolic link, of the link itself.
    ///
    /// - Parameters:
    ///   - permissions: POSIX permission bits, `0o7777` at most.
    ///   - modificationDate: Kept as precisely as the storage can (``Capabilities/timePrecision``).
    /// - Throws: `CocoaError(.fileNoSuchFile)`; `CocoaError(.fileWriteNoPermission)`; `CocoaError(.featureUnsupported)`
    ///   for what the storage cannot set of this item. What comes first in the list may have been set then.
    func setAttributes(path: ProviderPath, permissions: UInt16?, modificationDate: Date?) async throws
}
