import FileProviderCore
import Foundation

/// Settling one place at a time: finding its item, and deciding what that means.
extension LocalMonitorRun {
    typealias Item = LocalMonitorTree.Item

    /// Looks at a place, and updates the tree to match it.
    ///
    /// Its known item may be elsewhere by now, and so may the item known there. The last place of such a chain is
    /// settled first, so that a moved item is not taken for a removed one.
    ///
    /// - Returns: Whether that is done; false if the place cannot be reached yet, because of a move that is still
    ///   unknown.
    mutating func settle(_ spot: LocalSpot) throws -> Bool {
        var chain = [spot]
        var busy: Set = [spot]
        while let last = chain.last, let target = try successor(of: last), busy.insert(target).inserted {
            chain.append(target)
        }
        var isDone = false
        while let spot = chain.popLast() { isDone = try settleAlone(spot) }
        return isDone
    }

    /// Returns the place to which the known item of a place went.
    private mutating func successor(of spot: LocalSpot) throws -> LocalSpot? {
        guard let target = targets[spot], let known = tree[spot], let mark = marks[spot], !isWriting(mark) else {
            return nil
        }
        do {
            guard let folder = try open(spot.folder) else { return nil }
            let seen = try look(at: spot, in: folder)
            return seen.map { known.isSame(as: $0) } ?? false ? nil : target
        } catch is CocoaError {
            // Settling the place later meets the same error.
            return nil
        }
    }

    private mutating func settleAlone(_ spot: LocalSpot) throws -> Bool {
        guard let mark = marks[spot] else { return true }
        guard tree.folders[spot.folder] != nil else {
            marks[spot] = nil
            return true
        }
        if isWriting(mark) { return false }
        do {
            guard let folder = try open(spot.folder) else { return false }
            let seen = try look(at: spot, in: folder)
            guard try arrive(seen, at: spot, hasNewContent: mark.isAboutContent || mark.writing != nil) else {
                return false
            }
            if mark.isAboutName { touch(spot, isName: true) }
        } catch let error where error.isOvertaken {
            return false
        } catch let error as CocoaError {
            // Only the hint is lost: once the folder opens, all of it is listed.
            refuse(spot.folder, error)
        }
        marks[spot] = nil
        return true
    }

    /// Lists a folder that is already watched: a new one, or one that was refused and may open by now.
    ///
    /// - Returns: Whether that is done; false if the folder cannot be reached yet.
    mutating func read(_ number: Int32) throws -> Bool {
        guard tree.folders[number] != nil else { return true }
        do {
            guard let folder = try open(number) else { return false }
            let listing = try FolderListing(of: folder, context: context)
            var missing = refused.contains(number) ? tree.folders[number]?.items ?? [:] : [:]
            while let name = try listing.next() {
                try flag.check()
                missing[name] = nil
                let spot = LocalSpot(folder: number, name: name)
                if LocalHints.isTemporary(name) { continue }
                do {
                    if try !arrive(try look(at: spot, in: folder), at: spot, hasNewContent: false) { mark(spot) }
                } catch let error where error.isOvertaken {
                    mark(spot)
                }
            }
            for name in missing.keys { mark(LocalSpot(folder: number, name: name)) }
            reopen(number)
        } catch let error where error.isOvertaken {
            // It was removed after it was opened; a hint for the folder above will follow.
            return false
        } catch let error as CocoaError {
            refuse(number, error)
        }
        return true
    }

    // MARK: Looking

    /// Returns the item at a place; a folder is watched from now on.
    private mutating func look(at spot: LocalSpot, in folder: FileDescriptor) throws -> Item? {
        try flag.check()
        let entry = LocalEntry(folder: folder, name: spot.name)
        guard let status = try entry.status(context) else { return nil }
        guard status.type == .directory, options.isRecursive else { return Item(status) }
        let handle = try entry.open(LocalFlags.realFolder, context)
        let inside = try ItemStatus(of: handle, context)
        guard tree.names(of: spot).count < ProviderPath.maxTreeDepth else { return Item(inside) }
        switch queue.add(handle, isRoot: false) {
        case .watch(let watch): return Item(inside, watch: watch)
        case .exhausted(let reason): throw WatchesExhausted(reason: reason)
        case .refused: return Item(inside)
        }
    }

    /// Opens a watched folder at its known place.
    ///
    /// - Returns: Nil if it is not there.
    private mutating func open(_ number: Int32) throws -> FileDescriptor? {
        if let folder = opened[number] { return folder }
        guard let known = tree.folders[number] else { return nil }
        var names: [[UInt8]] = []
        var nearest = number
        while opened[nearest] == nil {
            guard let spot = tree.folders[nearest]?.spot else { return nil }
            names.append(spot.name)
            nearest = spot.folder
        }
        guard var folder = opened[nearest] else { return nil }
        do {
            for name in names.reversed() {
                folder = try LocalEntry(folder: folder, name: name).open(LocalFlags.realFolder, context)
            }
        } catch let error where error.isOvertaken {
            return nil
        }
        let status = try ItemStatus(of: folder, context)
        guard status.inode == known.inode, status.device == known.device else { return nil }
        // Keeps the root, and drops the others if there are many.
        if opened.count > 32 { opened = opened.filter { $0.key == tree.root } }
        opened[number] = folder
        return folder
    }

