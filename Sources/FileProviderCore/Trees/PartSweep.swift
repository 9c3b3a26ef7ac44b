public import Foundation

/// Removes the leftovers of killed writers: files and folders under a ``TemporaryName`` that are too old to be in use.
///
/// Age is measured by the storage's own clock: the modification time of a small file that the sweep writes beside the
/// first part. A part without a known time is never removed, nor is anything whose name is not exactly one that
/// ``TemporaryName`` makes.
public struct PartSweep: Sendable {
    /// The outcome of a sweep.
    public struct Outcome: Sendable {
        /// Parts that were removed, or would be in a dry run.
        public var removed: [ProviderPath] = []
        /// Parts that stay, because they are too young or their age is unknown.
        public var kept = 0
        /// Parts that could not be removed and folders that could not be listed, each with its reason; the sweep went
        /// on.
        public var failed: [(path: ProviderPath, error: any Error)] = []

        /// Creates an empty outcome.
        public init() {}
    }

    /// A day, in seconds.
    public static let usualAge: TimeInterval = 86_400
    /// Seven days, in seconds: how long parts stay from which a later write may continue.
    public static let resumableAge: TimeInterval = 7 * 86_400

    /// Seconds that a part stays; at least ``resumableAge`` for one from which a later write may continue.
    public var age: TimeInterval
    /// Whether the sweep only names parts.
    public var isDryRun: Bool
    /// How long a part has to stay unchanged before it is removed. Writers set the time of a part right before they
    /// rename it, so that it looks old for a moment.
    package var settling: Duration = .seconds(3)

    /// - Parameter age: A day by default.
    public init(age: TimeInterval = PartSweep.usualAge, isDryRun: Bool = false) {
        self.age = age
        self.isDryRun = isDryRun
    }

    /// Whether an item of a listing is a part that `sweep` may remove once it is old enough.
    public static func isPart(_ item: FileObject) -> Bool {
        switch TemporaryName.kind(of: item.name) {
        case .single, .resumable: item.name == item.path.name
        case .aside, nil: false
        }
    }

    /// Sweeps the folder at `path` and everything below it.
    ///
    /// - Throws: An error of listing the folder itself, or of writing the small file that shows the storage's clock.
    /// - Complexity: One listing for each folder, and as `sweep`.
    public func sweep(_ path: ProviderPath, of provider: any FileProvider) async throws -> Outcome {
        let parts = CollectedValues<FileObject>()
        let unlisted = CollectedValues<(path: ProviderPath, error: any Error)>()
        try await provider.walk(path: path) { path, error in
            if error.unusableNames == nil { unlisted.append((path, error)) }
        } entering: { item in
            TemporaryName.kind(of: item.name) == nil
        } visit: { item in
            if Self.isPart(item) { parts.append(item) }
        }
        var outcome = try await sweep(parts.values, of: provider)
        outcome.failed += unlisted.values
        return outcome
    }

    /// Sweeps parts that a listing showed just now. Ignores items that are no parts.
    ///
    /// - Throws: An error of writing the small file, or of listing the folder in which it is; an error that concerns
    ///   every item.
    /// - Complexity: Nothing without parts. Three requests for the clock, one or two listings for each folder that has
    ///   parts, and one removal for each part. A part that is a folder is listed with all below it.
    public func sweep(_ parts: [FileObject], of provider: any FileProvider) async throws -> Outcome {
        let start = ContinuousClock.now
        let parts = parts.filter(Self.isPart)
        let folders = Dictionary(grouping: parts) { $0.path.parent ?? .root }.sorted { $0.key < $1.key }
        var (outcome, clock) = (Outcome(), StorageClock?.none)
        for (folder, parts) in folders {
            do {
                let known = clock
                let (items, now) = try await look(at: folder, known, of: provider)
                clock = now
                try await sweep(parts, among: items, now, start, in: folder, of: provider, &outcome)
            } catch let error where clock != nil && !error.concernsEveryItem {
                outcome.kept += parts.count
                outcome.failed.append((folder, error))
            }
            // Without a clock, no age is known.
            if clock == nil { outcome.kept += parts.count }
        }
        return outcome
    }

