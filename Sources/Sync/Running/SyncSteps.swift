import FileProviderCore
import Foundation

/// Carries out single steps. Each step leaves both sides whole even if it is interrupted.
struct SyncSteps: Sendable {
    private let pass: SyncPass
    private let transfer: SyncTransfer
    private let trash: SyncTrash

    init(_ pass: SyncPass, throttle: Throttle?) {
        self.pass = pass
        trash = SyncTrash(pass.folders, options: pass.options, capabilities: pass.capabilities)
        transfer = SyncTransfer(pass, trash: trash, throttle: throttle)
    }

    /// The result of a step.
    struct StepOutcome: Sendable {
        /// The changes to what both sides have in common.
        let changes: [SyncChange]
        /// Whether there may be more to do, which only another look can show.
        var hasMore = false
        /// Whether a later version of a file was transferred than planned, and maybe not the last one.
        var isChanging = false
    }

    /// Carries out a step.
    ///
    /// - Throws: ``ChangedMeanwhile`` if an item is not the version that was planned for; ``LeftOutThere``.
    func take(_ planned: PlannedAction, progress: ProgressReporter) async throws -> StepOutcome {
        do { return try await carryOut(planned, progress: progress) } catch let error as ChangedMeanwhile {
            if try await isTakenByWhatIsLeftOut(planned.action) { throw LeftOutThere(side: planned.action.side) }
            throw error
        }
    }

    /// Whether an excluded item already has the name of a new item, such as a folder where the item is a file. Also
    /// finds names that the storage treats as the same.
    private func isTakenByWhatIsLeftOut(_ action: SyncAction) async throws -> Bool {
        guard action.kind == .create || action.kind == .move else { return false }
        let folder = pass.folders[action.side]
        do {
            // The storage finds the item under any name that it treats as the same.
            _ = try await folder.provider.attributesOfItem(path: folder.path(of: action.path))
            let there = try await item(at: folder.path(of: action.path), in: folder.provider)
            return there.map { isLeftOut($0, of: folder) } ?? false
        } catch let error where error.isNoSuchFile { return false }
    }

    private func isLeftOut(_ item: FileObject, of folder: SyncFolder) -> Bool {
        if SyncItem(item) == nil || item.isSymbolicLink && pass.options.links == .skip { return true }
        guard let path = item.path.relative(to: folder.path) else { return false }
        return pass.isHidden(path) || pass.options.leftOut.contains(path)
            || !pass.options.filter.includes(path, isFolder: item.isDirectory)
    }

    private func carryOut(_ planned: PlannedAction, progress: ProgressReporter) async throws -> StepOutcome {
        let (action, difference) = (planned.action, planned.difference)
        switch action.kind {
        case .agree:
            return StepOutcome(
                changes: try [agreed(difference, difference.item(on: .source), difference.item(on: .destination))])
        case .forget: return StepOutcome(changes: [.forgotten(action.path)])
        case .skip: return StepOutcome(changes: [])
        case .conflict:
            try await setAside(action)
            return StepOutcome(changes: [.setAside(action.path)], hasMore: true)
        case .remove:
            try await remove(action, difference)
            // The other side's item, of another type, can be created now.
            return StepOutcome(
                changes: [.forgotten(action.path)], hasMore: difference.item(on: action.side.other) != nil)
        case .move: return StepOutcome(changes: try await move(action, difference))
        case .create where action.type == .directory:
            let hasMore = try await makeFolder(action)
            return StepOutcome(
                changes: try [with(difference, action.side, SyncItem(type: .directory))], hasMore: hasMore)
        case .create, .update:
            let (item, hash) = try await transfer.run(action, difference, progress: progress)
            var taken = StepOutcome(changes: try [with(difference, action.side, item, hash: hash)])
            if item.type == .regular, let size = item.size, let planned = action.size {
                taken.isChanging = size != planned
            }
            return taken
        }
    }

