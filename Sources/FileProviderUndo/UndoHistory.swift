import FileProviderCore
import Foundation

/// A direction in the history.
enum UndoDirection: Sendable {
    case undo, redo

    var opposite: UndoDirection { self == .undo ? .redo : .undo }
    var verb: String { self == .undo ? "undone" : "redone" }
}

/// The effect of one operation on one path. Reversing it twice leaves everything as it was.
struct UndoChange: Sendable {
    enum Effect: Sendable {
        case moved(from: ProviderPath, to: ProviderPath)
        /// The path has another item than before. `kept` is the trash path of the counterpart; nil if there is none.
        case content(at: ProviderPath, kept: ProviderPath?)
    }

    /// The expected item at the path of a `content`, unless another process has changed it.
    enum Expectation: Sendable {
        case nothing
        case item(ItemTrace)
        case anything
    }

    let operation: FileOperationType
    var effect: Effect
    var expected = Expectation.anything
    let recorded = Date()

    var kept: ProviderPath? {
        if case .content(_, let kept) = effect { kept } else { nil }
    }
}

/// The properties that tell one version of an item from another.
struct ItemTrace: Sendable {
    let type: FileType
    var size: Int64?
    var modified: Date?
    var tag: String?
    var isEmptyFolder = false

    init(_ item: FileObject, isEmptyFolder: Bool) {
        type = item.type
        self.isEmptyFolder = isEmptyFolder
        guard !item.isDirectory else { return }
        size = item.size
        modified = item.modifiedDate
        // Weak or strong, it is the same version (RFC 9110, section 8.8.3.2).
        tag = item.entryTag.map { $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0 }
    }

    /// Whether both may be one version, as far as both are known. A folder that was empty must still be empty.
    func matches(_ now: ItemTrace, ignoringTag: Bool = false) -> Bool {
        guard type == now.type else { return false }
        if isEmptyFolder, !now.isEmptyFolder { return false }
        if !ignoringTag, let tag, let other = now.tag { return tag == other }
        if let size, let other = now.size, size != other { return false }
        if let modified, let other = now.modified, modified != other { return false }
        return true
    }
}

/// Operations that are undone together.
struct UndoGroup: Sendable {
    @TaskLocal static var current: UndoGroup?

    let id = UUID()
    let name: String
}

/// The changes that one call of undo reverses.
struct UndoStep: Sendable {
    let id: UUID
    let name: String
    /// The next change to reverse is the last one.
    var changes: [UndoChange]
}

/// The steps before and after the present state; a value that needs no storage.
struct UndoHistory: Sendable {
    var levels: Int {
        didSet { trim() }
    }
    /// The next step to reverse is the last one.
    private var done: [UndoStep] = []
    private var undone: [UndoStep] = []

    init(levels: Int) {
        self.levels = levels
    }

    private(set) subscript(direction: UndoDirection) -> [UndoStep] {
        get { direction == .undo ? done : undone }
        set { if direction == .undo { done = newValue } else { undone = newValue } }
    }

    /// Adds a step. Undone steps can no longer be redone then.
    mutating func record(_ changes: [UndoChange], name: String, group: UndoGroup?) {
        undone = []
        if let group, done.last?.id == group.id {
            done[done.count - 1].changes += changes
        } else {
            done.append(UndoStep(id: group?.id ?? UUID(), name: group?.name ?? name, changes: changes))
            trim()
        }
    }

    mutating func forgetUndone() { undone = [] }

    /// Removes the next change from one side, and puts `turned`, its reverse, on the other.
    mutating func turn(_ step: UUID, _ direction: UndoDirection, into turned: UndoChange) {
        // All steps may have been forgotten meanwhile.
        guard let current = self[direction].last, current.id == step else { return }
        self[direction][self[direction].count - 1].changes.removeLast()
        if self[direction].last?.changes.isEmpty == true { self[direction].removeLast() }
        let other = direction.opposite
        if self[other].last?.id != step { self[other].append(UndoStep(id: step, name: current.name, changes: [])) }
        self[other][self[other].count - 1].changes.append(turned)
    }

    /// Splits the next change: `done` is the reverse of its completed half, on the other side; `rest` is still to be
    /// reversed.
    mutating func split(_ direction: UndoDirection, done half: UndoChange, rest: UndoChange) {
        guard let step = self[direction].last?.id else { return }
        let index = self[direction].count - 1
        self[direction][index].changes.insert(rest, at: self[direction][index].changes.count - 1)
        turn(step, direction, into: half)
    }

    /// Drops the steps that need an entry for which `isGone` is true, and those that can be reached only through them.
    mutating func forget(_ isGone: (ProviderPath) -> Bool) {
        for direction in [UndoDirection.undo, .redo] {
            let last = self[direction].lastIndex { step in step.changes.contains { $0.kept.map(isGone) ?? false } }
            if let last { self[direction].removeFirst(last + 1) }
        }
    }

    /// Records in the next change at `path`, or at the item's path by then, how the restored item looks: the same
    /// version, though perhaps with another tag.
    ///
    /// - Parameter isRestored: Whether the item's version was verified before; otherwise size and time have to show it.
    mutating func expect(_ trace: ItemTrace, at path: ProviderPath, _ direction: UndoDirection, isRestored: Bool) {
        var path = path
        for step in self[direction].indices.reversed() {
            for index in self[direction][step].changes.indices.reversed() {
                switch self[direction][step].changes[index].effect {
                case .moved(let from, let to):
                    let (now, then) = direction == .undo ? (to, from) : (from, to)
                    if let rest = path.relative(to: now) {
                        path = then.appending(rest)
                    } else if path.relative(to: then) != nil {
                        return
                    }
                case .content(let location, _):
                    guard path.relative(to: location) != nil else { continue }
                    guard location == path, case .item(let previous) = self[direction][step].changes[index].expected
                    else {
                        return
                    }
                    if previous.type != .directory, isRestored || previous.matches(trace, ignoringTag: true) {
                        self[direction][step].changes[index].expected = .item(trace)
                    }
                    return
                }
            }
        }
    }

    private mutating func trim() {
        if done.count > levels { done.removeFirst(done.count - levels) }
        // The step that is farthest away is dropped first, on either side.
        undone.removeFirst(min(undone.count, max(0, done.count + undone.count - levels)))
    }
}
