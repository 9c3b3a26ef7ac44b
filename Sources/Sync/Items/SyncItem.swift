public import FileProviderCore
import Foundation

/// An item as one side's listing described it, with enough detail to recognize later whether it has changed.
public struct SyncItem: Sendable, Hashable {
    /// The type: a file, a folder or a symbolic link. Nothing else is synced.
    public var type: FileType
    /// The size of a file in bytes.
    public var size: Int64?
    /// A file's modification time in microseconds since 1970, at the storage's precision.
    public var time: Int64?
    /// The storage's validator for this version of a file, or a symbolic link's target.
    public var tag: String?
    /// The identifier that survives a rename (``/FileProviderCore/FileObject/identity``).
    public var identity: String?
    /// Whether the values are from a listing; else they are from the answer to a write, which may be more or less
    /// exact.
    var isListed = true

    /// A size that no file has. An agreed version with this size differs from every existing version.
    static let voidSize: Int64 = -1

    /// Creates an item with the given properties.
    public init(type: FileType, size: Int64? = nil, time: Int64? = nil, tag: String? = nil, identity: String? = nil) {
        self.type = type
        self.size = size
        self.time = time
        self.tag = tag
        self.identity = identity
    }

    /// Creates an item from `object`, or returns `nil` if it is not a file, folder or link.
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

    /// Whether the item is the same version as `earlier`: by tag if the storage provides one, else by size and time.
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

    /// Whether this and `other` describe the same version, one as seen in a listing, the other as seen in a request for
    /// the item or in the answer to a write.
    ///
    /// - Parameters:
    ///   - precision: The step of the storage's times, in seconds. Listings in steps of a minute show items of more
    ///     than half a year by the day.
    ///   - byTag: Whether different tags prove two versions. Pass `false` after a rename.
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

    /// Whether listings with minute precision show only the day of this item's time by now.
    var hasLostItsClock: Bool { time.map { $0 < Self.firstWithClock } ?? false }

    private static let day: Int64 = 86_400_000_000
    /// Such listings show the time of the day for half a year, and some a little less (FTP's `LIST`, as `ls -l` prints
    /// it).
    private static var firstWithClock: Int64 { microseconds(Date()) - 150 * day }

    /// Whether this is the item `known` under a new name.
    ///
    /// - Parameter capabilities: The storage's capabilities. One that copies instead of moving changes tag and time.
    func isMoved(from known: SyncItem, _ capabilities: Capabilities) -> Bool {
        if capabilities[.moving] == .derived { return type == known.type && size == known.size }
        return isAlike(known, precision: capabilities.timePrecision ?? 0, byTag: false)
    }

    /// A server may call a tag weak for the second in which a file was written (RFC 9110, section 8.8.3).
    private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }

    /// The tag for a conditional write, or `nil` if the tag is weak and may stand for two versions.
    var strongTag: String? { tag.flatMap { $0.hasPrefix("W/") ? nil : $0 } }

    private static func microseconds(_ date: Date) -> Int64 {
        let value = (date.timeIntervalSince1970 * 1e6).rounded()
        return value.isFinite ? Int64(exactly: max(-9e18, min(9e18, value))) ?? 0 : 0
    }
}

/// The version of one path that both sides last had in common.
struct AgreedItem: Sendable, Equatable {
    /// The item as each side described it then; both have the same type.
    var items: Sides<SyncItem>
    /// The SHA-256 of the content in 64 hexadecimal digits, if it was computed.
    var hash: String?
}

/// One path at which a side differs from the agreed version.
struct SyncDifference: Sendable, Equatable {
    /// A path as seen in a side's listing.
    enum Look: Sendable, Equatable {
        /// As agreed; or nothing was agreed and nothing exists.
        case unchanged
        /// New, or another version.
        case found(SyncItem)
        /// Agreed on, and no longer there.
        case gone
    }

    /// The path, relative to the two folders.
    var path: ProviderPath
    /// The agreed version, or `nil` for a new item.
    var agreed: AgreedItem?
    /// Each side's listing.
    var looks: Sides<Look>
    /// Whether both files have the same content; `nil` if they were not or could not be compared.
    var isSame: Bool?
    /// The SHA-256 of a new file, if it was computed.
    var hash: String?
    /// The side on which the file moved here from ``movedFrom``, or moved away from here.
    var moveSide: SyncSide?
    /// The previous path of a moved file.
    var movedFrom: ProviderPath?
    /// Other paths that a case-insensitive storage treats as this one. Only filled in if a side is such a storage.
    var twins: [SyncDifference] = []
    /// Whether a side's listing of this folder is incomplete, so that the folder may hold other items.
    var isIncomplete = false
    /// Set if a sync wrote the file here and the storage may not have kept it.
    var unkept: UnkeptWrite?

    /// Whether the state has, for a side, only the fact that a version existed.
    var isVoid: Bool { SyncSide.allCases.contains { agreed?.items[$0].size == SyncItem.voidSize } }

    /// Returns the item that a side has now, or `nil` if it has none.
    func item(on side: SyncSide) -> SyncItem? {
        switch looks[side] {
        case .unchanged: agreed?.items[side]
        case .found(let item): item
        case .gone: nil
        }
    }

    /// Whether the side differs from the agreed version.
    func isChanged(on side: SyncSide) -> Bool { looks[side] != .unchanged }
}
