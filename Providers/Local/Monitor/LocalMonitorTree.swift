import CLinux
import FileProviderCore
import Foundation

/// What a watch knows of a tree: names, kinds and identities. Folders are kept by the number of their watch, which is
/// who they are wherever they are moved.
struct LocalMonitorTree {
    struct Item {
        var type: FileType
        var device: UInt
        var inode: UInt
        /// Of a symbolic link, the nanoseconds of its making. It is never written to, only made anew, perhaps with the
        /// same number.
        var made: Int64?
        /// Of a folder that is watched.
        var watch: Int32?

        init(_ status: ItemStatus, watch: Int32? = nil) {
            type = status.type
            device = status.device
            inode = status.inode
            // Not the time of the last change, which a move touches.
            made = type == .symbolicLink ? status.modified.nanoseconds : nil
            self.watch = watch
        }

        /// Whether both are one item. A folder that was made with the number of one that is gone has another watch.
        func isSame(as other: Item) -> Bool {
            guard type == other.type, inode == other.inode, device == other.device, made == other.made else {
                return false
            }
            guard let watch, let other = other.watch else { return true }
            return watch == other
        }
    }

    struct Folder {
        /// Nil for the watched folder itself.
        var spot: LocalSpot?
        let device: UInt
        let inode: UInt
        var items: [[UInt8]: Item] = [:]
    }

    let root: Int32
    private(set) var folders: [Int32: Folder]

    init(root: Int32, status: ItemStatus) {
        self.root = root
        folders = [root: Folder(spot: nil, device: status.device, inode: status.inode)]
    }

    subscript(spot: LocalSpot) -> Item? { folders[spot.folder]?.items[spot.name] }

    /// The names from the root down to a place.
    func names(of spot: LocalSpot) -> [[UInt8]] {
        var names = [spot.name]
        var folder = spot.folder
        while let above = folders[folder]?.spot {
            names.append(above.name)
            folder = above.folder
        }
        return names.reversed()
    }

    /// Whether `folder` is `other` or lies below it.
    func isInside(_ folder: Int32, _ other: Int32) -> Bool {
        var folder = folder
        while folder != other {
            guard let above = folders[folder]?.spot?.folder else { return false }
            folder = above
        }
        return true
    }

    /// Puts an item at a place where none is known; a watched folder is empty at first.
    mutating func add(_ item: Item, at spot: LocalSpot) {
        folders[spot.folder]?.items[spot.name] = item
        if let watch = item.watch { folders[watch] = Folder(spot: spot, device: item.device, inode: item.inode) }
    }

    /// Moves an item with all it holds; nothing is known at its new place.
    mutating func move(_ item: Item, from spot: LocalSpot, to target: LocalSpot) {
        folders[target.folder]?.items[target.name] = item
        if let watch = item.watch { folders[watch]?.spot = target }
    }

    /// Forgets that an item is at a place; what it holds is still known.
    mutating func detach(_ spot: LocalSpot) -> Item? { folders[spot.folder]?.items.removeValue(forKey: spot.name) }

    /// Forgets an item that was detached, with all it holds.
    ///
    /// - Returns: The watches of all folders that went.
    mutating func forget(_ item: Item) -> [Int32] {
        var gone = item.watch.map { [$0] } ?? []
        var next = 0
        while next < gone.count {
            gone += folders.removeValue(forKey: gone[next])?.items.values.compactMap(\.watch) ?? []
            next += 1
        }
        return gone
    }
}
