import CLinux
import FileProviderCore
import Foundation

/// The known tree of a watch: names, kinds and identities. Folders are kept by the number of their watch, which
/// identifies them wherever they are moved.
struct LocalMonitorTree {
    struct Item {
        var type: FileType
        var device: UInt
        var inode: UInt
        /// Of a symbolic link, the nanoseconds of its creation. A link is never written to, only created again, perhaps
        /// with the same inode.
        var made: Int64?
        /// The watch of a watched folder.
        var watch: Int32?

        init(_ status: ItemStatus, watch: Int32? = nil) {
            type = status.type
            device = status.device
            inode = status.inode
            // Not the time of the last change, which a move touches.
            made = type == .symbolicLink ? status.modified.nanoseconds : nil
            self.watch = watch
        }

        /// Whether both are one item. A folder that reuses the inode of one that is gone has another watch.
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

    /// Returns the names from the root down to a place.
    func names(of spot: LocalSpot) -> [[UInt8]] {
        var names = [spot.name]
        var folder = spot.folder
        while let above = folders[folder]?.spot {
            names.append(above.name)
            folder = above.folder
        }
        return names.reversed()
    }

    /// Whether `folder` is `other` or below it.
    func isInside(_ folder: Int32, _ other: Int32) -> Bool {
        var folder = folder
        while folder != other {
            guard let above = folders[folder]?.spot?.folder else { return false }
            folder = above
        }
        return true
    }

    /// Puts an item at a place without a known one; a watched folder is empty at first.
    mutating func add(_ item: Item, at spot: LocalSpot) {
        folders[spot.folder]?.items[spot.name] = item
        if let watch = item.watch { folders[watch] = Folder(spot: spot, device: item.device, inode: item.inode) }
    }

    /// Moves an item with everything in it to a place without a known one.
    mutating func move(_ item: Item, from spot: LocalSpot, to target: LocalSpot) {
        folders[target.folder]?.items[target.name] = item
        if let watch = item.watch { folders[watch]?.spot = target }
    }

    /// Removes an item from its place; the items in it are still known.
    mutating func detach(_ spot: LocalSpot) -> Item? { folders[spot.folder]?.items.removeValue(forKey: spot.name) }

    /// Forgets a detached item with everything in it.
    ///
    /// - Returns: The watches of all forgotten folders.
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
