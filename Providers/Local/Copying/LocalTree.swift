import FileProviderCore
import Foundation

/// A position in a tree of folders, which moves down into a folder or back up.
///
/// Every step down uses O_NOFOLLOW: a folder that has become a symbolic link is an error, never a way out. A step up
/// uses a descriptor that was kept, or walks down again from the nearest one that was. Their number is limited, and
/// they are denser near the cursor, so that a walk through a tree of depth n costs about n log n calls.
struct FolderCursor {
    private let top: FileDescriptor
    private let start: LocalContext
    /// The names from the top to the cursor.
    private(set) var names: [[UInt8]] = []
    /// Kept folders on that path, by the number of their names.
    private var held: [(depth: Int, folder: FileDescriptor)] = []

    private static let maxHeld = 48
    /// The last of these are all kept; of the others, every second one is dropped if there are too many.
    private static let nearest = 16

    /// - Parameter context: The context of errors at the top.
    init(top: FileDescriptor, context: LocalContext) {
        self.top = top
        start = context
    }

    /// The context of errors at the cursor.
    var context: LocalContext { start.below(names) }

    /// Returns the folder at the cursor.
    ///
    /// - Throws: `ENOENT`, `ENOTDIR` or `ELOOP` if another process has moved a folder on the way.
    mutating func folder() throws -> FileDescriptor {
        while (held.last?.depth ?? 0) < names.count {
            let depth = held.last?.depth ?? 0
            let above = held.last?.folder ?? top
            let raw = names[depth].withName { openat(above.raw, $0, LocalFlags.realFolder) }
            guard raw >= 0 else {
                let code = errno
                throw start.below(Array(names[...depth])).error(code)
            }
            hold(FileDescriptor(owning: raw), depth + 1)
        }
        return held.last?.folder ?? top
    }

    /// Moves down into the folder called `name`.
    mutating func enter(_ name: [UInt8]) throws {
        let entry = LocalEntry(folder: try folder(), name: name)
        let below = try entry.open(LocalFlags.realFolder, context.below(name))
        names.append(name)
        hold(below, names.count)
    }

    /// Moves back up.
    ///
    /// - Returns: The name of the folder that the cursor left; nil at the top.
    @discardableResult
    mutating func leave() -> [UInt8]? {
        if held.last?.depth == names.count { _ = held.popLast() }
        return names.popLast()
    }

    private mutating func hold(_ folder: FileDescriptor, _ depth: Int) {
        held.append((depth, folder))
        guard held.count > Self.maxHeld else { return }
        let distant = held.count - Self.nearest
        held = held.enumerated().filter { $0.offset >= distant || $0.offset % 2 == 0 }.map(\.element)
    }
}

/// Removes one item, by default with everything in it.
struct LocalRemoval {
    let flag: CancellationFlag
    let context: LocalContext
    let progress: ProgressReporter
    /// If not nil, a file that is not in it stops the removal.
    var copied: CopiedItems?

    /// How often to walk through a tree while others add items to it.
    private static let rounds = 3

    func run(_ entry: LocalEntry, recursive: Bool) throws {
        try flag.check()
        guard let status = try entry.status(context) else { throw context.error(ENOENT) }
        guard status.type == .directory else {
            if copied?.contains(status) == false { throw context.changed }
            return try removeOne(entry, 0, context)
        }
        guard recursive else { return try removeOne(entry, AT_REMOVEDIR, context) }
        for round in 1...Self.rounds {
            do {
                try empty(entry.open(LocalFlags.realFolder, context))
                return try removeOne(entry, AT_REMOVEDIR, context)
            } catch let error where error.isFileExists && round < Self.rounds {
                continue
            }
        }
    }

