import FileProviderCore
import Foundation

/// A folder of a provider for removed and replaced items.
final class Trash: Sendable {
    let path: ProviderPath
    let provider: any FileProvider
    private let policy: TrashPolicy
    private let now: @Sendable () -> Date
    private let ledger = LockedValue(Ledger())

    /// The state of the trash as far as it is known without a request.
    private struct Ledger: Sendable {
        /// Bytes, by entry; of all entries once it was swept.
        var sizes: [ProviderPath: Int64] = [:]
        /// Nil before the first sweep.
        var nextSweep: Date?
        /// Entries whose operation is still running: if it fails, they are moved back.
        var inFlight: Set<ProviderPath> = []
    }

    init(of provider: any FileProvider, policy: TrashPolicy, now: @escaping @Sendable () -> Date) throws {
        self.provider = provider
        self.policy = policy
        self.now = now
        path = try ProviderPath(policy.path)
        if path.isRoot {
            throw FileError.make(
                .fileReadInvalidFileName, path: path, sentence: "The trash cannot be the provider's root.")
        }
    }

    /// Whether `other` is the trash folder, or below or above it.
    func touches(_ other: ProviderPath) -> Bool { other == path || other.isBelow(path) || path.isBelow(other) }

    /// Whether an item fits into the limit on the trash's size.
    func takes(_ item: FileObject) async throws -> Bool {
        guard let limit = policy.greatestSize else { return true }
        return try await size(of: item) <= limit
    }

    // MARK: In and out

    /// Moves an item into the trash, where no sweep removes it before ``settle(_:)``.
    ///
    /// - Returns: The item's path in the trash.
    func put(_ item: FileObject, progress: ProgressReporter = ProgressReporter()) async throws -> ProviderPath {
        try await enter(item) { [provider] in
            try await provider.moveItem(path: item.path, to: $0, overwrite: false, progress: progress)
        }
    }

    /// Puts a copy of an item into the trash, where no sweep removes it before ``settle(_:)``.
    ///
    /// - Returns: The path of the copy.
    func putCopy(of item: FileObject) async throws -> ProviderPath {
        try await enter(item) { [provider] in try await provider.copyItem(path: item.path, to: $0) }
    }

    private func enter(_ item: FileObject, _ body: (ProviderPath) async throws -> Void) async throws -> ProviderPath {
        let maxLength = max(65, min(255, try await provider.capabilities().longestName ?? 255))
        let names = TrashName.names(for: item.path, date: now(), maxLength: maxLength)
        let location = try names.reduce(path) { try $0.appending(nameBytes: $1) }
        let size = policy.greatestSize == nil ? nil : try await size(of: item)
        let top = top(of: location)
        // Noted before the move: a sweep may list the item as soon as it is in the trash.
        ledger.update { _ = $0.inFlight.insert(top) }
        do {
            do { try await body(location) } catch let error where error.isNoSuchFile {
                // The folder does not exist yet, or was removed.
                try await provider.createFolderWithParents(path: location.parent ?? path)
                try await body(location)
            }
        } catch {
            settle(location)
            throw error
        }
        ledger.update { $0.sizes[top] = size }
        return location
    }

    /// Ends the protection of the entry at `location`: its step is recorded, or it is no longer needed.
    func settle(_ location: ProviderPath) {
        let top = top(of: location)
        ledger.update { _ = $0.inFlight.remove(top) }
    }

    /// Moves the item at `location` out of the trash.
    func takeOut(_ location: ProviderPath, to destination: ProviderPath, overwrite: Bool = false) async throws {
        try await provider.moveItem(path: location, to: destination, overwrite: overwrite)
        let top = top(of: location)
        ledger.update { $0.sizes[top] = nil }
        // The folder of a long name; if it stays, a later sweep removes it.
        if top != location { try? await provider.removeItem(path: top, recursive: true) }
    }

    /// Removes the item at `location` for good.
    func discard(_ location: ProviderPath) async throws { try await removeEntry(top(of: location)) }

    private func removeEntry(_ top: ProviderPath) async throws {
        do { try await provider.removeItem(path: top, recursive: true) } catch let error where error.isNoSuchFile {
            // Another caller was first.
        }
        ledger.update { $0.sizes[top] = nil }
    }

