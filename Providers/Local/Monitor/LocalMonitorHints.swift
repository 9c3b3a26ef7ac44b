import FileProviderCore
import Foundation

/// A name in a watched folder, where an item is or was.
struct LocalSpot: Hashable, Sendable {
    /// The number of the folder's watch, which inotify never reuses.
    var folder: Int32
    var name: [UInt8]
}

/// The events of inotify since the last look, by place: their memory depends on how many places changed, not on how
/// often.
///
/// Hints only say where to look. Changes are found by looking, so a late event, or one about a folder that was moved
/// meanwhile, does no harm.
struct LocalHints: Sendable {
    struct Mark: Sendable {
        /// Whether the name was created, removed or given to another item.
        var isAboutName = false
        /// Whether a file was closed after writing, or attributes changed.
        var isAboutContent = false
        /// When a file that is still open was first written to.
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
    /// The places in the order of their first hints.
    private(set) var order: [LocalSpot] = []
    /// For the item now at a place, where it was when these hints began, according to the cookies; nil for a new one.
    private(set) var origins: [LocalSpot: LocalSpot?] = [:]
    /// Watches that the kernel has ended.
    private(set) var ended: [Int32] = []
    /// Whether hints were lost.
    private(set) var isOverflowing = false
    /// Why hints were lost.
    private(set) var overflowReason = ""
    /// Whether the watched folder itself was moved or removed.
    private(set) var concernsRoot = false
    /// Items that have left their place and not arrived at another yet, by cookie.
    private var halves: [UInt32: (origin: LocalSpot?, mark: Mark)] = [:]

    var isEmpty: Bool { order.isEmpty && ended.isEmpty && !isOverflowing && !concernsRoot }

    /// Whether the second half of a move may still arrive.
    var hasHalfMove: Bool { !halves.isEmpty }

    /// Adds one event. Source: inotify(7).
    ///
    /// - Parameter limit: The most places to hold; beyond it, everything has to be looked at again.
    mutating func add(_ mask: UInt32, at spot: LocalSpot, cookie: UInt32, limit: Int) {
        func has(_ flag: Int32) -> Bool { mask & UInt32(flag) != 0 }
        if has(IN_Q_OVERFLOW) { return overflow("The kernel's queue of changes overflowed.") }
        if has(IN_IGNORED) { return ended.append(spot.folder) }
        if has(IN_DELETE_SELF) || has(IN_MOVE_SELF) || has(IN_UNMOUNT) {
            concernsRoot = true
            return
        }
        // Events of a folder itself are also reported by its parent, with its name. Unfinished files are ignored.
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
        if marks.count > limit { overflow("Too many changes at once; list the folder again.") }
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
