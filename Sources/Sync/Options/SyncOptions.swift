import FileProviderCore
public import Foundation

/// Options for syncing two folders.
public struct SyncOptions: Sendable {
    /// The direction in which changes travel.
    public enum Direction: String, Sendable, Hashable, Codable {
        /// The destination is made to match the source.
        case mirror
        /// Changes on either side are applied to the other.
        case twoWay
    }

    /// The most that one run may remove on both sides together. A run that would remove more stops before it changes
    /// anything.
    public enum RemovalLimit: Sendable, Hashable {
        /// A number of items.
        case count(Int)
        /// A share of the items that both sides had in common, from 0 to 1. With a share above 0, a run may always
        /// remove five items, unless a side has nothing left.
        case share(Double)

        /// The number of items that any share above 0 allows.
        static let few = 5

        func allows(_ removals: Int, of agreed: Int) -> Bool {
            switch self {
            case .count(let limit): removals <= limit
            case .share(let share):
                share >= 1 || share > 0 && removals <= max(Self.few, Int((share * Double(agreed)).rounded(.down)))
            }
        }

        /// Whether a side may lose everything.
        var allowsAll: Bool { self == .share(1) }
    }

    /// The handling of symbolic links. They are never followed.
    public enum Links: String, Sendable, Hashable, Codable, CaseIterable {
        /// Links are not synced.
        case skip
        /// Links are created on the other side with the same target if it stays within the folder. Others are refused:
        /// absolute targets, those that climb above the folder, and those with `..` after a name, which may lead out
        /// through another link.
        case copy
        /// All links are created on the other side with the same target, wherever it leads.
        case all
    }

    /// The direction; the default is a mirror.
    public var direction: Direction
    /// Whether a mirror removes items from the destination that the source no longer has. The first run never does.
    /// Two-way sync always propagates removals.
    public var deletes: Bool
    /// The most that one run may remove; the default is half of all items.
    public var removalLimit: RemovalLimit
    /// The filter that selects the items to sync.
    public var filter: SyncFilter
    /// The handling of symbolic links; by default they are skipped.
    public var links: Links
    /// Whether a pair's first run compares files of equal size and time by their content. Later runs always do.
    public var comparesContent: Bool
    /// Whether replaced and removed items go to ``trashName``. An item that only one side had always goes there.
    public var keepsReplaced: Bool
    /// The seconds that items stay in the trash, or `nil` to keep them forever.
    public var trashAge: TimeInterval?
    /// The number of simultaneous transfers, or `nil` for the number that suits both sides best.
    public var transfers: Int?
    /// Whether files whose size differs from their listing are transferred too
    /// (``/FileProviderCore/FileCopy/ignoresListedSize``).
    public var ignoresListedSizes = false
    /// The transfer rate by time of day, or `nil` for no limit.
    public var bandwidth: BandwidthTimetable?

    /// Paths excluded in addition to the filter: the state, if it is in one of the folders.
    var leftOut: Set<ProviderPath> = []

    /// The name of the trash, a folder at the top of each side for replaced and removed items:
    /// `.carrel-trash/2026-11-23T024510Z/a/b.txt`. It is not synced.
    public static let trashName = ".carrel-trash"
    /// The name of the trash on a side whose listings hide names that begin with a dot.
    public static let plainTrashName = "carrel-trash"

    /// Creates the default options: a mirror that removes nothing.
    public init(direction: Direction = .mirror) {
        self.direction = direction
        deletes = false
        removalLimit = .share(0.5)
        filter = SyncFilter()
        links = .skip
        comparesContent = false
        keepsReplaced = false
        trashAge = 30 * 86_400
        transfers = nil
        bandwidth = nil
    }
}
