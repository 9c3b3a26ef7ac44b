import FileProviderCore
import Foundation

/// What killed writers left, as far as the listings of a run show it.
final class SyncParts: Sendable {
    private let found = LockedValue(Sides<[FileObject]>([], []))

    /// More are left to later runs.
    private static let maxCount = 10_000

    /// Takes an item of a listing, if it is a part.
    func add(_ item: FileObject, on side: SyncSide) {
        guard PartSweep.isPart(item) else { return }
        found.update { found in
            if found[side].count < Self.maxCount { found[side].append(item) }
        }
    }

    /// Those worth a look at the storage's clock: by this machine's, they are too old.
    func old(on side: SyncSide) -> [FileObject] {
        let now = Date()
        return found.value[side].filter { part in
            let isResumable = TemporaryName.kind(of: part.name) != .single
            let age = isResumable ? PartSweep.resumableAge : PartSweep.usualAge
            return part.modifiedDate.map { now.timeIntervalSince($0) > age } ?? false
        }
    }
}
