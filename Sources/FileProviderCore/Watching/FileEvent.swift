/// One change of a tree of files, reported after it happened.
///
/// Events are in an order in which they can be replayed: applied one after the other to a listing of the folder, they
/// give its present content. Changes within one window are combined (created and removed again: no event).
public struct FileEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// An item exists. Anything known at its path before, with everything below it, is gone. The items of a new
        /// folder are reported one by one, the folder first.
        case created
        /// A file has other content, or an item other attributes. A file that was replaced by another one counts as
        /// modified, too.
        case modified
        /// An item is gone with everything below it, which is not reported further.
        case removed
        /// An item, with everything below it, has another path now. Anything at that path before is gone.
        case moved
        /// The folder has to be listed again with everything below it, for the ``FileEvent/reason`` given. Always the
        /// last event of its batch.
        case rescan
    }

    /// The kind of change, which decides the meaning of the other properties.
    public var kind: Kind
    /// The path of the item now, or until it was removed; of ``Kind/rescan``, that of the folder.
    public var path: ProviderPath
    /// The path of the item before it moved; nil for every other kind.
    public var from: ProviderPath?
    /// The type of the item; nil if the storage does not say.
    public var type: FileType?
    /// Why the folder has to be listed again, in a sentence; nil for every other kind.
    public var reason: String?

    /// Creates an event. The caller gives `from` with a move only, and `reason` with a rescan only.
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

/// How to watch a folder.
public struct WatchOptions: Sendable, Hashable {
    /// Whether to watch the folders below, too.
    public var isRecursive: Bool
    /// Seconds that a native watch waits after a change to report others with it; 0 or more. Longer windows give fewer
    /// events.
    public var window: Double
    /// Seconds between two looks of a polling watch right after a change; more than 0.
    public var minInterval: Double
    /// Seconds between two looks of a polling watch when nothing changes for long.
    public var maxInterval: Double
    /// The most changes to hold for a consumer, and events in one batch; more become one ``FileEvent/Kind/rescan``.
    public var maxPending: Int
    /// Whether to poll even if the storage reports changes itself: for folders that other machines change unnoticed,
    /// such as a mounted network file system.
    public var alwaysPolls: Bool

    /// The defaults: everything below, reported after a tenth of a second; a polling watch looks every 2 seconds after
    /// a change, and less and less often down to once a minute.
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