    /// Both sides as planned, except for `item` on `side`.
    private func with(_ difference: SyncDifference, _ side: SyncSide, _ item: SyncItem, hash: String? = nil) throws
        -> SyncChange
    {
        var item = item
        item.isListed = item.type == .directory
        let other = difference.item(on: side.other)
        return try agreed(difference, side == .source ? item : other, side == .source ? other : item, hash: hash)
    }

    private func agreed(
        _ difference: SyncDifference, _ source: SyncItem?, _ destination: SyncItem?, hash: String? = nil
    ) throws -> SyncChange {
        guard let source, let destination else { throw ChangedMeanwhile(path: difference.path) }
        return .agreed(difference.path, AgreedItem(items: Sides(source, destination), hash: hash ?? difference.hash))
    }

    /// Creates a folder.
    ///
    /// - Returns: Whether there may be more to do in the folder. It may be a different folder, which already had this
    ///   name in the storage's own form and may hold something. Or it is new, and the storage may list it under another
    ///   name, whose content then belongs in it.
    private func makeFolder(_ action: SyncAction) async throws -> Bool {
        let folder = pass.folders[action.side]
        let path = folder.path(of: action.path)
        do {
            try await folder.provider.createFolder(path: path)
            return try await pass.store.hasOtherForms(of: action.path)
        } catch let error where error.isFileExists {
            guard try await folder.provider.attributesOfItem(path: path).isDirectory else {
                throw ChangedMeanwhile(path: action.path)
            }
            // Another folder of this plan may exist under both names.
            let twins = try await pass.store.plannedTwins(of: action.path, on: action.side)
            guard twins.isEmpty else { throw ChangedMeanwhile(path: action.path) }
            guard let there = try await item(at: path, in: folder.provider), there.path != path else { return false }
            if isLeftOut(there, of: folder) { throw LeftOutThere(side: action.side) }
            // The existing folder, whose name the storage treats as the same, gets the new name and keeps its content.
            // If the side was thought to distinguish the names, the next pass asks it.
            if !pass.capabilities[action.side].tells(there.path, from: path) {
                try await respell(folder, previous: there.path, to: path, named: action.path, on: action.side)
                // A storage with its own form for all names finds the folder under the new name as well.
                if SyncKey.isOneForm(there.path, path),
                    try await item(at: path, in: folder.provider)?.path == there.path
                {
                    return true
                }
                // The next look finds the agreed content there, and may have more to rename below.
                if let previous = there.path.relative(to: folder.path) {
                    try await pass.store.rename(previous, to: action.path)
                }
            }
            throw ChangedMeanwhile(path: action.path)
        }
    }

    /// Returns the item at `path` as its folder lists it, on a storage that may treat different names as the same;
    /// `nil` if there is none.
    private func item(at path: ProviderPath, in provider: any FileProvider) async throws -> FileObject? {
        let items = try await provider.contentsOfDirectory(path: path.parent ?? .root)
        return items.first { $0.path == path } ?? items.first { SyncKey.folded($0.path) == SyncKey.folded(path) }
    }

    /// Renames the version that loses its name, even if it has changed again by now.
    private func setAside(_ action: SyncAction) async throws {
        let folder = pass.folders[action.side]
        do {
            try await withConflictName(of: action) {
                try await folder.provider.moveItem(path: folder.path(of: action.path), to: $0)
            }
        } catch let error where error.isNoSuchFile {
            throw ChangedMeanwhile(path: action.path)
        }
    }

    /// Calls `body` with names for a conflict copy until one is free.
    private func withConflictName<Value>(of action: SyncAction, _ body: (ProviderPath) async throws -> Value)
        async throws -> Value
    {
        let folder = pass.folders[action.side]
        var maxLength = SyncSide.allCases.compactMap { pass.capabilities[$0].longestName }.min() ?? 255
        // A temporary name stays short: not every limit on names is known.
        if action.kind == .remove { maxLength = min(maxLength, max(action.path.nameBytes.count, 100)) }
        var number = 1
        while true {
            let name = try ConflictName.make(
                for: action.path, label: folder.label, date: Date(), maxLength: maxLength, number: number)
            do { return try await body(folder.path(of: name)) } catch let error where error.isFileExists && number < 100
            { number += 1 }
        }
    }

