import FileProviderCore
import Foundation

/// What the kernel says of an item. Source: inode(7).
struct ItemStatus: Sendable {
    let type: FileType
    let size: Int64
    let modified: timespec
    let device: UInt
    let inode: UInt
    let links: UInt
    /// Permission bits, `0o7777` at most.
    let permissions: UInt32

    init(_ raw: stat) {
        switch raw.st_mode & S_IFMT {
        case S_IFREG: type = .regular
        case S_IFDIR: type = .directory
        case S_IFLNK: type = .symbolicLink
        default: type = .other
        }
        size = Int64(raw.st_size)
        modified = raw.st_mtim
        device = UInt(raw.st_dev)
        inode = UInt(raw.st_ino)
        links = UInt(raw.st_nlink)
        permissions = raw.st_mode & 0o7777
    }

    /// Of an open file. Source: fstat(2).
    init(of file: FileDescriptor, _ context: LocalContext) throws {
        var raw = stat()
        try context.check(fstat(file.raw, &raw))
        self.init(raw)
    }

    /// A validator that changes with the content: a file that was replaced has another inode, one that was changed another time.
    var tag: String { "\"\(inode)-\(size)-\(Int64(modified.tv_sec) * 1_000_000_000 + Int64(modified.tv_nsec))\"" }

    /// Whether both are the same item, under the same or another name.
    func isSameItem(as other: ItemStatus) -> Bool { inode == other.inode && device == other.device }

    /// What a listing shows.
    func object(at path: ProviderPath) -> FileObject {
        let isFile = type == .regular
        let date = Date(timeIntervalSince1970: Double(modified.tv_sec) + Double(modified.tv_nsec) / 1e9)
        var object = FileObject(
            path: path, type: type, size: isFile ? size : nil, modifiedDate: date, entryTag: isFile ? tag : nil)
        object.permissions = UInt16(permissions)
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
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = name.withName { readlinkat(folder.raw, $0, &target, target.count) }
        guard count >= 0 else { throw context.error() }
        return target.prefix(count).map { UInt8(bitPattern: $0) }
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

    /// A place beside this one whose name nobody has.
    func temporary() throws -> LocalPlace {
        LocalPlace(folder: folder, name: Array(try TemporaryName.make(beside: .root).nameBytes))
    }

    /// The folder in a form that fsync(2) accepts, where it may be read.
    var syncableFolder: FileDescriptor {
        let raw = openat(folder.raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        return raw >= 0 ? FileDescriptor(owning: raw) : folder
    }
}

/// The names in a folder, one after the other. Source: readdir(3).
final class FolderListing: @unchecked Sendable {
    // Unchecked: a listing is read by one side, one call after the other.
    private let stream: OpaquePointer
    private let folder: FileDescriptor
    private let context: LocalContext

    init(of folder: FileDescriptor, _ context: LocalContext) throws {
        let raw = try context.check(openat(folder.raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        guard let stream = fdopendir(raw) else {
            let code = errno
            close(raw)
            throw context.error(code)
        }
        self.stream = stream
        self.folder = folder
        self.context = context
    }

    deinit {
        closedir(stream)
    }

    /// The next name, without `.` and `..`; nil at the end.
    func next() throws -> [UInt8]? {
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw context.error() }
                return nil
            }
            // The entry may be shorter than its type, so its name is read in place. The offset of a stored field is never nil.
            let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let text = UnsafeRawPointer(entry).advanced(by: offset)
            let name = Array(UnsafeRawBufferPointer(start: text, count: strlen(text.assumingMemoryBound(to: CChar.self))))
            if name != [UInt8(ascii: ".")], name != Array("..".utf8) { return name }
        }
    }

    /// At most `limit` items; none at the end.
    func page(of path: ProviderPath, limit: Int, _ flag: CancellationFlag) throws -> [FileObject] {
        var items: [FileObject] = []
        while items.count < limit, let name = try next() {
            try flag.check()
            let place = LocalPlace(folder: folder, name: name)
            let here = context.below([name])
            do {
                guard let status = try place.status(here) else { continue }
                items.append(try place.object(at: here.path, status, here))
            } catch let error where error.isNoSuchFile {
                continue
            }
        }
        return items
    }
}
