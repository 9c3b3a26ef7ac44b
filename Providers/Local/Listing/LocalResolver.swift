import CLinux
import FileProviderCore
import Foundation

/// Finds items below one root folder.
///
/// Where the kernel can, it resolves a path in one step and refuses what leads out of the root (openat2(2)). Whenever
/// it does not give a descriptor, and where it cannot, the path is walked name by name with openat(2), which also finds
/// the words for an error: each step counts from the folder that the one before has opened and follows nothing by
/// itself; symbolic links are read and resolved here. In both, a link that is put in a folder's place at any moment is
/// either not followed or judged by the same rules: there is nothing to win by racing. The walk holds at most two
/// descriptors, however deep the path.
struct LocalResolver: Sendable {
    let root: FileDescriptor
    /// Whether the root is the machine's own, so that absolute link targets lie below it.
    let isWholeMachine: Bool
    var calls = KernelCalls.all
    /// The path of the root, counted from the provider's, for messages.
    var top = ProviderPath.root
    /// The folders to which everything is confined; none for no such limit.
    var roots: [LocalRoot] = []

    /// Links that one path may pass, as in Linux itself (path_resolution(7)).
    static let maxLinks = 40

    /// An item that was reached through all links.
    struct Item {
        /// Names the item without having opened it.
        let handle: FileDescriptor
        let status: ItemStatus
        /// Where it lies; nil for the root, and where the kernel has gone the way.
        let entry: LocalEntry?
    }

    private struct Walk {
        var folder: FileDescriptor
        /// The names of real folders that led to `folder`.
        var passed: [[UInt8]] = []
        /// Names to go, the next one last.
        var rest: [[UInt8]]
        var links = 0
    }

    /// The item at `path`, links followed, at the end too.
    ///
    /// - Throws: `CocoaError(.fileReadNoPermission)` when a link leads out of the root; `ELOOP` after ``maxLinks``
    ///   links.
    func item(at path: ProviderPath, _ context: LocalContext) throws -> Item {
        if let inner = try confining(path, includingRoots: true, context) {
            return try inner.resolver.item(at: inner.path, context)
        }
        if let handle = try openAtOnce(path, flags: carrel_O_PATH | O_CLOEXEC, context: context) {
            return Item(handle: handle, status: try ItemStatus(of: handle, context), entry: nil)
        }
        return try walk(to: path, context)
    }

    /// The folder at `path`, links followed.
    ///
    /// - Throws: As ``item(at:_:)``; `ENOTDIR` when it is no folder.
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

    /// Where `path` lies: links are followed up to its folder, and not at its end. `path` is not the root.
    func entry(of path: ProviderPath, _ context: LocalContext) throws -> LocalEntry {
        if let inner = try confining(path, includingRoots: false, context) {
            return try inner.resolver.entry(of: inner.path, context)
        }
        return LocalEntry(folder: try folder(at: path.parent ?? .root, context), name: Array(path.nameBytes))
    }

    /// The regular file at `path`, links followed; open for reading unless `flags` say otherwise.
    ///
    /// - Throws: As ``item(at:_:)``; `EISDIR` for a folder. Nothing but a regular file is opened: opening a pipe or a
    ///   device may do something.
    func file(at path: ProviderPath, flags: Int32 = LocalFlags.read, _ context: LocalContext) throws -> (
        file: FileDescriptor, status: ItemStatus
    ) {
        if let inner = try confining(path, includingRoots: true, context) {
            return try inner.resolver.file(at: inner.path, flags: flags, context)
        }
        // Something may take the file's place between looking and opening; then look again, but not for ever.
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

    /// What openat2(2) opens at `path`, links followed; nil where the walk has to find out.
    ///
    /// - Throws: `ENOENT`, which callers meet often and which needs no other words.
    private func openAtOnce(_ path: ProviderPath, flags: Int32, context: LocalContext) throws -> FileDescriptor? {
        guard calls.contains(.openat2), !path.isRoot else { return nil }
        let raw = openBelowRoot(path, flags: flags)
        if raw >= 0 { return FileDescriptor(owning: raw) }
        if errno == ENOENT { throw context.error(ENOENT) }
        return nil
    }

    /// A descriptor, or −1 and errno. Links are resolved as in the walk: absolute ones count from the machine's root or
    /// lead out.
    private func openBelowRoot(_ path: ProviderPath, flags: Int32) -> Int32 {
        let way = isWholeMachine ? carrel_RESOLVE_IN_ROOT : carrel_RESOLVE_BENEATH
        return path.bytes.withName { path in
            for _ in 0..<8 {
                let raw = carrel_openat2(root.raw, path, flags, way | carrel_RESOLVE_NO_MAGICLINKS)
                // EAGAIN: something was renamed while the kernel passed a `..`.
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

    /// Takes the target of a link in place of its name.
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

    /// Goes back to the folder above by walking anew from the root: a folder that was moved meanwhile has another one
    /// above it.
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