    /// Lists a folder once more; for the first one, together with a small file that was written there just now.
    private func look(
        at folder: ProviderPath, _ clock: StorageClock?, of provider: any FileProvider
    ) async throws -> (items: [FileObject], clock: StorageClock?) {
        if let clock { return (try await provider.contentsOfDirectory(path: folder), clock) }
        let probe = try TemporaryName.make(beside: folder.appending("clock"))
        let written = ContinuousClock.now
        let result: Result<[FileObject], any Error>
        do {
            try await provider.writeContents(
                path: probe, from: DataSource(Data("carrel".utf8)), options: WriteOptions(placement: .inPlace))
            result = .success(try await provider.contentsOfDirectory(path: folder))
        } catch { result = .failure(error) }
        // Outside the task, which may be cancelled. A file that cannot be removed is swept later.
        await withCancellationShield { try? await provider.removeItem(path: probe, recursive: false) }
        let items = try result.get()
        // From the same listing as the parts: other requests of some servers show another time zone or step.
        let date = items.first { $0.path == probe }?.modifiedDate
        return (items, date.map { StorageClock(date: $0, read: written) })
    }

    private func sweep(
        _ parts: [FileObject], among items: [FileObject], _ clock: StorageClock?, _ start: ContinuousClock.Instant,
        in folder: ProviderPath,
        of provider: any FileProvider, _ outcome: inout Outcome
    ) async throws {
        guard let clock else { return }
        var previous: [FileObject] = []
        for part in Self.unchanged(parts, in: items) where try await isOld(part, clock, of: provider) {
            previous.append(part)
        }
        outcome.kept += parts.count - previous.count
        if isDryRun {
            outcome.removed += previous.map(\.path)
            return
        }
        if !previous.isEmpty, .now < start + settling {
            try await Task.sleep(until: start + settling)
            previous = Self.unchanged(previous, in: try await provider.contentsOfDirectory(path: folder))
        }
        for part in previous { try await remove(part, of: provider, &outcome) }
    }

    /// Returns the parts that a later listing shows unchanged. One that changes is being written; one that is gone has
    /// been renamed.
    private static func unchanged(_ parts: [FileObject], in items: [FileObject]) -> [FileObject] {
        let now = Dictionary(items.filter(isPart).map { ($0.path, $0) }) { first, _ in first }
        return parts.compactMap { part in
            guard let item = now[part.path], item.type == part.type, item.size == part.size,
                item.modifiedDate == part.modifiedDate
            else {
                return nil
            }
            return item
        }
    }

    private func isOld(_ part: FileObject, _ clock: StorageClock, of provider: any FileProvider) async throws -> Bool {
        let least = TemporaryName.kind(of: part.name) == .single ? age : max(age, Self.resumableAge)
        guard let last = try await lastChange(of: part, of: provider) else { return false }
        return clock.now.timeIntervalSince(last) > least
    }

    /// Returns when a part or, for a folder, anything in it last changed; nil if that is not known of all of it.
    private func lastChange(of part: FileObject, of provider: any FileProvider) async throws -> Date? {
        guard let own = part.modifiedDate else { return nil }
        if !part.isDirectory { return own }
        let last = LockedValue<Date?>(own)
        do {
            try await provider.walk(path: part.path, unlisted: { throw $1 }) { item in
                last.update { last in
                    guard let date = item.modifiedDate else {
                        last = nil
                        return
                    }
                    last = last.map { max($0, date) }
                }
            }
        } catch let error where !error.concernsEveryItem { return nil }
        return last.value
    }

    private func remove(_ part: FileObject, of provider: any FileProvider, _ outcome: inout Outcome) async throws {
        do {
            try await provider.removeItem(path: part.path, recursive: part.isDirectory)
            outcome.removed.append(part.path)
        } catch let error where error.isNoSuchFile {
            // It was renamed, or another sweep was first.
        } catch let error where !error.concernsEveryItem {
            outcome.failed.append((part.path, error))
        }
    }
}

/// The time on a storage.
private struct StorageClock {
    let date: Date
    let read: ContinuousClock.Instant

    var now: Date { date.addingTimeInterval((ContinuousClock.now - read) / .seconds(1)) }
}
