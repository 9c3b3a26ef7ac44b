import FileProviderCore
import Foundation

/// A name in a watched folder: where an item is, or was.
struct LocalSpot: Hashable, Sendable {
    /// The folder's watch, a number that inotify never gives twice.
    var folder: Int32
    var name: [UInt8]
}

/// What inotify said since the last look, gathered by place: how much is held depends on how many places changed, not
/// how often.
///
/// Hints only say where to look. What changed is told by looking, so that an event that is late, or about a folder that
/// was moved meanwhile, misleads nobody.
struct LocalHints: Sendable {
    struct Mark: Sendable {
        /// The name was made, taken away or given to something else.
        var isAboutName = false
        /// A file was closed after writing, or attributes changed.
        var isAboutContent = false
        /// When a file was first written to that is not closed yet.
        var writing: ContinuousClock.Instant?
        /// Looks that could not reach the place.
        var rounds = 0

        mutating func formUnion(_ other: Mark) {
            isAboutName = isAboutName || other.isAboutName
            isAboutContent = isAboutContent || other.isAboutContent
            writing = writing ?? other.writing
        }
    }

    private(set) var marks: [LocalSpot: Mark] = [:]
    /// The places in the order in which they were hinted at first.
    private(set) var order: [LocalSpot] = []
    /// Where the item that is at a place now was when these hints began, as the cookies tell; nil for one that was
    /// nowhere.
    private(set) var origins: [LocalSpot: LocalSpot?] = [:]
    /// Watches that ended by themselves.
    private(set) var ended: [Int32] = []
    /// Hints were lost.
    private(set) var isOverflowing = false
    /// Why they were.
    private(set) var overflowReason = ""
    /// The watched folder itself was moved or removed.
    private(set) var concernsRoot = false
    /// Items that left their place and have not shown up elsewhere yet, by cookie.
    private var halves: [UInt32: (origin: LocalSpot?, mark: Mark)] = [:]

    var isEmpty: Bool { order.isEmpty && ended.isEmpty && !isOverflowing && !concernsRoot }

    /// Whether a move may have its second half still on the way.
    var hasHalfMove: Bool { !halves.isEmpty }

    /// Takes in one event. Source: inotify(7).
    ///
    /// - Parameter limit: Places that are held; beyond it everything has to be looked at anew.
    mutating func add(_ mask: UInt32, at spot: LocalSpot, cookie: UInt32, limit: Int) {
        func has(_ flag: Int32) -> Bool { mask & UInt32(flag) != 0 }
        if has(IN_Q_OVERFLOW) { return overflow("The kernel's queue of changes overflowed.") }
        if has(IN_IGNORED) { return ended.append(spot.folder) }
        if has(IN_DELETE_SELF) || has(IN_MOVE_SELF) || has(IN_UNMOUNT) {
            concernsRoot = true
            return
        }
        // What happens to a folder itself, its parent tells by name. Files on their way are nobody's business yet.
        if isOverflowing || spot.name.isEmpty || Self.isTemporary(spot.name) { return }
        if has(IN_MOVED_FROM) {
            if halves.count >= 1024 { halves = [:] }
            halves[cookie] = (origin(of: spot), marks[spot] ?? Mark())
            origins[spot] = .some(nil)
            mark(spot) { $0.isAboutName = true }
        } else if has(IN_MOVED_TO) {
            let half = halves.removeValue(forKey: cookie)
            origins[spot] = .some(half?.origin)
            mark(spot) {
                $0.isAboutName = true
                if let half { $0.formUnion(half.mark) }
            }
        } else if has(IN_CREATE) || has(IN_DELETE) {
            origins[spot] = .some(nil)
            mark(spot) { $0.isAboutName = true }
        } else if has(IN_MODIFY) {
            mark(spot) { $0.writing = $0.writing ?? .now }
        } else {
            mark(spot) { $0.isAboutContent = true }
        }
        if marks.count > limit { overflow("More changed at once than is told one by one.") }
    }

    static func isTemporary(_ name: [UInt8]) -> Bool {
        name.first == UInt8(ascii: ".") && TemporaryName.matches(String(decoding: name, as: UTF8.self))
    }

    private func origin(of spot: LocalSpot) -> LocalSpot? { origins[spot] ?? spot }

    private mutating func mark(_ spot: LocalSpot, _ change: (inout Mark) -> Void) {
        if marks[spot] == nil { order.append(spot) }
        change(&marks[spot, default: Mark()])
    }

    private mutating func overflow(_ reason: String) {
        self = LocalHints()
        isOverflowing = true
        overflowReason = reason
    }
}