    // MARK: Updating the tree

    /// Records that `seen` is at a place.
    ///
    /// - Returns: False if that contradicts the tree, because of a move that is still unknown.
    private mutating func arrive(_ seen: Item?, at spot: LocalSpot, hasNewContent: Bool) throws -> Bool {
        guard var seen else {
            if tree[spot] != nil { remove(spot) }
            return true
        }
        if let known = tree[spot], known.isSame(as: seen) {
            if known.watch == nil, let watch = seen.watch, tree.folders[watch] == nil {
                // It could not be read before.
                tree.add(seen, at: spot)
                unlisted.append(watch)
            }
            if hasNewContent { modify(spot, known) }
            return true
        }
        if let watch = seen.watch, let known = tree.folders[watch] {
            if let previous = known.spot, try !isStill(seen, at: previous) {
                guard !tree.isInside(spot.folder, watch) else { return false }
                move(seen, from: previous, to: spot)
                if hasNewContent { modify(spot, seen) }
                return true
            }
            // A folder in two places is moving back and forth or, if it stays so, mounted twice; then it is watched in
            // the first.
            guard let rounds = marks[spot]?.rounds, rounds >= 3 else { return false }
            seen.watch = nil
        } else if seen.type != .directory, let origin = origins[spot] ?? nil, origin != spot, let known = tree[origin],
            known.isSame(as: seen)
        {
            let hadNewContent = marks[origin].map { $0.isAboutContent || $0.writing != nil } ?? false
            move(seen, from: origin, to: spot)
            if hasNewContent || hadNewContent { modify(spot, seen) }
            return true
        }
        create(seen, at: spot)
        return true
    }

    private mutating func isStill(_ item: Item, at spot: LocalSpot) throws -> Bool {
        guard let folder = try open(spot.folder),
            let status = try LocalEntry(folder: folder, name: spot.name).status(context)
        else {
            return false
        }
        return status.inode == item.inode && status.device == item.device
    }

    private mutating func create(_ item: Item, at spot: LocalSpot) {
        let before = tree[spot]
        drop(tree.detach(spot))
        tree.add(item, at: spot)
        let isReplaced = before?.type == item.type && item.type != .directory
        tell(FileEvent(isReplaced ? .modified : .created, path: path(of: spot), type: item.type), spot)
        guard item.type == .directory, options.isRecursive else { return }
        if let watch = item.watch { unlisted.append(watch) } else { tellUnwatched(spot) }
    }

    private mutating func modify(_ spot: LocalSpot, _ item: Item) {
        if telling == .outright { return touch(spot, isName: false) }
        tell(FileEvent(.modified, path: path(of: spot), type: item.type), spot)
    }

    private mutating func remove(_ spot: LocalSpot) {
        guard let item = tree.detach(spot) else { return }
        drop(item)
        tell(FileEvent(.removed, path: path(of: spot), type: item.type), spot)
    }

    private mutating func move(_ item: Item, from previous: LocalSpot, to spot: LocalSpot) {
        let from = path(of: previous)
        _ = tree.detach(previous)
        drop(tree.detach(spot))
        tree.move(item, from: previous, to: spot)
        opened = opened.filter { $0.key == tree.root }
        touch(previous, isName: true)
        tell(FileEvent(.moved, path: path(of: spot), from: from, type: item.type), spot)
    }

    private mutating func drop(_ item: Item?) {
        guard let item else { return }
        for watch in tree.forget(item) {
            queue.remove(watch)
            opened[watch] = nil
            refused.remove(watch)
        }
    }

    // MARK: Reporting

    private mutating func tell(_ event: FileEvent, _ spot: LocalSpot) {
        switch telling {
        case .silent: return
        case .precise: events.append(event)
        case .outright: touch(spot, isName: true)
        }
    }

    private mutating func touch(_ spot: LocalSpot, isName: Bool) {
        if telling == .outright { touched[spot] = isName || touched[spot] ?? false }
    }

    /// Reports a folder that cannot be read, once until it can be.
    private mutating func refuse(_ folder: Int32, _ error: CocoaError) {
        guard refused.insert(folder).inserted else { return }
        let cause = (error.underlying as? POSIXError)?.code.rawValue
        let path = path(ofFolder: folder)
        tellRescan(path, reason: (cause.map { context.at(path).error($0) } ?? error).sentence)
    }

    /// Reports a folder that can be read again: the consumer could not list it, and has to do so now.
    private mutating func reopen(_ folder: Int32) {
        if refused.remove(folder) != nil {
            tellRescan(path(ofFolder: folder), reason: "This folder could not be read for a while; list it again.")
        }
    }

    private mutating func tellUnwatched(_ spot: LocalSpot) {
        tellRescan(
            path(of: spot),
            reason: "This folder cannot be watched: it may not be read, is mounted twice, or is nested too deep.")
    }

    private mutating func tellRescan(_ path: ProviderPath, reason: String) {
        refusals.append(FileEvent(.rescan, path: path, type: .directory, reason: reason))
    }

    private func path(ofFolder folder: Int32) -> ProviderPath {
        tree.folders[folder]?.spot.map { path(of: $0) } ?? path
    }
}

extension Error {
    /// Whether the item of a look has just gone, or is another one by now.
    var isOvertaken: Bool { isNoSuchFile || isNotADirectory }
}