    /// Removes the copied item under a name that no other process writes to. If an item in it was changed since the
    /// copy, it is moved back with the rest.
    ///
    /// - Throws: `CocoaError(.fileReadUnknown)` with `ESTALE` below it if an item was changed.
    func runAside(_ entry: LocalEntry, calls: KernelCalls) throws {
        let aside = try entry.aside()
        let code = entry.rename(to: aside)
        if code != 0 { throw context.error(code) }
        do { try run(aside, recursive: true) } catch {
            let isFolder = (try? aside.status(context))?.type == .directory
            aside.comeBack(to: entry, calls: calls, isFolder: isFolder)
            throw error
        }
    }

    /// Walks through the tree depth first, and removes each folder once it is empty.
    private func empty(_ top: FileDescriptor) throws {
        var cursor = FolderCursor(top: top, context: context)
        // For each folder from the top down, the folders in it that are still to be emptied.
        var waiting = [try removeFiles(&cursor)]
        while let name = waiting[waiting.count - 1].popLast() {
            try flag.check()
            try passingOver { try enter(name, &cursor, &waiting) }
            while waiting.count > 1, waiting[waiting.count - 1].isEmpty {
                waiting.removeLast()
                guard let name = cursor.leave() else { break }
                try passingOver {
                    let parent = try cursor.folder()
                    try removeOne(LocalEntry(folder: parent, name: name), AT_REMOVEDIR, cursor.context.below(name))
                }
            }
        }
    }

    private func enter(_ name: [UInt8], _ cursor: inout FolderCursor, _ waiting: inout [[[UInt8]]]) throws {
        try cursor.enter(name)
        waiting.append([])
        waiting[waiting.count - 1] = try removeFiles(&cursor)
    }

    /// Ignores that another process was faster. An item that replaced a folder is found when the folder above is not
    /// empty.
    private func passingOver(_ step: () throws -> Void) throws {
        do { try step() } catch let error where error.isNoSuchFile || error.isNotADirectory { return }
    }

    /// Removes the items that are not folders, and returns the names of the folders.
    private func removeFiles(_ cursor: inout FolderCursor) throws -> [[UInt8]] {
        let context = cursor.context
        let folder = try cursor.folder()
        let listing = try FolderListing(of: folder, context: context)
        var folders: [[UInt8]] = []
        while let entry = try listing.nextEntry() {
            try flag.check()
            if entry.isFolder {
                folders.append(Array(entry.name))
                continue
            }
            if let copied { try check(entry, in: folder, isIn: copied) }
            if unlinkat(folder.raw, entry.text, 0) == 0 {
                count()
            } else if errno != ENOENT {
                let code = errno
                let entry = LocalEntry(folder: folder, name: Array(entry.name))
                let here = context.below(entry.name)
                // The listings of some file systems do not say which items are folders.
                guard try entry.status(here)?.type == .directory else { throw here.error(code) }
                folders.append(entry.name)
            }
        }
        return folders
    }

    private func check(_ entry: FolderListing.Entry, in folder: FileDescriptor, isIn copied: CopiedItems) throws {
        let status = ItemStatus(of: entry.text, in: folder, keepsInodes: folder.keepsInodes)
        if let status, status.type != .directory, !copied.contains(status) { throw context.changed }
    }

    private func removeOne(_ entry: LocalEntry, _ flags: Int32, _ context: LocalContext) throws {
        try entry.unlink(context, flags: flags)
        count()
    }

    private func count() {
        progress.expectMore(1)
        progress.advance(by: 1)
    }
}

extension Error {
    /// Whether an item on the way was no folder, or was a symbolic link where a real folder was needed.
    var isNotADirectory: Bool {
        let code = ((self as? CocoaError)?.underlying as? POSIXError)?.code
        return code == .ENOTDIR || code == .ELOOP
    }
}

/// The versions of copied files and links, in 8 bytes for each.
final class CopiedItems {
    private var versions: Set<Int> = []

    func insert(_ item: ItemStatus) { versions.insert(item.tag.hashValue) }

    func contains(_ item: ItemStatus) -> Bool { versions.contains(item.tag.hashValue) }
}
