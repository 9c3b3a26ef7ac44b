/// One change of a tree of files, told after it happened.
///
/// Events are told in an order in which they can be replayed: applied one after the other to a listing of the folder,
/// they give what is there now. Changes within one window are told as one (created and removed again: not at all).
public struct FileEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// An item is there. Whatever was known at its path before, with all below it, is gone. What a new folder holds
        /// is told item by item, the folder first.
        case created
        /// A file has other content, or an item other attributes. A file that was replaced by another one is modified,
        /// too.
        case modified
        /// An item is gone, and all below it, of which nothing more is told.
        case removed
        /// An item, with all below it, lies elsewhere now. Whatever was at its new path, with all below it, is gone.
        case moved
        /// What is below the folder has to be listed anew, for the ``FileEvent/reason`` given. Always the last of its
        /// batch.
        case rescan
    }

    /// What happened, and with it what the other properties mean.
    public var kind: Kind
    /// Where the item is now, or was until it was removed; of ``Kind/rescan``, the folder.
    public var path: ProviderPath
    /// Where the item was before it moved; nil for every other kind.
    public var from: ProviderPath?
    /// What the item is, or was; nil where the storage does not say.
    public var type: FileType?
    /// Why everything has to be listed anew, in a sentence; nil for every other kind.
    public var reason: String?

    /// An event as it is given: that `from` goes with a move, and `reason` with a rescan, is the caller's promise.
    public init(
        _ kind: Kind, path: ProviderPath, from: ProviderPath? = nil, type: FileType? = nil, reason: String? = nil
    ) {
        self.kind = kind
        self.path = path
        self.from = from
        self.type = type
        self.reason = reason
    }
}

extension FileEvent: CustomStringConvertible {
    /// Kind and path, of a move both paths; without type and reason.
    public var description: String { from.map { "\(kind) \($0) → \(path)" } ?? "\(kind) \(path)" }
}

/// How a folder is watched.
public struct WatchOptions: Sendable, Hashable {
    /// Whether what lies in folders below is watched, too.
    public var isRecursive: Bool
    /// Seconds that a native watch waits after a change for others to be told with it; 0 or more. Longer windows give
    /// fewer events.
    public var window: Double
    /// Seconds between two looks of a polling watch right after a change; more than 0.
    public var minInterval: Double
    /// Seconds between two looks of a polling watch when nothing changes for long.
    public var maxInterval: Double
    /// Changes that wait for a consumer, and events of one batch; more become one ``FileEvent/Kind/rescan``.
    public var maxPending: Int
    /// Whether to poll even where the storage tells of changes itself: for folders that other machines change behind
    /// its back, such as a network file system mounted here.
    public var alwaysPolls: Bool

    /// The defaults: everything below, told after a tenth of a second; where polling is needed, a look every 2 seconds
    /// after a change, and ever more seldom down to once a minute.
    public init(
        isRecursive: Bool = true, window: Double = 0.1, minInterval: Double = 2, maxInterval: Double = 60,
        maxPending: Int = 65_536, alwaysPolls: Bool = false
    ) {
        self.isRecursive = isRecursive
        self.window = window
        self.minInterval = minInterval
        self.maxInterval = maxInterval
        self.maxPending = maxPending
        self.alwaysPolls = alwaysPolls
    }
}
