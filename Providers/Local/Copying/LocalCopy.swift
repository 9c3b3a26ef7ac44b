import CLinux
import FileProviderCore
import Foundation

/// Copies one item, a folder with everything in it, on this machine.
///
/// A folder is built under a temporary name beside its place, and moved there once it is whole and on the disk.
struct LocalCopy {
    let overwrite: Bool
    /// Collects the copied items if the original is removed afterwards. Each file is then synced to the disk, and
    /// nothing of it may be lost.
    let copied: CopiedItems?
    let source: LocalContext
    let target: LocalContext
    let flag: CancellationFlag
    var progress = ProgressReporter()
    var calls = KernelCalls.all

    private var isMove: Bool { copied != nil }

    func run(from: LocalEntry, to: LocalEntry) throws {
        guard let item = try from.status(source) else { throw source.error(ENOENT) }
        // For a short file, the last step itself finds out as soon.
        if item.type != .regular || item.size > ContentCopy.small || overwrite { try checkRoom(at: to) }
        switch item.type {
        case .regular: try copyFile(from, to: to)
        case .symbolicLink: try build(to) { try copyLink(from, to: $0, item, source, target) }
        case .directory: try build(to) { try copyFolder(from, to: $0, item: item) }
        case .other: throw unsupported(source)
        }
    }

    /// Checks early what the last step will decide, so that no bytes are copied in vain.
    private func checkRoom(at entry: LocalEntry) throws {
        guard let there = try entry.status(target) else { return }
        if !overwrite { throw target.error(EEXIST) }
        guard there.type == .directory else { return }
        let folder = try entry.open(LocalFlags.realFolder, target)
        if try FolderListing(of: folder, context: target).nextEntry() != nil { throw target.error(ENOTEMPTY) }
    }

    /// Calls `make` to create an item under a temporary name, and moves it into place.
    private func build(_ entry: LocalEntry, _ make: (LocalEntry) throws -> Void) throws {
        let temporary = try entry.temporary()
        do {
            try make(temporary)
            let move = LocalMove(
                from: temporary, to: entry, overwrite: overwrite, source: target, target: target, calls: calls)
            // Both names are in one folder, so on one file system.
            _ = try move.run()
        } catch {
            let removal = LocalRemoval(flag: CancellationFlag(), context: target, progress: ProgressReporter())
            try? removal.run(temporary, recursive: true)
            throw error
        }
    }

    // MARK: Files and links

    private func copyFile(_ from: LocalEntry, to: LocalEntry) throws {
        let (file, before) = try open(from, source)
        progress.expect(before.size)
        // A move removes the original afterwards.
        let calls = isMove ? calls.union(.fsync) : calls
        let staged = try StagedFile(in: to.folder(for: calls), target: target.path, permissions: 0o600, calls: calls)
        do {
            try content(source, target).copy(file, before, to: staged.file)
            copied?.insert(before)
            try flag.check()
            try staged.commit(overwrite: overwrite)
        } catch {
            staged.discard()
            Self.close(staged)
            throw error
        }
    }

    /// Closes a file without a name on another thread: close(2) waits until the disk is done with its last pages.
    private static func close(_ staged: StagedFile) {
        let last = LockedValue<StagedFile?>(staged)
        // `run` throws what its body throws: nothing.
        Task { try? await BlockingThreads.shared.run { last.update { $0 = nil } } }
    }

    private func open(_ entry: LocalEntry, _ context: LocalContext) throws -> (FileDescriptor, ItemStatus) {
        let file = try entry.open(LocalFlags.read, context.reading)
        let status = try ItemStatus(of: file, context)
        guard status.type == .regular else { throw context.special }
        return (file, status)
    }

    private func content(_ source: LocalContext, _ target: LocalContext) -> ContentCopy {
        ContentCopy(source: source, target: target, isMove: isMove, calls: calls, flag: flag, progress: progress)
    }

    private func copyLink(
        _ from: LocalEntry, to: LocalEntry, _ item: ItemStatus, _ source: LocalContext, _ target: LocalContext
    ) throws {
        let text = try from.linkTarget(source)
        try target.check(text.withName { text in to.name.withName { symlinkat(text, to.folder.raw, $0) } })
        // Not every file system keeps a link's own time.
        _ = to.name.withName { name in
            [item.modified, item.modified].withUnsafeBufferPointer {
                utimensat(to.folder.raw, name, $0.baseAddress, AT_SYMLINK_NOFOLLOW)
            }
        }
        copied?.insert(item)
    }

    private func unsupported(_ context: LocalContext) -> CocoaError {
        FileError.unsupported(
            "copy a device, a pipe or the like", by: LocalFileProvider.type, path: context.path, url: context.url)
    }

    // MARK: Folders

