import FileProviderCore
public import Foundation

/// How two folders are kept in step.
public struct SyncOptions: Sendable {
    /// Who follows whom.
    public enum Direction: String, Sendable, Hashable, Codable {
        /// The destination becomes like the source.
        case mirror
        /// Changes of either side go to the other.
        case twoWay
    }

    /// The most that one run may remove, both sides together; more, and it stops before it changes anything.
    public enum RemovalLimit: Sendable, Hashable {
        /// So many items.
        case count(Int)
        /// A share of what both sides had in common, 0 to 1. Of a share above 0, five items may always go, unless a
        /// side has nothing left.
        case share(Double)

        /// So many items are few.
        static let few = 5

        func allows(_ removals: Int, of agreed: Int) -> Bool {
            switch self {
            case .count(let limit): removals <= limit
            case .share(let share):
                share >= 1 || share > 0 && removals <= max(Self.few, Int((share * Double(agreed)).rounded(.down)))
            }
        }

        /// Whether a side may lose all that it had.
        var allowsAll: Bool { self == .share(1) }
    }

    /// What becomes of symbolic links. They are never followed.
    public enum Links: String, Sendable, Hashable, Codable {
        /// They stay where they are.
        case skip
        /// They are made on the other side with the same text, if that keeps within the folder. Others are refused:
        /// absolute ones, those that climb above the folder, and those with `..` after a name, which may lead out by
        /// way of another link.
        case copy
        /// All are made on the other side with the same text, wherever it leads.
        case all
    }

    /// Mirror, unless said otherwise.
    public var direction: Direction
    /// Whether a mirror removes from the destination what the source has no more; the first run never does. Two-way
    /// sync always carries removals over.
    public var deletes: Bool
    /// Half of all, unless said otherwise.
    public var removalLimit: RemovalLimit
    /// What takes part.
    public var filter: SyncFilter
    /// Symbolic links are left out, unless said otherwise.
    public var links: Links
    /// Whether files of one size and time are compared by their content in a pair's first run; in later ones they are
    /// in any case.
    public var comparesContent: Bool
    /// Whether what is replaced or removed goes to ``trashName``. What only one side had goes there in any case.
    public var keepsReplaced: Bool
    /// Seconds that something stays in the trash; nil for ever.
    public var trashAge: TimeInterval?
    /// Files in flight at once; nil for as many as both sides are best at.
    public var transfers: Int?
    /// Whether files of another size than their listing said are transferred too (``FileCopy/ignoresListedSize``).
    public var ignoresListedSizes = false
    /// Bytes a second by the time of the day; nil for no limit.
    public var bandwidth: BandwidthTimetable?

    /// What takes no part beside what the filter says: the state, where it lies in one of the folders.
    var leftOut: Set<ProviderPath> = []

    /// The folder, right below each side's own, for what was replaced and removed:
    /// `.carrel-trash/2026-11-23T024510Z/a/b.txt`. It takes no part in the sync.
    public static let trashName = ".carrel-trash"
    /// What that folder is called on a side whose listings hide names that begin with a dot.
    public static let plainTrashName = "carrel-trash"

    /// A mirror that removes nothing.
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
