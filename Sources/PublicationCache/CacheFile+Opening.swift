import FileProviderCore
import Foundation
import Publication

extension CacheFile {
    /// The file that `folder` has for the resource; nil where there is none, or none that can be read. A damaged one is
    /// removed.
    static func open(_ resource: NameDigest, in folder: CacheFolder) throws -> CacheFile? {
        guard let directory = try folder.open() else { return nil }
        let name = Array(resource.name.utf8)
        let raw = name.withName { openat(directory.raw, $0, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        // A symbolic link is no file of the cache, and is replaced by one.
        if raw < 0, errno == ENOENT || errno == ELOOP { return nil }
        guard raw >= 0 else { throw posixError(writing: false) }
        let file = FileDescriptor(owning: raw)
        guard file.isOwnFile else { return nil }
        // Whoever holds the lock alone is about to remove the file; one without a name was removed before the lock
        // came.
        guard file.lock(LOCK_SH), let status = file.status, status.st_nlink > 0 else { return nil }
        var head = [UInt8](repeating: 0, count: Int(CacheHeader.size))
        guard try file.readAll(into: &head, at: 0), let header = CacheHeader(head), header.resource == resource.bytes
        else {
            CacheFolder.remove(name, in: directory)
            return nil
        }
        return CacheFile(file, header: header)
    }

    /// A new file for `version` of the resource, in the place of one that holds another version.
    ///
    /// Of two that make a file for the same version at once, both get the first one's, if the version has a tag.
    ///
    /// - Throws: ``StorageFailure``.
    static func make(_ version: ResourceValidator, of resource: NameDigest, in folder: CacheFolder) throws -> CacheFile
    {
        do {
            let header = CacheHeader(version, of: resource.bytes)
            let (directory, file, temporary) = try folder.temporaryFile()
            do {
                let page = header.bytes + [UInt8](repeating: 0, count: Int(CacheHeader.size) - header.bytes.count)
                try page.withUnsafeBytes { try file.write($0, at: 0, path: .root) }
                let name = Array(resource.name.utf8)
                let move = FreeName(from: (directory, temporary), to: (directory, name), calls: .all)
                let code = move.take(isFolder: false)
                if code == 0 { return CacheFile(file, header: header) }
                if code == EEXIST, version.tag != nil, let other = try open(resource, in: folder),
                    other.header.holds(version)
                {
                    CacheFolder.remove(temporary, in: directory)
                    return other
                }
                guard code == EEXIST, CacheFolder.rename(temporary, to: name, in: directory) else {
                    throw posixError(writing: true)
                }
                return CacheFile(file, header: header)
            } catch {
                CacheFolder.remove(temporary, in: directory)
                throw error
            }
        } catch {
            throw StorageFailure(cause: error)
        }
    }
}