    /// Returns the item directly in the trash folder that `location` is, or is below.
    private func top(of location: ProviderPath) -> ProviderPath {
        guard let name = location.relative(to: path)?.components.first else { return location }
        return (try? path.appending(nameBytes: name)) ?? location
    }

    // MARK: Content

    /// Returns all items that can be restored, the oldest first.
    func contents() async throws -> [TrashEntry] {
        var found: [TrashEntry] = []
        for (item, date) in try await entries() {
            guard let (kept, names) = try await unfolded(item), let original = TrashName.path(in: names) else {
                continue
            }
            found.append(TrashEntry(item: kept, originalPath: original, date: date))
        }
        return found
    }

    /// Returns the items that a trash put into the folder, the oldest first.
    private func entries() async throws -> [(item: FileObject, date: Date)] {
        do {
            return try await provider.contentsOfDirectory(path: path).compactMap { item in
                TrashName.date(of: item.path.nameBytes).map { (item, $0) }
            }.sorted { ($0.date, $0.item.path) < ($1.date, $1.item.path) }
        } catch let error where error.isNoSuchFile { return [] }
    }

    /// Returns the item of an entry, and the names that encode its path; nil for an entry without an item.
    private func unfolded(_ entry: FileObject) async throws -> (FileObject, [ArraySlice<UInt8>])? {
        var item = entry
        var names = [entry.path.nameBytes]
        while let last = names.last, TrashName.isBroken(last) {
            // No path is that long.
            guard names.count < 256, let inner = try await provider.contentsOfDirectory(path: item.path).first else {
                return nil
            }
            item = inner
            names.append(inner.path.nameBytes)
        }
        return (item, names)
    }

    private func size(of item: FileObject) async throws -> Int64 {
        guard item.isDirectory else { return item.size ?? 0 }
        let sizes = CollectedValues<Int64>()
        try await provider.walk(path: item.path) { sizes.append($0.size ?? 0) }
        return sizes.values.reduce(0, +)
    }

    // MARK: Sweeping

    /// Whether a limit may be exceeded, as far as is known without a request.
    var isDue: Bool {
        let ledger = ledger.value
        guard let next = ledger.nextSweep, next > now() else {
            return policy.longestAge != nil || policy.greatestSize != nil
        }
        guard let limit = policy.greatestSize else { return false }
        return ledger.sizes.reduce(0) { ledger.inFlight.contains($1.key) ? $0 : $0 + $1.value } > limit
    }

    /// Removes entries over the limits: those that are too old or too large by themselves, then the oldest.
    ///
    /// Entries of running operations stay and do not count; the sweep after the operation handles them.
    ///
    /// - Parameter forget: Called with each entry before it is removed.
    /// - Throws: The first error, after the other entries were removed.
    func sweep(all: Bool = false, forget: (ProviderPath) -> Void) async throws {
        let time = now()
        let before = ledger.value.sizes
        let listed = try await entries()
        // Read after the listing, which may contain items that have arrived in the trash meanwhile.
        let inFlight = ledger.value.inFlight
        let entries = listed.filter { !inFlight.contains($0.item.path) }
        var sizes: [ProviderPath: Int64] = [:]
        var doomed: [ProviderPath] = []
        for (item, date) in entries {
            if all || policy.longestAge.map({ date.addingTimeInterval($0) < time }) ?? false {
                doomed.append(item.path)
            } else if let limit = policy.greatestSize {
                let size = if let known = before[item.path] { known } else { try await size(of: item) }
                if size > limit { doomed.append(item.path) } else { sizes[item.path] = size }
            }
        }
        var total = sizes.values.reduce(0, +)
        for (item, _) in entries {
            guard let limit = policy.greatestSize, total > limit else { break }
            guard let size = sizes.removeValue(forKey: item.path) else { continue }
            total -= size
            doomed.append(item.path)
        }
        // Ages are checked thirty times in a lifetime, so that many removals do not cost as many listings.
        let next = time.addingTimeInterval((policy.longestAge ?? .infinity) / 30)
        ledger.update { [sizes] ledger in
            let later = ledger.sizes.filter { before[$0.key] == nil || inFlight.contains($0.key) }
            ledger.sizes = sizes.merging(later) { $1 }
            ledger.nextSweep = next
        }
        var failure: (any Error)?
        for entry in doomed {
            forget(entry)
            do { try await removeEntry(entry) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}
