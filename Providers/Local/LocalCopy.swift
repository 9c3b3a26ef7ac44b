import CLinux
import FileProviderCore
import Foundation

/// Copies one item with all it holds, on this machine.
///
/// A folder is built under a temporary name beside its place and moved there when it is whole.
struct LocalCopy {
    let overwrite: Bool
    /// Whether each file is brought onto the disk: where the original is removed afterwards.
    let isDurable: Bool
    let source: LocalContext
    let target: LocalContext
    let flag: CancellationFlag
    var progress = ProgressReporter()

    /// Bytes that one call copies, so that cancelling is noticed soon.
    private static let piece = 8 << 20

    func run(from: LocalPlace, to: LocalPlace) throws {
        guard let item = try from.status(source) else { throw source.error(ENOENT) }
        try checkRoom(at: to)
        switch item.type {
        case .regular: try copyFile(from, to: to)
        case .symbolicLink: try build(to) { try copyLink(from, to: $0, item, source, target) }
        case .directory: try build(to) { try copyFolder(from, to: $0, item) }
        case .other: throw unsupported(source)
        }
    }

    /// Asks early what the last step will decide, before anything is copied for nothing.
    private func checkRoom(at place: LocalPlace) throws {
        guard let there = try place.status(target) else { return }
        if !overwrite { throw target.error(EEXIST) }
        guard there.type == .directory else { return }
        let folder = try place.open(LocalFlags.realFolder, target)
        if try FolderListing(of: folder, target).next() != nil { throw target.error(ENOTEMPTY) }
    }

    /// Lets `make` make something under a temporary name, and puts it into place.
    private func build(_ place: LocalPlace, _ make: (LocalPlace) throws -> Void) throws {
        let temporary = try place.temporary()
        do {
            try make(temporary)
            let move = LocalMove(from: temporary, to: place, overwrite: overwrite, source: target, target: target)
            // Both names lie in one folder, so on one file system.
            _ = try move.run()
        } catch {
            let removal = LocalRemoval(flag: CancellationFlag(), context: target, progress: ProgressReporter())
            try? removal.run(temporary, recursive: true)
            throw error
        }
    }

    // MARK: Files and links

    private func copyFile(_ from: LocalPlace, to: LocalPlace) throws {
        let file = try from.open(LocalFlags.read, source)
        let before = try status(ofFile: file, source)
        progress.expect(before.size)
        let staged = try StagedFile(in: to.syncableFolder, target: target.path, permissions: 0o600)
        // What is not committed, the staged file removes when it goes.
        try copyBytes(file, before, to: staged.file, source, target)
        try flag.check()
        try staged.commit(overwrite: overwrite)
    }

    private func status(ofFile file: FileDescriptor, _ context: LocalContext) throws -> ItemStatus {
        let status = try ItemStatus(of: file, context)
        guard status.type == .regular else { throw context.special }
        return status
    }

    /// Copies content, permissions and modification time, and sees that the original did not change meanwhile.
    private func copyBytes(
        _ file: FileDescriptor, _ before: ItemStatus, to copy: FileDescriptor, _ source: LocalContext, _ target: LocalContext
    ) throws {
        var copied: Int64 = 0
        while true {
            try flag.check()
            let count = carrel_copy_file_range(file.raw, copy.raw, Self.piece)
            if count > 0 {
                copied += Int64(count)
                progress.advance(by: Int64(count))
                continue
            }
            // Some pairs of file systems cannot, and files that the kernel makes up seem to be empty.
            let cannot = count < 0 && [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EPERM, EBADF].contains(errno)
            guard cannot || count == 0 else { throw target.error() }
            if cannot || copied == 0 { try pump(file, from: copied, to: copy, source, target) }
            break
        }
        guard try ItemStatus(of: file, source).tag == before.tag else { throw source.changed }
        // Not the set-user and set-group bits: the copy belongs to somebody else perhaps.
        try target.check(fchmod(copy.raw, before.permissions & 0o1777))
        try target.check(setTime(of: copy, to: before.modified))
    }

    private func pump(
        _ file: FileDescriptor, from start: Int64, to copy: FileDescriptor, _ source: LocalContext, _ target: LocalContext
    ) throws {
        let buffer = TransferBuffer(count: LocalReader.piece)
        var offset = start
        while true {
            try flag.check()
            let count = try file.read(into: buffer.bytes, at: offset, path: source.path)
            if count == 0 { return }
            try copy.write(UnsafeRawBufferPointer(buffer.first(count)), path: target.path)
            offset += Int64(count)
            progress.advance(by: Int64(count))
        }
    }