    private func remove(_ action: SyncAction, _ difference: SyncDifference) async throws {
        let folder = pass.folders[action.side]
        let path = folder.path(of: action.path)
        do {
            // An item with a new name that the storage treats as the same would be found under the old name, too; a
            // folder even if the storage lists it in no other form.
            let twins = try await pass.store.plannedTwins(of: action.path, on: action.side)
                .filter { !pass.capabilities[action.side].tells($0, from: action.path) }
            if action.type == .directory, twins.contains(where: { SyncKey.isOneForm($0, action.path) }) { return }
            if !twins.isEmpty, try await !folder.lists(path) { return }
            // If listings hide names, a folder that looks empty may not be.
            if action.type == .directory, !pass.capabilities[action.side].listsEveryName {
                let rest = try await folder.provider.contentsOfDirectory(path: path)
                guard rest.allSatisfy(isPart) else {
                    throw FileError.make(.fileWriteFileExists, path: path, underlying: POSIXError(.ENOTEMPTY))
                }
                return try await trash.put(action.path, on: action.side, expecting: SyncItem(type: .directory))
            }
            if action.type == .directory { return try await removeFolder(path, of: folder.provider) }
            guard let expected = difference.item(on: action.side) else { return }
            if pass.options.keepsReplaced || action.keepsOld {
                return try await trash.put(action.path, on: action.side, expecting: expected)
            }
            try await removeItem(action, expected)
        } catch let error where error.isNoSuchFile {
            // Someone else has already removed it.
        } catch let error where error.isFileExists && action.type == .directory {
            if try await holdsOnlyLeftOut(path, of: folder) { throw LeftOutThere(side: action.side, isInside: true) }
            // Something new is in the folder.
            throw FileError.make(
                .fileWriteFileExists, path: action.path,
                sentence: "The folder “\(action.path)” still holds something and stays.",
                underlying: error)
        }
    }

    /// Whether everything in a folder and its subfolders is excluded.
    private func holdsOnlyLeftOut(_ path: ProviderPath, of folder: SyncFolder) async throws -> Bool {
        for item in try await folder.provider.contentsOfDirectory(path: path)
        where !isPart(item) && !isLeftOut(item, of: folder) {
            guard item.isDirectory, try await holdsOnlyLeftOut(item.path, of: folder) else { return false }
        }
        return true
    }

    /// Removes a file or a link after moving it aside, so that a version written at the last moment is not removed. If
    /// the run ends in between, a visible conflict copy remains.
    private func removeItem(_ action: SyncAction, _ expected: SyncItem) async throws {
        let (folder, capabilities) = (pass.folders[action.side], pass.capabilities[action.side])
        let (provider, path) = (folder.provider, folder.path(of: action.path))
        // A rename may change the tag.
        if expected.tag != nil || capabilities[.moving] == .derived {
            try await transfer.check(action.path, on: action.side, is: expected)
        }
        if capabilities[.moving] == .derived { return try await provider.removeItem(path: path, recursive: false) }
        let aside = try await withConflictName(of: action) { aside in
            do { try await provider.moveItem(path: path, to: aside) } catch let error where !error.isFileExists {
                throw try await putBack(aside, to: path, in: folder, after: error)
            }
            return aside
        }
        do {
            let now = SyncItem(try await provider.attributesOfItem(path: aside))
            guard let now, now.isMoved(from: expected, capabilities) else { throw ChangedMeanwhile(path: action.path) }
            try await provider.removeItem(path: aside, recursive: false)
        } catch {
            throw try await putBack(aside, to: path, in: folder, after: error)
        }
    }

