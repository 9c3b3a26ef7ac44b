public import FileProviderCore
import Foundation

/// What one side's listing told of an item: enough to see later whether it is still the same.
public struct SyncItem: Sendable, Hashable {
    /// A file, a folder or a symbolic link; nothing else is kept in step.
    public var type: FileType
    /// Bytes of a file.
    public var size: Int64?
    /// Modification time of a file in microseconds since 1970, in the step that the storage keeps.
    public var time: Int64?
    /// The storage's validator for this version of a file; of a symbolic link, what it points at.
    public var tag: String?
    /// What stays when the item is renamed (``FileObject/identity``).
    public var identity: String?
    /// Whether a listing told this; else it is what a write was answered with, which may be more or less exact.
    var isListed = true

    /// A size that no file has makes the version agreed on another one than whatever is there.
    static let voidSize: Int64 = -1

    /// Each as its property says.
    public init(type: FileType, size: Int64? = nil, time: Int64? = nil, tag: String? = nil, identity: String? = nil) {
        self.type = type
        self.size = size
        self.time = time
        self.tag = tag
        self.identity = identity
    }

    /// What `object` tells; nil for what is no file, folder or link.
    init?(_ object: FileObject) {
        switch object.type {
        case .regular:
            self.init(
                type: .regular, size: object.size, time: object.modifiedDate.map(Self.microseconds),
                tag: object.entryTag,
                identity: object.identity)
        case .directory: self.init(type: .directory, identity: object.identity)
        case .symbolicLink: self.init(type: .symbolicLink, tag: object.linkTargetText, identity: object.identity)
        case .other: return nil
        }
    }

    /// The modification time as a date.
    var date: Date? { time.map { Date(timeIntervalSince1970: Double($0) / 1e6) } }

    /// Whether the item is the version that `earlier` was: by the tag where the storage gives one, else by size and
    /// time.
    func isUnchanged(since earlier: SyncItem) -> Bool {
        guard type == earlier.type else { return false }
        switch type {
        case .directory: return true
        case .symbolicLink: return tag == earlier.tag
        case .regular, .other:
            guard size == earlier.size else { return false }
            if let tag, let before = earlier.tag { return Self.opaque(tag) == Self.opaque(before) }
            return time == earlier.time
        }
    }

    /// Whether this is what `other` is, each told in another way: by a listing, and by a look at the item or the answer
    /// to a write.
    ///
    /// - Parameters:
    ///   - precision: The step of the storage's times, in seconds. Listings in steps of a minute show items of more
    ///     than half a year by the day.
    ///   - byTag: Whether tags that differ are proof enough of two versions; not after a rename.
    func isAlike(_ other: SyncItem, precision: Double, byTag: Bool) -> Bool {
        if isUnchanged(since: other) { return true }
        guard type == .regular, other.type == .regular, size == other.size else { return false }
        if byTag, tag != nil, other.tag != nil { return false }
        guard let time, let before = other.time else { return true }
        let gap = Self.gap(time, before)
        if precision < 60 { return Double(gap) < max(1, precision * 1e6) }
        return gap < (min(time, before) < Self.firstWithClock ? UInt64(Self.day) * 3 / 2 : 120_000_000)
    }

    /// Microseconds between two times, whatever a server or a damaged state says.
    static func gap(_ one: Int64, _ other: Int64) -> UInt64 { UInt64(bitPattern: max(one, other) &- min(one, other)) }

    /// Whether listings in steps of a minute tell only the day of this item by now.
    var hasLostItsClock: Bool { time.map { $0 < Self.firstWithClock } ?? false }

    private static let day: Int64 = 86_400_000_000
    /// Such listings show the time of the day for half a year, and some a little less (FTP's `LIST`, as `ls -l` prints
    /// it).
    private static var firstWithClock: Int64 { microseconds(Date()) - 150 * day }

    /// Whether this is what `known` was before it got another name.
    ///
    /// - Parameter capabilities: The storage's. One that copies instead of moving gives another tag and time.
    func isMoved(from known: SyncItem, _ capabilities: Capabilities) -> Bool {
        if capabilities[.moving] == .derived { return type == known.type && size == known.size }
        return isAlike(known, precision: capabilities.timePrecision ?? 0, byTag: false)
    }

    /// A server may call a tag weak for the second in which a file was written (RFC 9110, section 8.8.3).
    private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }

    /// What a storage compares before a conditional write; nil where the tag may stand for two versions.
    var strongTag: String? { tag.flatMap { $0.hasPrefix("W/") ? nil : $0 } }

    private static func microseconds(_ date: Date) -> Int64 {
        let value = (date.timeIntervalSince1970 * 1e6).rounded()
        return value.isFinite ? Int64(exactly: max(-9e18, min(9e18, value))) ?? 0 : 0
    }
}

/// What both sides last had in common at one path.
struct AgreedItem: Sendable, Equatable {
    /// As each side told it then; both of one type.
    var items: Sides<SyncItem>
    /// SHA-256 of the content, where it passed by; 64 hexadecimal digits.
    var hash: String?
}

/// One path at which something is not as it was agreed on.
struct SyncDifference: Sendable, Equatable {
    /// What a side's listing says.
    enum Look: Sendable, Equatable {
        /// As agreed; or, where nothing was agreed, nothing there.
        case unchanged
        /// New, or another version.
        case found(SyncItem)
        /// Agreed on, and not there any more.
        case gone
    }

    /// Counted from the two folders.
    var path: ProviderPath
    /// Nil for what is new.
    var agreed: AgreedItem?
    /// Each side's listing.
    var looks: Sides<Look>
    /// Whether both files have the same content, where that had to be found out; nil where it was not or could not.
    var isSame: Bool?
    /// SHA-256 of a new file, where it was found out.
    var hash: String?
    /// The side on which the file came here from ``movedFrom``, or went from here to another place.
    var moveSide: SyncSide?
    /// Where the file at this path was before.
    var movedFrom: ProviderPath?
    /// Other paths that a storage without regard to case takes for this one; only looked for where a side is such a
    /// storage.
    var twins: [SyncDifference] = []
    /// Whether a side's listing of this folder left items out, so that it is not known to hold nothing else.
    var isIncomplete = false
    /// That the file was written here by a sync, and may not have been kept.
    var unkept: UnkeptWrite?

    /// Whether the state holds no version of a side, but only that there was one.
    var isVoid: Bool { SyncSide.allCases.contains { agreed?.items[$0].size == SyncItem.voidSize } }

    /// What is there now; nil where nothing is.
    func item(on side: SyncSide) -> SyncItem? {
        switch looks[side] {
        case .unchanged: agreed?.items[side]
        case .found(let item): item
        case .gone: nil
        }
    }

    /// Whether the side is not as it was agreed on.
    func isChanged(on side: SyncSide) -> Bool { looks[side] != .unchanged }
}
