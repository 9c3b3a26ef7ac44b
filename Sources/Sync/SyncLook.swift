import FileProviderCore
import Foundation

/// Lists one side into the state, where only what differs is kept.
struct SyncLook: Sendable {
    let side: SyncSide
    let folder: SyncFolder
    let store: SyncStore
    let options: SyncOptions
    /// Whether listings of either side hide names that begin with a dot: what cannot be seen would be taken for removed.
    let hidesDots: Bool
    /// The step of the side's times, in seconds.
    let precision: Double

    /// What could not be looked at, or takes no part by its kind.
    struct Outcome: Sendable {
        var unlisted: [FolderSyncReport.Item] = []
        var skipped: [FolderSyncReport.Item] = []
    }

    /// Items handed to the database at once.
    private static let batch = 512

    func run() async throws -> Outcome {
        let batch = Locked<[(path: ProviderPath, item: SyncItem)]>([])
        let outcome = Locked(Outcome())
        try await folder.provider.walk(path: folder.path) { path, error in
            if error.concernsEveryItem { throw error }
            outcome.update { $0.unlisted.append(FolderSyncReport.Item(side, relative(path), error)) }
        } entering: { object in
            takesPart(object)
        } visit: { object in
            let path = relative(object.path)
            guard takesPart(object) else {
                if isHidden(path), !TemporaryName.matches(path.name), !isTrash(path) {
                    let what = "Listings of one side hide names that begin with a dot."
                    outcome.update { $0.skipped.append(FolderSyncReport.Item(side, path, what)) }
                }
                return
            }
            guard let item = SyncItem(object), item.type != .symbolicLink || options.links == .copy else {
                let what = object.isSymbolicLink ? "Symbolic links are left out." : "It is no file, folder or link."
                return outcome.update { $0.skipped.append(FolderSyncReport.Item(side, path, what, isLeftOut: true)) }
            }
            let full = batch.update { batch in
                batch.append((path, item))
                return batch.count < Self.batch ? nil : batch.take()
            }
            if let full { try await store.note(full, on: side, precision: precision) }
        }
        try await store.note(batch.value, on: side, precision: precision)
        return outcome.value
    }

    private func takesPart(_ object: FileObject) -> Bool {
        let path = relative(object.path)
        if isTrash(path) || isHidden(path) || TemporaryName.matches(path.name) { return false }
        return options.filter.includes(path, isFolder: object.isDirectory)
    }

    private func isHidden(_ path: ProviderPath) -> Bool { hidesDots && path.nameBytes.first == UInt8(ascii: ".") }

    private func isTrash(_ path: ProviderPath) -> Bool {
        let names = hidesDots ? [SyncOptions.trashName, SyncOptions.plainTrashName] : [SyncOptions.trashName]
        return names.contains { path.bytes.elementsEqual($0.utf8) }
    }

    private func relative(_ path: ProviderPath) -> ProviderPath { path.relative(to: folder.path) ?? .root }
}

extension Array {
    /// All of it; nothing stays.
    fileprivate mutating func take() -> [Element] {
        defer { self = [] }
        return self
    }
}
