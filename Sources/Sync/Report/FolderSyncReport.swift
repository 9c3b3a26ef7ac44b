public import FileProviderCore
public import Foundation

/// What a run came to.
public struct FolderSyncReport: Sendable {
    /// An item about which something is to be said.
    public struct Item: Sendable {
        /// The side that it is about.
        public let side: SyncSide
        /// Counted from the two folders.
        public let path: ProviderPath
        /// Why, in a sentence without secrets.
        public let reason: String
        /// The error, where it was one.
        public let error: (any Error)?
        /// Whether it is left out for what it is, as the options say, rather than because a side cannot hold it.
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

    /// Files, folders and links that were made.
    public internal(set) var created = 0
    /// Files and links that were replaced.
    public internal(set) var updated = 0
    /// Files that went where the other side had moved them.
    public internal(set) var moved = 0
    /// Items that were removed.
    public internal(set) var removed = 0
    /// Versions that got another name, because both sides had one of their own.
    public internal(set) var conflicts = 0
    /// Bytes that were transferred.
    public internal(set) var bytes: Int64 = 0
    /// What takes no part, or cannot be held by the other side. At most ``maxNamed`` of each are named.
    public private(set) var skipped: [Item] = []
    /// How many take no part for what they are, as the options say.
    public private(set) var leftOut = 0
    /// How many cannot be held by the other side.
    public private(set) var unheld = 0
    /// What failed; the rest went on. At most ``maxNamed`` are named.
    public private(set) var failed: [Item] = []
    /// How many failed.
    public private(set) var failures = 0
    /// What changed while it was worked on, again and again; the next run looks at it anew. At most ``maxNamed`` are
    /// named.
    public private(set) var postponed: [Item] = []

    /// What failed, and what the other side cannot hold, as far as it is named.
    var remaining: [Item] { failed + skipped.filter { !$0.isLeftOut } }

    /// How long the last look at both sides took.
    var lookTime: Duration = .zero

    /// Items of one kind that are named.
    public static let maxNamed = 1000

    init() {}

    /// Whether both sides are in step now, but for what takes no part.
    public var isComplete: Bool { failures == 0 && postponed.isEmpty }

    /// Whether anything was changed on either side.
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

    /// Adds what another look found.
    mutating func add(_ look: FolderSyncReport) {
        for item in look.skipped { skip(item) }
        for item in look.failed { fail(item) }
        for item in look.postponed { postpone(item) }
        // Those that are not named count as well.
        leftOut += look.leftOut - look.skipped.count { $0.isLeftOut }
        unheld += look.unheld - look.skipped.count { !$0.isLeftOut }
        failures += look.failures - look.failed.count
    }

    /// Begins another pass: what was left to do, and what takes no part, is found anew.
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
    /// Bytes with those of a transfer. Sizes are what a server says: the sum may be none that a number holds.
    func adding(size action: SyncAction) -> Int64 {
        let (sum, isTooLarge) = addingReportingOverflow(action.size ?? 0)
        return isTooLarge ? .max : sum
    }
}

/// What happens in a run, as it happens.
public enum SyncEvent: Sendable {
    /// A step begins; `progress` is its own, of a transfer only.
    case began(SyncAction, progress: Progress?)
    /// A step is done.
    case done(SyncAction)
    /// A step failed, for a reason that either side may have; the others go on.
    case failed(SyncAction, FolderSyncReport.Item)
    /// A step has to be taken anew, because the item changed meanwhile.
    case postponed(SyncAction)
}
