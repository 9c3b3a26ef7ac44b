public import FileProviderCore
public import Foundation

/// The result of a run.
public struct FolderSyncReport: Sendable {
    /// An item with a problem or a remark.
    public struct Item: Sendable {
        /// The side that the remark is about.
        public let side: SyncSide
        /// The path, relative to the two folders.
        public let path: ProviderPath
        /// The reason, in a sentence without secrets.
        public let reason: String
        /// The error, if there was one.
        public let error: (any Error)?
        /// Whether the item is excluded because of its kind and the options, rather than because a side can't hold it.
        public let isLeftOut: Bool

        init(_ side: SyncSide, _ path: ProviderPath, _ reason: String, isLeftOut: Bool = false) {
            self.side = side
            self.path = path
            self.reason = reason
            error = nil
            self.isLeftOut = isLeftOut
        }

        init(_ side: SyncSide, _ path: ProviderPath, _ error: any Error) {
            self.side = side
            self.path = path
            reason = error.sentence
            self.error = error
            isLeftOut = false
        }
    }

    /// The number of files, folders and links created.
    public internal(set) var created = 0
    /// The number of files and links replaced.
    public internal(set) var updated = 0
    /// The number of files moved as on the other side.
    public internal(set) var moved = 0
    /// The number of items removed.
    public internal(set) var removed = 0
    /// The number of versions renamed because both sides had changed the item.
    public internal(set) var conflicts = 0
    /// The number of bytes transferred.
    public internal(set) var bytes: Int64 = 0
    /// Items that are excluded, or that the other side can't hold. Lists at most ``maxNamed`` of each.
    public private(set) var skipped: [Item] = []
    /// The number of items excluded because of their kind and the options.
    public private(set) var leftOut = 0
    /// The number of items that the other side can't hold.
    public private(set) var unheld = 0
    /// Items that failed while the rest went on. Lists at most ``maxNamed``.
    public private(set) var failed: [Item] = []
    /// The number of items that failed.
    public private(set) var failures = 0
    /// Items that kept changing during the run. The next run looks at them again. Lists at most ``maxNamed``.
    public private(set) var postponed: [Item] = []

    /// The listed items that failed or that the other side can't hold.
    var remaining: [Item] { failed + skipped.filter { !$0.isLeftOut } }

    /// The duration of the last look at both sides.
    var lookTime: Duration = .zero

    /// The most items that each list names.
    public static let maxNamed = 1000

    init() {}

    /// Whether both sides are now in step, apart from skipped items.
    public var isComplete: Bool { failures == 0 && postponed.isEmpty }

    /// Whether the run changed anything on either side.
    public var hasChanges: Bool { created + updated + moved + removed + conflicts > 0 }

    mutating func fail(_ item: Item) {
        failures += 1
        if failed.count < Self.maxNamed { failed.append(item) }
    }

    mutating func skip(_ item: Item) {
        if item.isLeftOut { leftOut += 1 } else { unheld += 1 }
        if (item.isLeftOut ? leftOut : unheld) <= Self.maxNamed { skipped.append(item) }
    }

    mutating func postpone(_ item: Item) { if postponed.count < Self.maxNamed { postponed.append(item) } }

    /// Adds the findings of another look.
    mutating func add(_ look: FolderSyncReport) {
        for item in look.skipped { skip(item) }
        for item in look.failed { fail(item) }
        for item in look.postponed { postpone(item) }
        // Items that are not listed count as well.
        leftOut += look.leftOut - look.skipped.count { $0.isLeftOut }
        unheld += look.unheld - look.skipped.count { !$0.isLeftOut }
        failures += look.failures - look.failed.count
    }

    /// Begins another pass, which finds the remaining and excluded items again.
    mutating func beginPass(_ look: FolderSyncReport) {
        (skipped, leftOut, unheld, failed, failures, postponed, lookTime) = ([], 0, 0, [], 0, [], look.lookTime)
        add(look)
    }

    mutating func count(_ action: SyncAction) {
        bytes = bytes.adding(size: action)
        switch action.kind {
        case .create: created += 1
        case .update: updated += 1
        case .move: moved += 1
        case .remove: removed += 1
        case .conflict: conflicts += 1
        case .skip, .agree, .forget: break
        }
    }
}

extension Int64 {
    /// Returns the sum with a transfer's bytes, or `Int64.max` on overflow: a server may report any size.
    func adding(size action: SyncAction) -> Int64 {
        let (sum, isTooLarge) = addingReportingOverflow(action.size ?? 0)
        return isTooLarge ? .max : sum
    }
}

/// An event during a run.
public enum SyncEvent: Sendable {
    /// A step begins. `progress` is its own progress, for transfers only.
    case began(SyncAction, progress: Progress?)
    /// A step is done.
    case done(SyncAction)
    /// A step failed, because of either side; the others go on.
    case failed(SyncAction, FolderSyncReport.Item)
    /// A step must be repeated because the item changed meanwhile.
    case postponed(SyncAction)
}
