import Archives
import FileProviderCore
import Foundation

/// The folder of one publication in a cache. Every call blocks on the disk.
struct CacheFolder: Sendable {
    /// Marks a publication that is kept until it is unpinned.
    static let pin = Array("pinned".utf8)
    /// Holds the list of links.
    static let links = Array("links".utf8)

    /// The absolute path of the folder.
    let path: String
    /// The path of the folder of all publications; nil for that folder itself.
    var root: String?

    /// Opens the folder; nil if it does not exist.
    ///
    /// - Throws: The errors of open(2) as `CocoaError`; `.fileReadNoPermission` for a folder that others may write to.
    func open() throws -> FileDescriptor? {
        // A user who may write to the folder above could replace this one.
        if let root, try CacheFolder(path: root).open() == nil { return nil }
        do {
            let folder = try FileDescriptor(path: path, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            guard folder.isOwnFolder else {
                let sentence =
                    "A folder of the cache belongs to another user, or other users may write to it; correct its owner or mode."
                throw FileError.make(.fileReadNoPermission, path: "", sentence: sentence)
            }
            return folder
        } catch let error where error.isNoSuchFile {
            return nil
        }
    }

    /// Opens the folder; creates it and those above it if they are missing, accessible only to this user.
    func make() throws -> FileDescriptor {
        for _ in 0..<100 {
            if let folder = try open() { return folder }
            // Others may remove an empty folder at any time.
            try Self.makeFolder(path)
        }
        throw FileError.make(.fileNoSuchFile, path: path)
    }

    private static func makeFolder(_ path: String) throws {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        let parent = URL(filePath: path).deletingLastPathComponent().path
        guard errno == ENOENT, parent.utf8.count < path.utf8.count else { throw posixError(writing: true) }
        try makeFolder(parent)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw posixError(writing: true) }
    }

    /// Returns the bytes of the small file `name`; nil if it is missing, damaged or longer than `limit`.
    func read(_ name: [UInt8], limit: Int) throws -> Data? {
        guard let folder = try open() else { return nil }
        let raw = name.withName { openat(folder.raw, $0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        guard raw >= 0 else { return nil }
        let file = FileDescriptor(owning: raw)
        guard file.isOwnFile, let status = file.status, status.st_size >= 4, status.st_size <= off_t(limit) + 4 else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        guard try file.readAll(into: &bytes, at: 0) else { return nil }
        let content = bytes.dropLast(4)
        let sum = bytes.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return CRC32.of(content) == sum ? Data(content) : nil
    }

    /// Writes a small file atomically, followed by its CRC-32.
    func write(_ content: Data, to name: [UInt8]) throws {
        let sum = CRC32.of(content)
        let bytes = Array(content) + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * UInt32($0))) }
        let (folder, file, temporary) = try temporaryFile()
        do {
            try bytes.withUnsafeBytes { try file.write($0, at: 0, path: .root) }
            // The lock has to last until the name is another one.
            guard withExtendedLifetime(file, { Self.rename(temporary, to: name, in: folder) }) else {
                throw posixError(writing: true)
            }
        } catch {
            Self.remove(temporary, in: folder)
            throw error
        }
    }

    /// Removes the file `name`, if it exists.
    func remove(_ name: [UInt8]) throws {
        guard let folder = try open() else { return }
        if Self.remove(name, in: folder) || errno == ENOENT { return }
        throw posixError(writing: true)
    }

    /// Returns whether a file `name` exists.
    func has(_ name: [UInt8]) throws -> Bool {
        guard let folder = try open() else { return false }
        return name.withName { faccessat(folder.raw, $0, F_OK, 0) } == 0
    }

    /// Creates a file that only this user can access. A later run recognises it by its name as abandoned if its lock,
    /// which ends with its creator, is gone.
    ///
    /// - Returns: The file with its folder, which is created if it is missing.
    func temporaryFile() throws -> (folder: FileDescriptor, file: FileDescriptor, name: [UInt8]) {
        while true {
            let folder = try make()
            do {
                // Without one, a cleaner was faster; the next name is another one.
                guard let (file, name) = try Self.temporaryFile(in: folder) else { continue }
                return (folder, file, name)
            } catch {
                // The folder was empty, and was removed between the two calls.
                guard folder.status?.st_nlink == 0 else { throw error }
            }
        }
    }

    /// Nil when a cleaner removed the file, or is about to, between its making and its lock.
    private static func temporaryFile(in folder: FileDescriptor) throws -> (file: FileDescriptor, name: [UInt8])? {
        let name = Array(try TemporaryName.make(beside: .root).nameBytes)
        let raw = name.withName { openat(folder.raw, $0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard raw >= 0 else { throw posixError(writing: true) }
        let file = FileDescriptor(owning: raw)
        guard file.lock(LOCK_SH), let status = file.status, status.st_nlink > 0 else { return nil }
        return (file, name)
    }

    static func rename(_ name: [UInt8], to target: [UInt8], in folder: FileDescriptor) -> Bool {
        name.withName { name in target.withName { renameat(folder.raw, name, folder.raw, $0) == 0 } }
    }

    @discardableResult
    static func remove(_ name: [UInt8], in folder: FileDescriptor) -> Bool {
        name.withName { unlinkat(folder.raw, $0, 0) } == 0
    }
}

/// Returns the error for errno. It names no file, because the file names mean nothing to a user.
func posixError(writing: Bool) -> CocoaError {
    let code = errno
    let sentence = "The cache's storage failed: \(String(cString: strerror(code)))."
    let kind: CocoaError.Code =
        [ENOSPC, EDQUOT].contains(code) ? .fileWriteOutOfSpace : writing ? .fileWriteUnknown : .fileReadUnknown
    return FileError.make(
        kind, path: "", sentence: sentence, underlying: POSIXErrorCode(rawValue: code).map { POSIXError($0) })
}

extension FileDescriptor {
    /// The result of fstat(2); nil if it fails.
    var status: stat? {
        var status = stat()
        return fstat(raw, &status) == 0 ? status : nil
    }

    /// Whether it is a regular file of this user: other users' files are not trusted, and special files may block.
    var isOwnFile: Bool { status.map { $0.st_mode & S_IFMT == S_IFREG && $0.st_uid == geteuid() } ?? false }

    /// Whether it belongs to this user, and no other user may write to it.
    var isOwnFolder: Bool { status.map { $0.st_uid == geteuid() && $0.st_mode & 0o022 == 0 } ?? false }

    /// Takes an advisory lock without waiting. It is released when the file is closed or the process ends. Source:
    /// flock(2).
    func lock(_ kind: Int32) -> Bool { flock(raw, kind | LOCK_NB) == 0 }

    /// Fills `bytes` from `offset` on; false if the file ends before.
    func readAll(into bytes: inout [UInt8], at offset: Int64) throws -> Bool {
        try bytes.withUnsafeMutableBytes { try readAll(into: $0, at: offset) }
    }

    /// Fills `buffer` from `offset` on; false if the file ends before.
    func readAll(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Bool {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try read(into: rest, at: offset + Int64(done), path: .root)
            if count == 0 { return false }
            done += count
        }
        return true
    }
}

extension CRC32 {
    /// Returns the checksum of bytes in memory.
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var sum = CRC32()
        sum.update(bytes)
        return sum.value
    }

    /// Returns the checksum of bytes in memory.
    static func of(_ bytes: some Sequence<UInt8>) -> UInt32 { Array(bytes).withUnsafeBytes { of($0) } }
}
