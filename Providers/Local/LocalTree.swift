import FileProviderCore
import Foundation

/// The folders of a tree, each after the one that holds it, so that walks need neither recursion nor a descriptor for each level.
struct FolderTree {
    private var folders: [(parent: Int, name: [UInt8])] = [(-1, [])]

    /// The folder at the top is number 0.
    var count: Int { folders.count }

    func parent(of folder: Int) -> Int { folders[folder].parent }

    func name(of folder: Int) -> [UInt8] { folders[folder].name }

    mutating func add(_ name: [UInt8], in parent: Int) {
        folders.append((parent, name))
    }

    /// The names from the top down.
    func names(of folder: Int) -> [[UInt8]] {
        var names: [[UInt8]] = []
        var folder = folder
        while folder > 0 {
            names.append(folders[folder].name)
            folder = folders[folder].parent
        }
        return names.reversed()
    }
}

/// Opens the folders of a tree, going down from the nearest one that it holds with O_NOFOLLOW: a folder that became a symbolic link
/// meanwhile is an error, never a way out.
struct FolderCursor {
    private let top: FileDescriptor
    /// The last folders on the way to where the cursor stands.
    private var held: [(number: Int, folder: FileDescriptor)] = []

    /// Descriptors kept: neighbours cost one call, and only every so often a long way down is gone anew.
    private static let mostHeld = 16

    init(top: FileDescriptor) {
        self.top = top
    }

    mutating func open(_ folder: Int, of tree: FolderTree, _ context: LocalContext) throws -> FileDescriptor {
        var missing: [Int] = []
        var number = folder
        var nearest: Int?
        while number > 0 {
            nearest = held.lastIndex { [number] in $0.number == number }
            if nearest != nil { break }
            missing.append(number)
            number = tree.parent(of: number)
        }
        held.removeSubrange(((nearest ?? -1) + 1)...)
        for number in missing.reversed() {
            let above = LocalPlace(folder: held.last?.folder ?? top, name: tree.name(of: number))
            held.append((number, try above.open(LocalFlags.realFolder, context)))
            if held.count > Self.mostHeld { held.removeFirst() }
        }
        return held.last?.folder ?? top
    }
}

/// Removes one item, by default with all it holds.
struct LocalRemoval {
    let flag: CancellationFlag
    let context: LocalContext
    let progress: ProgressReporter

    /// How often a tree is gone through while others put things into it.
    private static let rounds = 3

    func run(_ place: LocalPlace, recursive: Bool) throws {
        try flag.check()
        guard let status = try place.status(context) else { throw context.error(ENOENT) }
        guard status.type == .directory else { return try removeOne(place, 0, context) }
        guard recursive else { return try removeOne(place, AT_REMOVEDIR, context) }
        for round in 1...Self.rounds {
            do {
                try empty(place.open(LocalFlags.realFolder, context))
                return try removeOne(place, AT_REMOVEDIR, context)
            } catch let error where error.isFileExists && round < Self.rounds {
                continue
            }
        }
    }

    private func empty(_ top: FileDescriptor) throws {
        var tree = FolderTree()
        var cursor = FolderCursor(top: top)
        var next = 0
        while next < tree.count {
            try removeFiles(of: next, in: &tree, &cursor)
            next += 1
        }
        for number in (1..<tree.count).reversed() {
            try flag.check()
            let here = context.below(tree.names(of: number))
            do {
                let parent = try cursor.open(tree.parent(of: number), of: tree, here)
                try removeOne(LocalPlace(folder: parent, name: tree.name(of: number)), AT_REMOVEDIR, here)
            } catch let error where error.isNoSuchFile || error.isNotADirectory {
                // Somebody else was quicker. What stands there instead is found when the folder above is not empty.
                continue
            }
        }
    }

    /// Removes what is no folder; folders are added to the tree.
    private func removeFiles(of number: Int, in tree: inout FolderTree, _ cursor: inout FolderCursor) throws {
        let context = context.below(tree.names(of: number))
        let folder: FileDescriptor
        do {
            folder = try cursor.open(number, of: tree, context)
        } catch let error where error.isNoSuchFile || error.isNotADirectory {
            return
        }
        let listing = try FolderListing(of: folder, context)
        while let name = try listing.next() {
            try flag.check()
            let place = LocalPlace(folder: folder, name: name)
            let here = context.below([name])
            do {
                try removeOne(place, 0, here)
            } catch let error where !error.isNoSuchFile {
                guard try place.status(here)?.type == .directory else { throw error }
                tree.add(name, in: number)
            }
        }
    }

    private func removeOne(_ place: LocalPlace, _ flags: Int32, _ context: LocalContext) throws {
        try place.unlink(context, flags: flags)
        progress.expectMore(1)
        progress.advance(by: 1)
    }
}

extension Error {
    /// Whether something on the way was no folder, or a symbolic link where a real folder was needed.
    var isNotADirectory: Bool {
        let code = ((self as? CocoaError)?.underlying as? POSIXError)?.code
        return code == .ENOTDIR || code == .ELOOP
    }
}
