import FileProviderCore
import Foundation

/// A pass over all files of a cache that removes leftovers and evicts files. Blocks on the disk.
struct CacheSurvey {
    private struct Found {
        /// The folder's name; open descriptors of all publications would exceed the limit of a process.
        let folder: [UInt8]
        let name: [UInt8]
        let bytes: Int64
        let accessed: timespec
    }

    /// The total size of the files in bytes.
    private(set) var used: Int64 = 0
    private var removable: [Found] = []
    /// The folders that are empty, or from which something was removed.
    private var emptied: Set<[UInt8]> = []

    /// Examines the cache at `root`. If its files exceed `capacity` bytes, removes the least recently read until an
    /// eighth of `capacity` is free.
    ///
    /// - Complexity: One fstatat(2) for each file.
    static func of(_ root: String, capacity: Int64) throws -> CacheSurvey {
        var survey = CacheSurvey()
        guard let folder = try CacheFolder(path: root).open() else { return survey }
        for name in try names(in: folder) {
            if let publication = open(name, in: folder) { try survey.look(at: publication, called: name) }
        }
        if survey.used > capacity { survey.shrink(to: capacity - capacity / 8, in: folder) }
        for name in survey.emptied { removeIfEmpty(root + "/" + String(decoding: name, as: UTF8.self)) }
        return survey
    }

    /// Opens the folder of a publication; nil if it does not belong to this user.
    private static func open(_ name: [UInt8], in root: FileDescriptor) -> FileDescriptor? {
        let raw = name.withName { openat(root.raw, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
        guard raw >= 0 else { return nil }
        let folder = FileDescriptor(owning: raw)
        return folder.isOwnFolder ? folder : nil
    }

    private mutating func look(at folder: FileDescriptor, called folderName: [UInt8]) throws {
        let names = try Self.names(in: folder)
        let isPinned = names.contains(CacheFolder.pin)
        if names.isEmpty { emptied.insert(folderName) }
        for name in names {
            if TemporaryName.matches(String(decoding: name, as: UTF8.self)), Self.removeUnused(name, in: folder) {
                emptied.insert(folderName)
                continue
            }
            var status = stat()
            guard name.withName({ fstatat(folder.raw, $0, &status, AT_SYMLINK_NOFOLLOW) }) == 0 else { continue }
            let bytes = Int64(status.st_blocks) * 512
            used += bytes
            if !isPinned {
                removable.append(Found(folder: folderName, name: name, bytes: bytes, accessed: status.st_mtim))
            }
        }
    }

    private mutating func shrink(to goal: Int64, in root: FileDescriptor) {
        removable.sort { ($0.accessed.tv_sec, $0.accessed.tv_nsec) < ($1.accessed.tv_sec, $1.accessed.tv_nsec) }
        for file in removable {
            if used <= goal { return }
            guard let folder = Self.open(file.folder, in: root), Self.removeUnused(file.name, in: folder) else {
                continue
            }
            used -= file.bytes
            emptied.insert(file.folder)
        }
    }

    /// Removes a file that is not open in any process: open files have a shared lock.
    private static func removeUnused(_ name: [UInt8], in folder: FileDescriptor) -> Bool {
        let raw = name.withName { openat(folder.raw, $0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        guard raw >= 0 else { return false }
        let file = FileDescriptor(owning: raw)
        return file.lock(LOCK_EX) && CacheFolder.remove(name, in: folder)
    }

    /// Removes a folder and its files, in use or not.
    static func remove(_ path: String) throws {
        let location = CacheFolder(path: path)
        guard let folder = try location.open() else { return }
        for name in try names(in: folder) where !CacheFolder.remove(name, in: folder) && errno != ENOENT {
            throw posixError(writing: true)
        }
        // Not empty: another fetcher has added a file since.
        guard rmdir(path) == 0 || [ENOENT, ENOTEMPTY, EEXIST].contains(errno) else { throw posixError(writing: true) }
    }

    /// Removes the folder of a publication without resources; a list of links alone is useless.
    static func removeIfEmpty(_ path: String) {
        guard let folder = try? CacheFolder(path: path).open(), let names = try? names(in: folder) else { return }
        for name in names { guard name == CacheFolder.links, removeUnused(name, in: folder) else { return } }
        // Fails if another fetcher has added a file since.
        rmdir(path)
    }

    /// Returns the names in a folder except `.` and `..`. Source: readdir(3).
    private static func names(in folder: FileDescriptor) throws -> [[UInt8]] {
        // A separate descriptor: closedir(3) closes it, and duplicates would share the read position.
        let raw = openat(folder.raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard raw >= 0 else { throw posixError(writing: false) }
        guard let stream = fdopendir(raw) else {
            close(raw)
            throw posixError(writing: false)
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != [UInt8(ascii: ".")], name != [UInt8(ascii: "."), UInt8(ascii: ".")] { names.append(name) }
        }
        return names
    }
}