    /// Moves an item that was set aside back to its place, if it is there, even if the task is cancelled. If the place
    /// has been taken meanwhile, the item stays a conflict copy.
    ///
    /// - Returns: The error to throw.
    private func putBack(
        _ aside: ProviderPath, to path: ProviderPath, in folder: SyncFolder, after error: any Error
    ) async throws -> any Error {
        let isBack = try await withCancellationShield {
            do { try await folder.provider.moveItem(path: aside, to: path) } catch let error
                where error.isFileExists || error.isNoSuchFile
            {
                // If nothing is there to move back, the removal succeeded and its answer was lost, or the rename never
                // happened.
                return false
            }
            return true
        }
        // The request to set it aside was sent twice, and only the second answer arrived.
        return isBack && error.isNoSuchFile ? ChangedMeanwhile(path: path.relative(to: folder.path) ?? path) : error
    }

    /// Removes a folder that holds only partial files of interrupted transfers.
    private func removeFolder(_ path: ProviderPath, of provider: any FileProvider) async throws {
        do { try await provider.removeItem(path: path, recursive: false) } catch let error where error.isFileExists {
            let rest = try await provider.contentsOfDirectory(path: path)
            guard rest.allSatisfy(isPart) else { throw error }
            for part in rest { try await provider.removeItem(path: part.path, recursive: false) }
            try await provider.removeItem(path: path, recursive: false)
        }
    }

    /// Whether an item is a partial file of an interrupted transfer.
    private func isPart(_ item: FileObject) -> Bool {
        !item.isDirectory && TemporaryName.matches(item.name) && TemporaryName.kind(of: item.name) != .aside
    }

    /// Moves a file even if it has changed again; the next look finds the newer version.
    private func move(_ action: SyncAction, _ difference: SyncDifference) async throws -> [SyncChange] {
        guard let from = action.from, let before = try await pass.store.difference(at: from)?.agreed else {
            throw ChangedMeanwhile(path: action.path)
        }
        let folder = pass.folders[action.side]
        let known = before.items[action.side]
        // A copy does not show which version it was made from.
        if pass.capabilities[action.side][.moving] == .derived {
            try await transfer.check(from, on: action.side, is: known)
        }
        do { try await rename(folder, from, to: action.path, on: action.side) } catch let error
            where error.isNoSuchFile || error.isFileExists
        {
            throw ChangedMeanwhile(path: action.path)
        }
        var now = known
        if let item = SyncItem(try await folder.provider.attributesOfItem(path: folder.path(of: action.path))),
            item.isMoved(from: known, pass.capabilities[action.side])
        {
            now = item
        }
        return try [.forgotten(from), with(difference, action.side, now, hash: before.hash)]
    }

    /// Renames an item, through a third name if the storage treats the old and the new name as the same.
    private func rename(_ folder: SyncFolder, _ from: ProviderPath, to path: ProviderPath, on side: SyncSide)
        async throws
    {
        let (old, new) = (folder.path(of: from), folder.path(of: path))
        if pass.capabilities[side].tells(from, from: path) {
            return try await folder.provider.moveItem(path: old, to: new)
        }
        try await respell(folder, previous: old, to: new, named: path, on: side)
    }

    private func respell(
        _ folder: SyncFolder, previous: ProviderPath, to new: ProviderPath, named path: ProviderPath, on side: SyncSide
    ) async throws {
        let between = try ConflictName.make(
            for: path, label: folder.label, date: Date(), maxLength: pass.capabilities[side].longestName ?? 255)
        let aside = folder.path(of: between)
        do { try await folder.provider.moveItem(path: previous, to: aside) } catch let error where !error.isFileExists {
            throw try await putBack(aside, to: previous, in: folder, after: error)
        }
        // Not cancellable in between: the next run would mistake the item for a new one.
        do { try await withCancellationShield { try await folder.provider.moveItem(path: aside, to: new) } } catch {
            throw try await putBack(aside, to: previous, in: folder, after: error)
        }
    }
}
