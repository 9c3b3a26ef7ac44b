import CLinux
import FileProviderCore
import Foundation

/// Finds items below one root folder.
///
/// A path is walked name by name with openat(2); each step counts from the folder that the one before has opened and follows nothing
/// by itself. Symbolic links are read and resolved here, so a link that is put in a folder's place at any moment is either not
/// followed or judged by the same rules: there is nothing to win by racing. At most two descriptors are held, however deep the path.
struct LocalResolver: Sendable {
    let root: FileDescriptor
    /// Whether the root is the machine's own, so that absolute link targets lie below it.
    let isWholeMachine: Bool

    /// Links that one path may pass, as in Linux itself (path_resolution(7)).
    static let mostLinks = 40

    /// An item that was reached through all links.
    struct Item {
        /// Names the item without having opened it.
        let handle: FileDescriptor
        let status: ItemStatus
        /// Where it lies; nil for the root.
        let place: LocalPlace?
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
    /// - Throws: `CocoaError(.fileReadNoPermission)` when a link leads out of the root; `ELOOP` after ``mostLinks`` links.
    func item(at path: ProviderPath, _ context: LocalContext) throws -> Item {
        var walk = Walk(folder: root, rest: path.components.reversed().map(Array.init))
        while let name = walk.rest.popLast() {
            if name == Self.up {
                try goUp(&walk, context)
                continue
            }
            let raw = name.withName { openat(walk.folder.raw, $0, LocalFlags.item) }
            guard raw >= 0 else { throw context.error() }
            let handle = FileDescriptor(owning: raw)
            let status = try ItemStatus(of: handle, context)
            switch status.type {
            case .symbolicLink: try follow(handle, &walk, context)
            case .directory:
                if walk.rest.isEmpty { return Item(handle: handle, status: status, place: LocalPlace(folder: walk.folder, name: name)) }
                walk.folder = handle
                walk.passed.append(name)
            case .regular, .other:
                guard walk.rest.isEmpty else { throw context.at(.root).below(walk.passed + [name]).error(ENOTDIR) }
                return Item(handle: handle, status: status, place: LocalPlace(folder: walk.folder, name: name))
            }
        }
        // The path was the root, or a link led to a folder that was passed before.
        return Item(handle: walk.folder, status: try ItemStatus(of: walk.folder, context), place: nil)
    }

    /// The folder at `path`, links followed.
    ///
    /// - Throws: As ``item(at:_:)``; `ENOTDIR` when it is no folder.
    func folder(at path: ProviderPath, _ context: LocalContext) throws -> FileDescriptor {
        let item = try item(at: path, context)
        guard item.status.type == .directory else { throw context.at(path).error(ENOTDIR) }
        return item.handle
    }

    /// Where `path` lies: links are followed up to its folder, and not at its end. `path` is not the root.
    func place(of path: ProviderPath, _ context: LocalContext) throws -> LocalPlace {
        LocalPlace(folder: try folder(at: path.parent ?? .root, context), name: Array(path.nameBytes))
    }

    private static let up = Array("..".utf8)

    /// Takes the target of a link in place of its name.
    private func follow(_ link: FileDescriptor, _ walk: inout Walk, _ context: LocalContext) throws {
        walk.links += 1
        guard walk.links <= Self.mostLinks else { throw context.error(ELOOP) }
        let target = try LocalPlace(folder: link, name: []).linkTarget(context)
        if target.first == UInt8(ascii: "/") {
            guard isWholeMachine else { throw context.leadsOut }
            walk.folder = root
            walk.passed = []
        }
        let names = target.split(separator: UInt8(ascii: "/")).filter { $0 != [UInt8(ascii: ".")] }
        walk.rest += names.reversed().map(Array.init)
    }

    /// Goes back to the folder above by walking anew from the root: a folder that was moved meanwhile has another one above it.
    private func goUp(_ walk: inout Walk, _ context: LocalContext) throws {
        if walk.passed.popLast() == nil {
            // Above the machine's root is the root itself (path_resolution(7)).
            guard isWholeMachine else { throw context.leadsOut }
        }
        walk.rest += walk.passed.reversed()
        walk.passed = []
        walk.folder = root
    }
}