    private func copyLink(
        _ from: LocalPlace, to: LocalPlace, _ item: ItemStatus, _ source: LocalContext, _ target: LocalContext
    ) throws {
        let text = try from.linkTarget(source)
        try target.check(text.withName { text in to.name.withName { symlinkat(text, to.folder.raw, $0) } })
        // Not every file system keeps a link's own time.
        _ = to.name.withName { name in
            [item.modified, item.modified].withUnsafeBufferPointer { utimensat(to.folder.raw, name, $0.baseAddress, AT_SYMLINK_NOFOLLOW) }
        }
    }

    // MARK: Folders

    private func copyFolder(_ from: LocalPlace, to: LocalPlace, _ item: ItemStatus) throws {
        let folder = try from.open(LocalFlags.realFolder, source)
        let copy = try makeFolder(to, target)
        let own = try ItemStatus(of: copy, target)
        var walk = Walk(from: FolderCursor(top: folder), to: FolderCursor(top: copy), own: own, statuses: [item])
        var next = 0
        while next < walk.tree.count {
            try copyContent(of: next, &walk)
            next += 1
        }
        for number in walk.statuses.indices.reversed() {
            try flag.check()
            let here = target.below(walk.tree.names(of: number))
            try finish(walk.to.open(number, of: walk.tree, here), like: walk.statuses[number], here)
        }
    }

    /// How far the copy of a tree is.
    private struct Walk {
        var tree = FolderTree()
        var from: FolderCursor
        var to: FolderCursor
        /// The copy's top folder.
        let own: ItemStatus
        /// Of each folder of the tree.
        var statuses: [ItemStatus]
    }

    private func makeFolder(_ place: LocalPlace, _ context: LocalContext) throws -> FileDescriptor {
        try context.check(place.name.withName { mkdirat(place.folder.raw, $0, 0o700) })
        return try place.open(LocalFlags.realFolder, context)
    }

    private func copyContent(of number: Int, _ walk: inout Walk) throws {
        let names = walk.tree.names(of: number)
        let from = source.below(names)
        let to = target.below(names)
        let folder = try walk.from.open(number, of: walk.tree, from)
        let copyFolder = try walk.to.open(number, of: walk.tree, to)
        let listing = try FolderListing(of: folder, from)
        while let name = try listing.next() {
            try flag.check()
            let original = LocalPlace(folder: folder, name: name)
            let place = LocalPlace(folder: copyFolder, name: name)
            let (from, to) = (from.below([name]), to.below([name]))
            guard let status = try original.status(from) else { continue }
            switch status.type {
            case .regular: try copyInside(original, to: place, from, to)
            case .symbolicLink: try copyLink(original, to: place, status, from, to)
            case .other: throw unsupported(from)
            case .directory:
                // Links may have led the copy into its own original.
                if status.isSameItem(as: walk.own) { throw target.intoItself }
                try to.check(name.withName { mkdirat(copyFolder.raw, $0, 0o700) })
                walk.tree.add(name, in: number)
                walk.statuses.append(status)
            }
        }
    }

    /// A file of a tree that nobody sees yet needs no temporary name of its own.
    private func copyInside(_ original: LocalPlace, to place: LocalPlace, _ from: LocalContext, _ to: LocalContext) throws {
        let file = try original.open(LocalFlags.read, from)
        let before = try status(ofFile: file, from)
        progress.expectMore(before.size)
        let copy = try place.open(LocalFlags.write | O_CREAT | O_EXCL, mode: 0o600, to)
        try copyBytes(file, before, to: copy, from, to)
        if isDurable { try to.check(fsync(copy.raw)) }
    }

    /// Gives a folder its permissions and time; after what it holds, which needs the one and changes the other.
    private func finish(_ folder: FileDescriptor, like original: ItemStatus, _ context: LocalContext) throws {
        let open = FileDescriptor(owning: try context.check(openat(folder.raw, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)))
        try context.check(fchmod(open.raw, original.permissions & 0o1777))
        try context.check(setTime(of: open, to: original.modified))
        if isDurable { try context.check(fsync(open.raw)) }
    }

    private func unsupported(_ context: LocalContext) -> CocoaError {
        FileError.unsupported("Copying a device, a pipe or the like", path: context.path, url: context.url)
    }
}
