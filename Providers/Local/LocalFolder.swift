import FileProviderCore
import Foundation

/// What the kernel says of an item. Source: inode(7).
struct ItemStatus: Sendable {
    let type: FileType
    /// Bytes, 0 or more.
    let size: Int64
    let modified: timespec
    let device: UInt
    let inode: UInt
    let links: UInt
    /// Permission bits, `0o7777` at most.
    let permissions: UInt32
    /// Whether the file takes less room than its length: it has holes, perhaps.
    let isSparse: Bool

    init(_ raw: stat) {
        switch raw.st_mode & S_IFMT {
        case S_IFREG: type = .regular
        case S_IFDIR: type = .directory
        case S_IFLNK: type = .symbolicLink
        default: type = .other
        }
        // A file system in user space may say anything.
        size = max(0, Int64(raw.st_size))
        modified = raw.st_mtim
        device = UInt(raw.st_dev)
        inode = UInt(raw.st_ino)
        links = UInt(raw.st_nlink)
        permissions = raw.st_mode & 0o7777
        isSparse = Int64(raw.st_blocks) < size / 512
    }

    /// Of an open file. Source: fstat(2).
    init(of file: FileDescriptor, _ context: LocalContext) throws {
        var raw = stat()
        try context.check(fstat(file.raw, &raw))
        self.init(raw)
    }

    /// A validator that changes with the content: a file that was replaced has another inode, one that was changed another time.
    var tag: String {
        // Wrapping: some file systems keep times that are further away than 64 bits of nanoseconds.
        "\"\(inode)-\(size)-\(Int64(modified.tv_sec) &* 1_000_000_000 &+ Int64(modified.tv_nsec))\""
    }

    /// Whether both are the same item, under the same or another name.
    func isSameItem(as other: ItemStatus) -> Bool { inode == other.inode && device == other.device }

    /// Whether nothing has changed the file's bytes between both looks, as far as size and time tell.
    func isSameVersion(as other: ItemStatus) -> Bool {
        inode == other.inode && size == other.size && modified.tv_sec == other.modified.tv_sec
            && modified.tv_nsec == other.modified.tv_nsec
    }

    /// What a listing shows.
    func object(at path: ProviderPath) -> FileObject {
        let isFile = type == .regular
        let date = Date(timeIntervalSince1970: Double(modified.tv_sec) + Double(modified.tv_nsec) / 1e9)
        var object = FileObject(
            path: path, type: type, size: isFile ? size : nil, modifiedDate: date, entryTag: isFile ? tag : nil)
        object.permissions = UInt16(permissions)
        object.identity = String(inode, radix: 36)
        return object
    }
}

/// A name in an open folder: an item, or where one is to be.
struct LocalPlace: Sendable {
    let folder: FileDescriptor
    let name: [UInt8]

    /// What is there, a symbolic link itself included; nil when nothing is. Source: fstatat(2).
    func status(_ context: LocalContext) throws -> ItemStatus? {
        var raw = stat()
        if name.withName({ fstatat(folder.raw, $0, &raw, AT_SYMLINK_NOFOLLOW) }) == 0 { return ItemStatus(raw) }
        if errno == ENOENT { return nil }
        throw context.error()
    }

    /// What a symbolic link points at; with an empty name, the link that `folder` itself is. Source: readlinkat(2).
    func linkTarget(_ context: LocalContext) throws -> [UInt8] {
        let capacity = Int(PATH_MAX)
        return try withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { buffer in
            let text = buffer.bindMemory(to: CChar.self)
            // Never nil: the buffer is not empty.
            let count = name.withName { readlinkat(folder.raw, $0, text.baseAddress.unsafelyUnwrapped, capacity) }
            guard count >= 0 else { throw context.error() }
            return Array(buffer.prefix(count))
        }
    }

    func object(at path: ProviderPath, _ status: ItemStatus, _ context: LocalContext) throws -> FileObject {
        var object = status.object(at: path)
        if status.type == .symbolicLink { object.linkTarget = try linkTarget(context) }
        return object
    }

    /// Opens what is there. Source: openat(2).
    func open(_ flags: Int32, mode: UInt32 = 0o666, _ context: LocalContext) throws -> FileDescriptor {
        FileDescriptor(owning: try context.check(name.withName { openat(folder.raw, $0, flags, mode) }))
    }

    /// Removes a file or a link; with `AT_REMOVEDIR`, an empty folder. Source: unlinkat(2).
    func unlink(_ context: LocalContext, flags: Int32 = 0) throws {
        try context.check(name.withName { unlinkat(folder.raw, $0, flags) })
    }

    /// Moves what is there over what is at `other`. Source: rename(2).
    ///
    /// - Returns: 0, or what errno says.
    func rename(to other: LocalPlace) -> Int32 {
        name.withName { old in other.name.withName { renameat(folder.raw, old, other.folder.raw, $0) == 0 ? 0 : errno } }
    }

    /// A place beside this one whose name nobody has.
    func temporary() throws -> LocalPlace {
        LocalPlace(folder: folder, name: Array(try TemporaryName.make(beside: .root).nameBytes))
    }

    /// The folder in a form that fsync(2) accepts, where it may be read.
    var syncableFolder: FileDescriptor {
        let raw = openat(folder.raw, ".", LocalFlags.names)
        return raw >= 0 ? FileDescriptor(owning: raw) : folder
    }
}
