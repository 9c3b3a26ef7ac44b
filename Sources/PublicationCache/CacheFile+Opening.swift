import FileProviderCore
import Foundation
import Publication

extension CacheFile {
    /// Opens the resource's file in `folder`; nil if there is none that can be read. Removes a damaged one.
    static func open(_ resource: NameDigest, in folder: CacheFolder) throws -> CacheFile? {
        guard let directory = try folder.open() else { return nil }
        let name = Array(resource.name.utf8)
        let raw = name.withName { openat(directory.raw, $0, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        // A symbolic link is not a file of the cache; a new file replaces it.
        if raw < 0, errno == ENOENT || errno == ELOOP { return nil }
        guard raw >= 0 else { throw posixError(writing: false) }
        let file = FileDescriptor(owning: raw)
        guard file.isOwnFile else { return nil }
        // An exclusive lock means that the file is about to be removed; a file without a name was removed before this
        // lock was taken.
        guard file.lock(LOCK_SH), let status = file.status, status.st_nlink > 0 else { return nil }
        var head = [UInt8](repeating: 0, count: Int(CacheHeader.size))
        guard try file.readAll(into: &head, at: 0), let header = CacheHeader(head), header.resource == resource.bytes
        else {
            CacheFolder.remove(name, in: directory)
            return nil
        }
        return CacheFile(file, header: header)
    }

    /// Creates a file for `version` of the resource, in place of one with another version.
    ///
    /// If two callers create a file for the same version at once, both get the first one's, provided that the version
    /// has a tag.
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
