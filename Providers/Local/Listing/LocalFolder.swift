import CLinux
import FileProviderCore
import Foundation

/// The status of an item in the kernel. Source: inode(7).
struct ItemStatus: Sendable {
    let type: FileType
    /// Bytes, 0 or more.
    let size: Int64
    let modified: timespec
    /// When the inode was created; nil if the file system does not keep that.
    let born: timespec?
    let device: UInt
    let inode: UInt
    /// Whether the inode's number stays with the item.
    let keepsInode: Bool
    let links: UInt
    /// The user who owns it.
    let owner: UInt32
    /// Permission bits, `0o7777` at most.
    let permissions: UInt32
    /// Whether the file takes less room than its length, perhaps because it has holes.
    let isSparse: Bool

    private init(_ raw: carrel_statx, keepsInode: Bool) {
        switch UInt32(raw.mode) & S_IFMT {
        case S_IFREG: type = .regular
        case S_IFDIR: type = .directory
        case S_IFLNK: type = .symbolicLink
        default: type = .other
        }
        // A file system in user space may report anything.
        size = Int64(clamping: raw.size)
        modified = timespec(raw.modified)
        born = raw.mask & carrel_STATX_BTIME == 0 ? nil : timespec(raw.born)
        device = UInt(raw.device_major) << 32 | UInt(raw.device_minor)
        inode = UInt(raw.inode)
        self.keepsInode = keepsInode
        links = UInt(raw.links)
        owner = UInt32(raw.owner)
        permissions = UInt32(raw.mode) & 0o7777
        isSparse = raw.blocks < UInt64(size) / 512
    }

    /// Reads the status of an item in an open folder, of a symbolic link itself; nil with errno set. Source: statx(2).
    ///
    /// - Parameter keepsInodes: ``FileDescriptor/keepsInodes`` of the folder.
    init?(of name: UnsafePointer<CChar>, in folder: FileDescriptor, keepsInodes: Bool) {
        var raw = carrel_statx()
        guard carrel_status(folder.raw, name, AT_SYMLINK_NOFOLLOW, &raw) == 0 else { return nil }
        self.init(raw, keepsInode: keepsInodes)
    }

    /// Reads the status of an open file. Source: statx(2).
    init(of file: FileDescriptor, _ context: LocalContext) throws {
        var raw = carrel_statx()
        try context.check(carrel_status(file.raw, "", carrel_AT_EMPTY_PATH, &raw))
        self.init(raw, keepsInode: file.keepsInodes)
    }

    /// A validator that changes with the content: a replaced file has another inode, a changed one another time.
    var tag: String { "\"\(keepsInode ? "\(inode)-" : "")\(size)-\(modified.nanoseconds)\"" }

    /// The inode, and the time of its creation, because its number is reused.
    private var identity: String? {
        guard keepsInode else { return nil }
        return String(inode, radix: 36) + (born.map { ".\(String($0.nanoseconds, radix: 36))" } ?? "")
    }

    /// Whether both are the same item, under the same or another name.
    func isSameItem(as other: ItemStatus) -> Bool { inode == other.inode && device == other.device }

    /// Whether the file's bytes are unchanged between both looks, judging by size and time.
    func isSameVersion(as other: ItemStatus) -> Bool {
        inode == other.inode && size == other.size && modified.tv_sec == other.modified.tv_sec
            && modified.tv_nsec == other.modified.tv_nsec
    }

    /// Returns the item as a listing shows it.
    func object(at path: ProviderPath) -> FileObject {
        let isFile = type == .regular
        var object = FileObject(
            path: path, type: type, size: isFile ? size : nil, modifiedDate: modified.date, entryTag: isFile ? tag : nil
        )
        object.creationDate = born?.date
        object.permissions = UInt16(permissions)
        object.identity = identity
        return object
    }
}

extension timespec {
    fileprivate init(_ time: carrel_statx_time) { self.init(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds)) }

    /// Since 1970. Wraps: some file systems keep times beyond 64 bits of nanoseconds.
    var nanoseconds: Int64 { Int64(tv_sec) &* 1_000_000_000 &+ Int64(tv_nsec) }

    fileprivate var date: Date { Date(timeIntervalSince1970: Double(tv_sec) + Double(tv_nsec) / 1e9) }
}

extension FileDescriptor {
    /// Whether inode numbers in the file system of this open file stay with their items.
    var keepsInodes: Bool { carrel_keeps_inodes(raw) }
}

/// A name in an open folder, of an existing item or of one to be created.
struct LocalEntry: Sendable {
    let folder: FileDescriptor
    let name: [UInt8]

    /// Returns the status of the item, of a symbolic link itself; nil if there is none.
    func status(_ context: LocalContext) throws -> ItemStatus? {
        let status = name.withName { ItemStatus(of: $0, in: folder, keepsInodes: folder.keepsInodes) }
        if let status { return status }
        if errno == ENOENT { return nil }
        throw context.error()
    }

    /// Returns the target of a symbolic link; with an empty name, of the link that `folder` itself is. Source:
    /// readlinkat(2).
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

    /// Opens the item. Source: openat(2).
    func open(_ flags: Int32, mode: UInt32 = 0o666, _ context: LocalContext) throws -> FileDescriptor {
        FileDescriptor(owning: try context.check(name.withName { openat(folder.raw, $0, flags, mode) }))
    }

    /// Removes a file or a link; with `AT_REMOVEDIR`, an empty folder. Source: unlinkat(2).
    func unlink(_ context: LocalContext, flags: Int32 = 0) throws {
        try context.check(name.withName { unlinkat(folder.raw, $0, flags) })
    }

    /// Moves the item to `other`, replacing an item there. Source: rename(2).
    ///
    /// - Returns: 0, or errno.
    func rename(to other: LocalEntry) -> Int32 {
        name.withName { old in other.name.withName { renameat(folder.raw, old, other.folder.raw, $0) == 0 ? 0 : errno }
        }
    }

    /// Returns an entry beside this one with an unused name.
    func temporary() throws -> LocalEntry {
        LocalEntry(folder: folder, name: Array(try TemporaryName.make(beside: .root).nameBytes))
    }

    /// As ``temporary()``, for a user's item that is out of its place for a moment: no sweep removes it.
    func aside() throws -> LocalEntry {
        LocalEntry(folder: folder, name: Array(try TemporaryName.makeAside(beside: .root).nameBytes))
    }

    /// Moves the item back to its old name or, if that is taken by now, to one of `namesForChanged`.
    func comeBack(to entry: LocalEntry, calls: KernelCalls, isFolder: Bool) {
        for name in [entry.name] + entry.namesForChanged {
            let code = FreeName(from: (folder, self.name), to: (entry.folder, name), calls: calls).take(
                isFolder: isFolder)
            if code != EEXIST { return }
        }
    }

    /// Other names for an item that was changed while it was moved away, if its own is taken: `a (changed).txt`,
    /// `a (changed 2).txt`.
    var namesForChanged: [[UInt8]] {
        let dot = name.dropFirst().lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
        return (1...9).map { number in
            let mark = number == 1 ? " (changed)" : " (changed \(number))"
            var name = name
            name.insert(contentsOf: mark.utf8, at: dot)
            return name
        }
    }

    /// Returns the folder as `calls` need it.
    func folder(for calls: KernelCalls) -> FileDescriptor { calls.contains(.fsync) ? syncableFolder : folder }

    /// The folder in a form that fsync(2) accepts, if it may be read.
    var syncableFolder: FileDescriptor {
        let raw = openat(folder.raw, ".", LocalFlags.names)
        return raw >= 0 ? FileDescriptor(owning: raw) : folder
    }
}
