import FileProviderCore
import Foundation

/// Lists one side into the state, which keeps only the differences.
struct SyncLook: Sendable {
    private let pass: SyncPass
    private let side: SyncSide
    private let folder: SyncFolder
    private let store: SyncStore
    private let options: SyncOptions
    private let precision: Double

    init(_ pass: SyncPass, side: SyncSide) {
        self.pass = pass
        self.side = side
        (folder, store, options, precision) = (pass.folders[side], pass.store, pass.options, pass.precision(of: side))
    }

    /// - Returns: A report of the items that could not be examined or are excluded.
    func run() async throws -> FolderSyncReport {
        let batch = LockedValue<[(path: ProviderPath, item: SyncItem)]>([])
        let leftOut = LockedValue<[ProviderPath]>([])
        let unlisted = CollectedValues<ProviderPath>()
        let incomplete = CollectedValues<ProviderPath>()
        let report = LockedValue(FolderSyncReport())
        try await folder.provider.walk(path: folder.path) { path, error in
            if error.concernsEveryItem { throw error }
            report.update { $0.fail(FolderSyncReport.Item(side, relative(path), error)) }
            // The usable names in such a folder are synced.
            if error.unusableNames != nil { incomplete.append(relative(path)) } else { unlisted.append(relative(path)) }
        } entering: { object in
            takesPart(object)
        } visit: { object in
            let path = relative(object.path)
            guard takesPart(object) else {
                pass.parts.add(object, on: side)
                if pass.isHidden(path), !TemporaryName.matches(path.name), !isTrash(path) {
                    let what = "One side's listings hide names that begin with a dot."
                    report.update { $0.skip(FolderSyncReport.Item(side, path, what)) }
                }
                return
            }
            guard let object = try await completed(object, report) else {
                return try await store.leaveOut([path], itself: true)
            }
            guard let item = SyncItem(object), item.type != .symbolicLink || options.links != .skip else {
                let what =
                    object.isSymbolicLink ? "Symbolic links are left out." : "This is not a file, folder or link."
                report.update { $0.skip(FolderSyncReport.Item(side, path, what, isLeftOut: true)) }
                if let full = leftOut.update({ $0.add(path) }) { try await store.leaveOut(full, itself: true) }
                return
            }
            if let full = batch.update({ $0.add((path, item)) }) { try await note(full, report) }
        }
        try await store.leaveOut(leftOut.value, itself: true)
        try await store.leaveOut(unlisted.values, itself: false)
        try await store.noteIncomplete(incomplete.values, on: side)
        try await note(batch.value, report)
        return report.value
    }

    /// Stores part of the listing. Names that occur twice are excluded: a hostile server may list a folder and then a
    /// link under one name, so that files are written through the link.
    private func note(_ items: [(path: ProviderPath, item: SyncItem)], _ report: LockedValue<FolderSyncReport>)
        async throws
    {
        let twice = try await store.note(items, on: side, precision: precision)
        try await store.leaveOut(twice, itself: true)
        for path in twice {
            let sentence = "“\(path)” was skipped because the storage lists this name twice."
            let error = FileError.make(.fileReadInvalidFileName, path: folder.path(of: path), sentence: sentence)
            report.update { $0.fail(FolderSyncReport.Item(side, path, error)) }
        }
    }

    /// Returns an item with its link target. Some listings show only that an item is a link. Returns `nil` if the
    /// target can't be determined.
    private func completed(_ object: FileObject, _ report: LockedValue<FolderSyncReport>) async throws -> FileObject? {
        guard options.links != .skip, object.isSymbolicLink, object.linkTarget == nil else { return object }
        do { return try await folder.provider.attributesOfItem(path: object.path) } catch let error
            where !error.concernsEveryItem
        {
            if !error.isNoSuchFile {
                report.update { $0.fail(FolderSyncReport.Item(side, relative(object.path), error)) }
            }
            return nil
        }
    }

    private func takesPart(_ object: FileObject) -> Bool {
        let path = relative(object.path)
        if isTrash(path) || pass.isHidden(path) || TemporaryName.matches(path.name) || options.leftOut.contains(path) {
            return false
        }
        return options.filter.includes(path, isFolder: object.isDirectory)
    }

    private func isTrash(_ path: ProviderPath) -> Bool {
        let names = pass.hidesDots ? [SyncOptions.trashName, SyncOptions.plainTrashName] : [SyncOptions.trashName]
        return names.contains { path.bytes.elementsEqual($0.utf8) }
    }

    private func relative(_ path: ProviderPath) -> ProviderPath { path.relative(to: folder.path) ?? .root }
}

extension Array {
    /// Adds an element. At 512, the batch size of the database, returns all elements and empties the array.
    fileprivate mutating func add(_ element: Element) -> [Element]? {
        append(element)
        if count < 512 { return nil }
        defer { self = [] }
        return self
    }
}