    /// The progress of the copy of a tree: a cursor in the original and one in the copy, at the same names.
    private struct Walk {
        var from: FolderCursor
        var to: FolderCursor
        /// The copy's top folder.
        let own: ItemStatus
        /// From the top down.
        var levels: [Level]
        /// Files and folders copied so far.
        var items = 0
    }

    /// The most files and folders of a tree to sync one by one; for more of them, one call syncs the file system. That
    /// costs less, but also waits for the data of other writers.
    private static let maxSynced = 64

    /// A folder that is being copied.
    private struct Level {
        let status: ItemStatus
        /// The folders in it that are still to be entered.
        var folders: [(name: [UInt8], status: ItemStatus)] = []
    }

    private func copyFolder(_ from: LocalEntry, to: LocalEntry, item: ItemStatus) throws {
        let folder = try from.open(LocalFlags.realFolder, source)
        try makeFolder(to, target)
        let copy = try to.open(LocalFlags.realFolder, target)
        var walk = Walk(
            from: FolderCursor(top: folder, context: source), to: FolderCursor(top: copy, context: target),
            own: try ItemStatus(of: copy, target),
            levels: [Level(status: item)])
        try copyContent(&walk)
        while let level = walk.levels.last {
            try flag.check()
            if let next = walk.levels[walk.levels.count - 1].folders.popLast() {
                try enter(next.name, next.status, &walk)
            } else {
                let isSynced = isMove || walk.items <= Self.maxSynced
                try finish(
                    walk.to.folder(), walk.from.folder(), like: level.status, isSynced, walk.to.context,
                    walk.from.context)
                walk.levels.removeLast()
                walk.from.leave()
                walk.to.leave()
            }
        }
        if !isMove, walk.items > Self.maxSynced {
            let open = FileDescriptor(owning: try target.check(openat(copy.raw, ".", LocalFlags.names)))
            try open.syncFileSystem(path: target.path)
        }
    }

    private func makeFolder(_ entry: LocalEntry, _ context: LocalContext) throws {
        try context.check(entry.name.withName { mkdirat(entry.folder.raw, $0, 0o700) })
    }

    private func enter(_ name: [UInt8], _ status: ItemStatus, _ walk: inout Walk) throws {
        try makeFolder(LocalEntry(folder: walk.to.folder(), name: name), walk.to.context.below(name))
        try walk.from.enter(name)
        try walk.to.enter(name)
        walk.levels.append(Level(status: status))
        walk.items += 1
        try copyContent(&walk)
    }

    /// Copies the items that are not folders, and collects the folders.
    private func copyContent(_ walk: inout Walk) throws {
        let (source, target) = (walk.from.context, walk.to.context)
        let folder = try walk.from.folder()
        let copy = try walk.to.folder()
        let listing = try FolderListing(of: folder, context: source)
        while let name = try listing.next() {
            try flag.check()
            let original = LocalEntry(folder: folder, name: name)
            let entry = LocalEntry(folder: copy, name: name)
            let (from, to) = (source.below(name), target.below(name))
            guard let status = try original.status(from) else { continue }
            switch status.type {
            case .regular:
                walk.items += 1
                try copyInside(original, to: entry, isSynced: isMove || walk.items <= Self.maxSynced, from, to)
            case .symbolicLink: try copyLink(original, to: entry, status, from, to)
            case .other: throw unsupported(from)
            case .directory:
                // Links may have led the copy into its own original.
                if status.isSameItem(as: walk.own) { throw self.target.intoItself }
                walk.levels[walk.levels.count - 1].folders.append((name, status))
            }
        }
    }

    /// A file in a tree that is not visible yet needs no temporary name.
    private func copyInside(
        _ original: LocalEntry, to entry: LocalEntry, isSynced: Bool, _ from: LocalContext, _ to: LocalContext
    ) throws {
        let (file, before) = try open(original, from)
        progress.expectMore(before.size)
        let copy = try entry.open(LocalFlags.write | O_CREAT | O_EXCL, mode: 0o600, to)
        try content(from, to).copy(file, before, to: copy)
        copied?.insert(before)
        if isSynced { try to.check(fsync(copy.raw)) }
    }

    /// Gives a folder its attributes; last, because its content needs some of them and changes others.
    private func finish(
        _ folder: FileDescriptor, _ original: FileDescriptor, like status: ItemStatus, _ isSynced: Bool,
        _ target: LocalContext,
        _ source: LocalContext
    ) throws {
        let open = FileDescriptor(owning: try target.check(openat(folder.raw, ".", LocalFlags.names)))
        let from = FileDescriptor(owning: try source.check(openat(original.raw, ".", LocalFlags.names)))
        let attributes = AttributeCopy(source: source, target: target, isMove: isMove)
        try attributes.copy(from, status, to: open)
        if isSynced { try open.syncNames(path: target.path) }
    }
}
