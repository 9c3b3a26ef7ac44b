import CLinux
import FileProviderCore
import Foundation

/// Finds items below one root folder.
///
/// The kernel resolves a path in one step if it can, and refuses paths that lead out of the root (openat2(2)). If it
/// gives no descriptor, or lacks the call, the path is walked name by name with openat(2), which also finds the right
/// error: each step counts from the folder that the previous one opened, and follows nothing itself; symbolic links are
/// read and resolved here. In both, a link that replaces a folder at any moment is either not followed or judged by the
/// same rules, so racing gains nothing. The walk holds at most two descriptors, however deep the path.
struct LocalResolver: Sendable {
    let root: FileDescriptor
    /// Whether the root is the machine's own, so that absolute link targets are below it.
    let isWholeMachine: Bool
    var calls = KernelCalls.all
    /// The path of the root, counted from the provider's, for messages.
    var top = ProviderPath.root
    /// The folders to which all paths are confined; empty for no such limit.
    var roots: [LocalRoot] = []

    /// The most links in one path, as in Linux itself (path_resolution(7)).
    static let maxLinks = 40

    /// An item that was reached through all links.
    struct Item {
        /// A descriptor that names the item without having opened it.
        let handle: FileDescriptor
        let status: ItemStatus
        /// The item's entry; nil for the root, and if the kernel resolved the path.
        let entry: LocalEntry?
    }

    private struct Walk {
        var folder: FileDescriptor
        /// The names of the real folders that led to `folder`.
        var passed: [[UInt8]] = []
        /// The names still to walk, the next one last.
        var rest: [[UInt8]]
        var links = 0
    }

    /// Returns the item at `path`, following links, also at the end.
    ///
    /// - Throws: `CocoaError(.fileReadNoPermission)` if a link leads out of the root; `ELOOP` after ``maxLinks`` links.
    func item(at path: ProviderPath, _ context: LocalContext) throws -> Item {
        if let inner = try confining(path, includingRoots: true, context) {
            return try inner.resolver.item(at: inner.path, context)
        }
        if let handle = try openAtOnce(path, flags: carrel_O_PATH | O_CLOEXEC, context: context) {
            return Item(handle: handle, status: try ItemStatus(of: handle, context), entry: nil)
        }
        return try walk(to: path, context)
    }

    /// Returns the folder at `path`, following links.
    ///
    /// - Throws: As ``item(at:_:)``; `ENOTDIR` if it is no folder.
    func folder(at path: ProviderPath, _ context: LocalContext) throws -> FileDescriptor {
        if let inner = try confining(path, includingRoots: true, context) {
            return try inner.resolver.folder(at: inner.path, context)
        }
        if path.isRoot { return root }
        if let folder = try openAtOnce(path, flags: LocalFlags.folder, context: context) { return folder }
        let item = try walk(to: path, context)
        guard item.status.type == .directory else { throw context.at(top.appending(path)).error(ENOTDIR) }
        return item.handle
    }

    /// Returns the entry of `path`, following links up to its folder, and not at its end. `path` is not the root.
    func entry(of path: ProviderPath, _ context: LocalContext) throws -> LocalEntry {
        if let inner = try confining(path, includingRoots: false, context) {
            return try inner.resolver.entry(of: inner.path, context)
        }
        return LocalEntry(folder: try folder(at: path.parent ?? .root, context), name: Array(path.nameBytes))
    }

    /// Opens the regular file at `path`, following links; for reading unless `flags` say otherwise.
    ///
    /// - Throws: As ``item(at:_:)``; `EISDIR` for a folder. Opens regular files only: opening a pipe or a device may
    ///   have effects.
    func file(at path: ProviderPath, flags: Int32 = LocalFlags.read, _ context: LocalContext) throws -> (
        file: FileDescriptor, status: ItemStatus
    ) {
        if let inner = try confining(path, includingRoots: true, context) {
            return try inner.resolver.file(at: inner.path, flags: flags, context)
        }
        // Another item may take the file's place between looking and opening; look again then, but not forever.
        for _ in 0..<Self.maxLinks {
            let item = try item(at: path, context)
            switch item.status.type {
            case .directory: throw context.error(EISDIR)
            case .other, .symbolicLink: throw context.special
            case .regular: break
            }
            let raw =
                item.entry.map { entry in entry.name.withName { openat(entry.folder.raw, $0, flags) } }
                ?? openBelowRoot(path, flags: flags & ~O_NOFOLLOW)
            if raw < 0, [ELOOP, ENOENT, ENOTDIR, EXDEV, EAGAIN].contains(errno) { continue }
            let file = FileDescriptor(owning: try context.check(raw))
            let status = try ItemStatus(of: file, context)
            if status.type == .regular { return (file, status) }
        }
        throw context.error(ELOOP)
    }

