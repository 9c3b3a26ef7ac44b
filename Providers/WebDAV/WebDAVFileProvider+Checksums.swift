public import FileProviderCore
import Foundation

/// The hashes that Nextcloud and ownCloud keep of a file: those that its uploader sent. ownCloud compares them with the
/// bytes that arrive; Nextcloud doesn't (``Capabilities/computesHashes``). Source: ownCloud's developer manual,
/// “Checksums”.
extension WebDAVFileProvider: FileProviderChecksums {
    /// The kinds that servers keep, the most common first.
    static let hashKinds = ["sha1", "md5", "sha256", "adler32"]

    /// Returns the hash in the item's `oc:checksums`. A file that was uploaded without one, as from a browser, has none.
    ///
    /// - Throws: Also `CocoaError(.featureUnsupported)` for such a file, and on any server but Nextcloud and ownCloud.
    /// - Complexity: One `PROPFIND` of depth 0.
    public func checksum(of path: ProviderPath, kind: String) async throws -> String {
        let item = try await item(path, isWriting: false)
        if item.isDirectory { throw FileError.isADirectory(path, url: url(of: path)) }
        guard Self.hashKinds.contains(kind), let value = item[.checksums]?[kind], !value.isEmpty,
            value.allSatisfy(\.isHexDigit)
        else {
            throw FileError.make(
                .featureUnsupported, path: path, url: url(of: path),
                sentence: "The server keeps no \(kind) of “\(path)”.")
        }
        return value
    }
}
