import FileProviderCore
import Foundation

/// The steps of one provider that can be undone and redone, and the trash that holds their data.
///
/// ``UndoableFileProvider`` records steps in the order in which they end. A step whose data was swept from the trash
/// leaves the stack, together with those below it. All steps on the stack can be undone, unless another program changes
/// the storage.
public final class UndoStack: Sendable {
    /// The steps that a stack keeps by default.
    public static let usualLevels = 10

    let provider: any FileProvider
    let trash: Trash
    let claims = PathClaims()
    let history: LockedValue<UndoHistory>
    private let failedSweep = LockedValue<(any Error)?>(nil)

    init(provider: any FileProvider, levels: Int, trash: TrashPolicy, now: @escaping @Sendable () -> Date) throws {
        self.provider = provider
        self.trash = try Trash(of: provider, policy: trash, now: now)
        history = LockedValue(UndoHistory(levels: max(0, levels)))
    }

    // MARK: Content

    /// The most steps to keep; a smaller number drops the oldest. Their data stays in the trash until it is swept.
    public var levels: Int {
        get { history.value.levels }
        set { history.update { $0.levels = max(0, newValue) } }
    }

    /// Whether there is a step to undo. Changes by other programs show only in the attempt.
    public var canUndo: Bool { !history.value[.undo].isEmpty }

    /// Whether there is a step to redo. Any new operation drops these steps, even one that cannot be undone.
    public var canRedo: Bool { !history.value[.redo].isEmpty }

    /// A title for ``undo(force:)``, such as “Undo Moving a.txt”; nil if there is no step.
    public var undoTitle: String? { history.value[.undo].last.map { "Undo \($0.name)" } }

    /// A title for ``redo(force:)``, such as “Redo Moving a.txt”; nil if there is no step.
    public var redoTitle: String? { history.value[.redo].last.map { "Redo \($0.name)" } }

    /// Forgets all steps. Their data stays in the trash until it is swept.
    public func removeAll() { history.update { $0 = UndoHistory(levels: $0.levels) } }

    /// Makes one step of all operations that `body` starts through the provider, also in its child tasks, until it
    /// returns or throws.
    ///
    /// Other operations that end in between split the step, so that all are undone in the order in which they happened.
    /// A group within a group belongs to the outer one.
    ///
    /// - Parameter name: The text after “Undo” in the title.
    public func group<Value: Sendable>(_ name: String, _ body: @Sendable () async throws -> Value) async rethrows
        -> Value
    {
        try await UndoGroup.$current.withValue(UndoGroup.current ?? UndoGroup(name: name)) { try await body() }
    }

    // MARK: Undo and redo

    /// Undoes the last step, after all running operations and before all later ones.
    ///
    /// Each operation of a step is undone as a whole or not at all. If one fails, or the task is cancelled, those
    /// undone before stay undone and can be redone, and the rest stays on the stack: another call continues. Do not
    /// call this from within an operation of the same provider, such as a source that is being written: each would wait
    /// for the other.
    ///
    /// - Parameter force: Whether to move an item to the trash that another program has changed or put in the way;
    ///   otherwise that is an error.
    /// - Returns: Whether there was a step to undo.
    /// - Throws: `CocoaError(.fileWriteFileExists)` if a path is taken, or a created folder is no longer empty
    ///   (`ENOTEMPTY` below it); `CocoaError(.fileWriteUnknown)` for a file that was changed meanwhile;
    ///   `CocoaError(.fileNoSuchFile)` if an item is gone, from the trash too, which drops the step; errors of the
    ///   storage. No data is lost.
    @discardableResult
    public func undo(force: Bool = false) async throws -> Bool { try await turn(.undo, force: force) }

    /// Redoes the step that was undone last; otherwise as ``undo(force:)``.
    @discardableResult
    public func redo(force: Bool = false) async throws -> Bool { try await turn(.redo, force: force) }

    private func turn(_ direction: UndoDirection, force: Bool) async throws -> Bool {
        try await claims.holding([.root]) {
            guard let step = history.value[direction].last?.id else { return false }
            do { try await turnAll(of: step, direction: direction, force: force) } catch {
                await sweepIfDue()
                throw error
            }
            await sweepIfDue()
            return true
        }
    }

    private func turnAll(of step: UUID, direction: UndoDirection, force: Bool) async throws {
        while let current = history.value[direction].last, current.id == step, let change = current.changes.last {
            try Task.checkCancellation()
            let turned = try await turned(change, direction, force: force)
            history.update { $0.turn(step, direction, into: turned) }
            if let kept = turned.kept { trash.settle(kept) }
            await tellNext(after: turned, direction: direction)
        }
    }

    // MARK: The trash

    /// Returns the items in the trash, the oldest first, also those that other programs put there with the same names.
    public func trashContents() async throws -> [TrashEntry] { try await trash.contents() }

    /// Restores an item, as a step that can be undone. Steps that need the entry leave the stack.
    ///
    /// - Parameter path: The destination; nil for the original path.
    /// - Throws: `CocoaError(.fileWriteFileExists)` if the path is taken; `CocoaError(.fileNoSuchFile)` if its folder
    ///   is gone.
    public func restore(_ entry: TrashEntry, to path: ProviderPath? = nil) async throws {
        let path = path ?? entry.originalPath
        try await claims.holding([.root]) {
            try await trash.takeOut(entry.item.path, to: path)
            history.update { $0.forget { $0 == entry.item.path } }
            let change = UndoChange(
                operation: .create(path: path.string), effect: .content(at: path, kept: nil),
                expected: await expectation(at: path))
            record([change], name: "Restoring \(path.name)")
        }
    }

    /// Removes entries over the policy's limits, or all, from the trash. Steps that need them leave the stack.
    ///
    /// - Throws: The first error, after the other entries were removed.
    public func sweepTrash(all: Bool = false) async throws {
        try await claims.holding([.root]) { try await sweep(all: all) }
    }

    /// The error of the last sweep that an operation caused; nil if it succeeded. The operation itself was done.
    public var sweepFailure: (any Error)? { failedSweep.value }

    /// Sweeps after an item went into the trash. The caller holds a claim, so that no undo is running.
    func sweepIfDue() async {
        guard trash.isDue else { return }
        do {
            try await sweep(all: false)
            failedSweep.update { $0 = nil }
        } catch {
            failedSweep.update { $0 = error }
        }
    }

    private func sweep(all: Bool) async throws {
        try await trash.sweep(all: all) { entry in
            history.update { $0.forget { $0 == entry || $0.isBelow(entry) } }
        }
    }

    func record(_ changes: [UndoChange], name: String) {
        history.update { $0.record(changes, name: name, group: UndoGroup.current) }
    }
}
