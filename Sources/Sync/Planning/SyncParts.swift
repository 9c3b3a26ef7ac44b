import FileProviderCore
import Foundation

/// Partial files that interrupted writers left, as found in the listings of a run.
final class SyncParts: Sendable {
    private let found = LockedValue(Sides<[FileObject]>([], []))

    /// The limit per run; later runs handle the rest.
    private static let maxCount = 10_000

    /// Adds an item of a listing if it is a partial file.
    func add(_ item: FileObject, on side: SyncSide) {
        guard PartSweep.isPart(item) else { return }
        found.update { found in
            if found[side].count < Self.maxCount { found[side].append(item) }
        }
    }

    /// The partial files that are too old by this machine's clock; the storage's clock decides.
    func old(on side: SyncSide) -> [FileObject] {
        let now = Date()
        return found.value[side].filter { part in
            let isResumable = TemporaryName.kind(of: part.name) != .single
            let age = isResumable ? PartSweep.resumableAge : PartSweep.usualAge
            return part.modifiedDate.map { now.timeIntervalSince($0) > age } ?? false
        }
    }
}
