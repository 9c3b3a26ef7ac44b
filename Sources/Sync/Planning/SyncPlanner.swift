import FileProviderCore
import Foundation

/// Makes a plan from differences. The same differences give the same plan.
///
/// Differences arrive in tree order, each folder right before its content, so only the folders on the way down are held
/// in memory.
struct SyncPlanner {
    private let rules: SyncRules
    private let emit: (SyncAction) -> Void
    private let refuse: (ProviderPath, SyncSide, any Error) -> Void
    /// The last item of each side that is not a folder.
    private var leaves = Sides<ProviderPath?>(nil, nil)
    private var open: [OpenFolder] = []

    /// A folder on the way down that still needs a decision or a step.
    private struct OpenFolder {
        let difference: SyncDifference
        let state: State
        /// Whether anything stays in it.
        var survives = false

        enum State {
            /// The folder is removed, unless something in it stays; `refusal` says why the other side can't have it
            /// then.
            case going(SyncSide, keepsOld: Bool, refusal: String?)
            /// The folder can't be created, or not yet, so nothing in it can.
            case blocked
        }
    }

    /// - Parameters:
    ///   - refuse: Called with each item that has failed already, and its side.
    ///   - emit: Called with each action, in no particular order.
    init(
        _ rules: SyncRules, refuse: @escaping (ProviderPath, SyncSide, any Error) -> Void = { _, _, _ in },
        emit: @escaping (SyncAction) -> Void
    ) {
        self.rules = rules
        self.refuse = refuse
        self.emit = emit
    }

    /// Adds the next difference.
    mutating func add(_ difference: SyncDifference) {
        leave(upTo: difference.path)
        if isBelowNoFolder(difference) { return keepOpenFolders() }
        if case .blocked = open.last?.state { return keepOpenFolders() }
        // The item moved elsewhere; the action is emitted there.
        if difference.movedFrom == nil, difference.moveSide != nil { return }
        if let from = difference.movedFrom, let side = difference.moveSide, let item = difference.item(on: side) {
            keepOpenFolders()
            return put(item, difference, on: side.other, .move, from: from)
        }
        decide(difference)
    }

    /// Refuses items below something that is not a folder: a server may list a link, and a file in a folder of the same
    /// name.
    private mutating func isBelowNoFolder(_ difference: SyncDifference) -> Bool {
        var isRefused = false
        for side in SyncSide.allCases {
            guard let item = difference.item(on: side) else { continue }
            if let leaf = leaves[side], difference.path.isBelow(leaf) {
                let sentence = "“\(difference.path)” was skipped because “\(leaf)” is not a folder."
                refuse(
                    difference.path, side,
                    FileError.make(.fileReadInvalidFileName, path: difference.path, sentence: sentence))
                isRefused = true
            } else if item.type != .directory {
                leaves[side] = difference.path
            }
        }
        return isRefused
    }

    /// Ends the plan.
    mutating func finish() { leave(upTo: nil) }

