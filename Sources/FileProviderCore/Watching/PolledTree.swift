import Foundation

/// The state of a tree in a polling watch: of each item only the compared values.
package struct PolledTree: Sendable {
    /// The value that changes with each version of an item.
    enum Version: Equatable, Sendable {
        /// Without the mark of weakness, which servers drop a moment after a change.
        case tag(Substring)
        case sizeAndDate(Int64?, seconds: Double?)
    }

    struct Item: Sendable {
        var type: FileType
        var version: Version

        var hasTag: Bool { if case .tag = version { true } else { false } }

        init(_ object: FileObject) {
            type = object.type
            if let tag = object.entryTag {
                version = .tag(tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...])
            } else {
                version = .sizeAndDate(object.size, seconds: object.modifiedDate?.timeIntervalSince1970)
            }
        }
    }

    typealias Listing = [ProviderPath: Item]

    private var folders: [ProviderPath: Listing] = [:]

    /// Creates the state of an empty tree.
    package init() {}

    /// Adds an item of a listing that a caller made. A folder without items stays unknown; the next look reports the same
    /// changes as if it were known.
    package mutating func add(_ object: FileObject) {
        guard let folder = object.path.parent, !TemporaryName.matches(object.name) else { return }
        folders[folder, default: [:]][object.path] = Item(object)
    }

    func knows(_ folder: ProviderPath) -> Bool { folders[folder] != nil }

    /// Applies a new listing of `folder`.
    ///
    /// - Returns: The changes, and the folders that no tag shows to be unchanged.
    mutating func update(_ folder: ProviderPath, to listing: Listing) -> (
        events: [FileEvent], changedFolders: [ProviderPath]
    ) {
        let before = folders.updateValue(listing, forKey: folder) ?? [:]
        var events: [FileEvent] = []
        var changedFolders: [ProviderPath] = []
        for (path, item) in before where listing[path] == nil {
            events.append(FileEvent(.removed, path: path, type: item.type))
            if item.type == .directory { forget(path) }
        }
        for (path, item) in listing {
            let previous = before[path]
            let isSame = previous?.version == item.version && previous?.type == item.type
            if item.type == .directory, !isSame || !item.hasTag { changedFolders.append(path) }
            if isSame { continue }
            if previous?.type != item.type {
                if previous?.type == .directory { forget(path) }
                events.append(FileEvent(.created, path: path, type: item.type))
            } else if item.type != .directory {
                events.append(FileEvent(.modified, path: path, type: item.type))
            }
        }
        events.sort { $0.path < $1.path }
        return (events, changedFolders)
    }

    /// Returns the folders that were in `folder` at the last look.
    func subfolders(of folder: ProviderPath) -> [ProviderPath] {
        (folders[folder] ?? [:]).filter { $0.value.type == .directory }.map(\.key).sorted(by: >)
    }

    private mutating func forget(_ folder: ProviderPath) {
        var gone = [folder]
        while let folder = gone.popLast() {
            for (path, item) in folders.removeValue(forKey: folder) ?? [:] where item.type == .directory {
                gone.append(path)
            }
        }
    }
}