    // MARK: In one step

    /// Opens `path` with openat2(2), following links; nil if the walk has to find out.
    ///
    /// - Throws: `ENOENT`, which callers meet often and which needs no other words.
    private func openAtOnce(_ path: ProviderPath, flags: Int32, context: LocalContext) throws -> FileDescriptor? {
        guard calls.contains(.openat2), !path.isRoot else { return nil }
        let raw = openBelowRoot(path, flags: flags)
        if raw >= 0 { return FileDescriptor(owning: raw) }
        if errno == ENOENT { throw context.error(ENOENT) }
        return nil
    }

    /// Returns a descriptor, or −1 and errno. Links are resolved as in the walk: absolute ones count from the machine's
    /// root or lead out.
    private func openBelowRoot(_ path: ProviderPath, flags: Int32) -> Int32 {
        let way = isWholeMachine ? carrel_RESOLVE_IN_ROOT : carrel_RESOLVE_BENEATH
        return path.bytes.withName { path in
            for _ in 0..<8 {
                let raw = carrel_openat2(root.raw, path, flags, way | carrel_RESOLVE_NO_MAGICLINKS)
                // EAGAIN: an item was renamed while the kernel passed a `..`.
                if raw >= 0 || (errno != EAGAIN && errno != EINTR) { return raw }
            }
            return -1
        }
    }

    // MARK: Name by name

    private func walk(to path: ProviderPath, _ context: LocalContext) throws -> Item {
        var walk = Walk(folder: root, rest: path.components.reversed().map(Array.init))
        while let name = walk.rest.popLast() {
            if name == Self.up {
                try goUp(&walk, context: context)
                continue
            }
            let raw = name.withName { openat(walk.folder.raw, $0, LocalFlags.item) }
            guard raw >= 0 else { throw context.error() }
            let handle = FileDescriptor(owning: raw)
            let status = try ItemStatus(of: handle, context)
            switch status.type {
            case .symbolicLink: try follow(handle, &walk, context)
            case .directory:
                if walk.rest.isEmpty {
                    return Item(handle: handle, status: status, entry: LocalEntry(folder: walk.folder, name: name))
                }
                walk.folder = handle
                walk.passed.append(name)
            case .regular, .other:
                guard walk.rest.isEmpty else { throw context.at(top).below(walk.passed + [name]).error(ENOTDIR) }
                return Item(handle: handle, status: status, entry: LocalEntry(folder: walk.folder, name: name))
            }
        }
        // The path was the root, or a link led to a folder that was passed before.
        return Item(handle: walk.folder, status: try ItemStatus(of: walk.folder, context), entry: nil)
    }

    private static let up = Array("..".utf8)

    /// Replaces the name of a link by its target.
    private func follow(_ link: FileDescriptor, _ walk: inout Walk, _ context: LocalContext) throws {
        walk.links += 1
        guard walk.links <= Self.maxLinks else { throw context.error(ELOOP) }
        let target = try LocalEntry(folder: link, name: []).linkTarget(context)
        if target.first == UInt8(ascii: "/") {
            guard isWholeMachine else { throw context.leadsOut }
            walk.folder = root
            walk.passed = []
        }
        let names = target.split(separator: UInt8(ascii: "/")).filter { $0 != [UInt8(ascii: ".")] }
        walk.rest += names.reversed().map(Array.init)
    }

    /// Goes to the folder above by walking again from the root: a folder that was moved meanwhile has another one above
    /// it.
    private func goUp(_ walk: inout Walk, context: LocalContext) throws {
        if walk.passed.popLast() == nil {
            // Above the machine's root is the root itself (path_resolution(7)).
            guard isWholeMachine else { throw context.leadsOut }
        }
        walk.rest += walk.passed.reversed()
        walk.passed = []
        walk.folder = root
    }
}