    private mutating func decide(_ difference: SyncDifference) {
        switch rules.decide(difference) {
        case .nothing, .leave: keepOpenFolders()
        case .forget:
            emit(
                SyncAction(
                    .forget, on: .source, path: difference.path, type: difference.agreed?.items.source.type ?? .other))
        case .agree:
            keepOpenFolders()
            emit(
                SyncAction(
                    .agree, on: .source, path: difference.path, type: difference.item(on: .source)?.type ?? .other))
        case .transfer(let side, let keepsOld):
            keepOpenFolders()
            guard let item = difference.item(on: side.other) else { return }
            put(item, difference, on: side, difference.item(on: side) == nil ? .create : .update, keepsOld: keepsOld)
        case .conflict(let side):
            keepOpenFolders()
            guard let item = difference.item(on: side) else { return }
            emit(SyncAction(.conflict, on: side, path: difference.path, type: item.type))
            if difference.item(on: side.other)?.type == .directory {
                open.append(OpenFolder(difference: difference, state: .blocked))
            }
        case .remove(let side, let keepsOld):
            guard let item = difference.item(on: side) else { return }
            if item.type == .directory {
                let refusal =
                    difference.item(on: side.other) == nil
                    ? rules.refusal(of: item, at: difference, on: side.other) : nil
                // The folder may hold items that are not known.
                if difference.isIncomplete { keepOpenFolders() }
                open.append(
                    OpenFolder(
                        difference: difference, state: .going(side, keepsOld: keepsOld, refusal: refusal),
                        survives: difference.isIncomplete
                    ))
            } else {
                emit(SyncAction(.remove, on: side, path: difference.path, type: item.type, keepsOld: keepsOld))
                if difference.item(on: side.other)?.type == .directory {
                    open.append(OpenFolder(difference: difference, state: .blocked))
                }
            }
        case .skip(let reason): skip(difference, on: .destination, reason)
        case .unkept(let side):
            keepOpenFolders()
            let (written, found) = (difference.item(on: side.other)?.size, difference.item(on: side)?.size)
            refuse(difference.path, side, UnkeptWriteError(path: difference.path, written: written, found: found))
        }
    }

    /// Plans to put `item` on `side` if the side can hold it.
    private mutating func put(
        _ item: SyncItem, _ difference: SyncDifference, on side: SyncSide, _ kind: SyncAction.Kind,
        from: ProviderPath? = nil,
        keepsOld: Bool = false
    ) {
        if let reason = rules.refusal(of: item, at: difference, on: side) { return skip(difference, on: side, reason) }
        if isRefused(by: side) { return }
        let size = kind == .move || item.type != .regular ? nil : item.size
        emit(
            SyncAction(
                kind, on: side, path: difference.path, from: from, type: item.type, size: size, keepsOld: keepsOld))
    }

    private mutating func skip(_ difference: SyncDifference, on side: SyncSide, _ reason: String) {
        keepOpenFolders()
        let type = (difference.item(on: side.other) ?? difference.item(on: side))?.type ?? .other
        emit(SyncAction(.skip, on: side, path: difference.path, type: type, reason: reason))
        if SyncSide.allCases.contains(where: { difference.item(on: $0)?.type == .directory }) {
            open.append(OpenFolder(difference: difference, state: .blocked))
        }
    }

    /// Whether a folder on the way down can't exist on `side`. The plan names that folder for everything in it.
    private func isRefused(by side: SyncSide) -> Bool {
        open.contains { folder in
            guard case .going(side.other, _, .some) = folder.state else { return false }
            return true
        }
    }

    private mutating func keepOpenFolders() {
        for index in open.indices { open[index].survives = true }
    }

    /// Settles the open folders that don't contain `path`, or all of them if `path` is `nil`.
    private mutating func leave(upTo path: ProviderPath?) {
        while let last = open.last, path.map({ !$0.isBelow(last.difference.path) }) ?? true {
            open.removeLast()
            guard case .going(let side, let keepsOld, let refusal) = last.state else { continue }
            settle(last, side, keepsOld, refusal)
        }
    }

    private mutating func settle(_ folder: OpenFolder, _ side: SyncSide, _ keepsOld: Bool, _ refusal: String?) {
        let difference = folder.difference
        guard folder.survives else {
            return emit(SyncAction(.remove, on: side, path: difference.path, type: .directory, keepsOld: keepsOld))
        }
        guard let other = difference.item(on: side.other) else {
            if rules.direction == .mirror || isRefused(by: side.other) { return }
            if let refusal { return skip(difference, on: side.other, refusal) }
            return emit(SyncAction(.create, on: side.other, path: difference.path, type: .directory))
        }
        if rules.direction == .mirror {
            let reason = "The destination has a folder with this name, and something in it must stay."
            emit(SyncAction(.skip, on: side, path: difference.path, type: other.type, reason: reason))
        } else {
            emit(SyncAction(.conflict, on: side.other, path: difference.path, type: other.type))
        }
    }
}
