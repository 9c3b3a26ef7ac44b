import FileProviderCore
import Foundation

/// The steps of one provider that can be undone and redone, and the trash that keeps their data.
///
/// Steps are recorded by ``UndoableFileProvider`` in the order in which they end. One that can no longer be undone,
/// because what it needs was swept from the trash, leaves the stack with those below it: what is on the stack can be
/// undone, unless somebody else changes the storage.
public final class UndoStack: Sendable {
    /// Steps that a stack keeps unless told otherwise.
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

    // MARK: What is on it

    /// How many steps are kept; fewer drop the oldest. What these kept in the trash stays there until it is swept.
    public var levels: Int {
        get { history.value.levels }
        set { history.update { $0.levels = max(0, newValue) } }
    }

    /// Whether there is a step to take back. What somebody else has changed meanwhile shows only when it is tried.
    public var canUndo: Bool { !history.value[.undo].isEmpty }

    /// Whether there is a step to carry out again. A new operation drops them all, whether it is recorded or cannot be
    /// undone.
    public var canRedo: Bool { !history.value[.redo].isEmpty }

    /// What ``undo(force:)`` would do, such as “Undo Moving a.txt”; nil for nothing.
    public var undoTitle: String? { history.value[.undo].last.map { "Undo \($0.name)" } }

    /// What ``redo(force:)`` would do, such as “Redo Moving a.txt”; nil for nothing.
    public var redoTitle: String? { history.value[.redo].last.map { "Redo \($0.name)" } }

    /// Forgets all steps. What they kept in the trash stays there until it is swept.
    public func removeAll() { history.update { $0 = UndoHistory(levels: $0.levels) } }

    /// Makes one step of all that `body` does through the provider, in tasks that it starts too, until it returns or
    /// throws.
    ///
    /// Operations of others that end in between split the step, so that all are undone in the order in which they
    /// happened. A group in a group belongs to the outer one.
    ///
    /// - Parameter name: What stands after “Undo” in the title.
    public func group<Value: Sendable>(_ name: String, _ body: @Sendable () async throws -> Value) async rethrows
        -> Value
    {
        try await UndoGroup.$current.withValue(UndoGroup.current ?? UndoGroup(name: name)) { try await body() }
    }

    // MARK: Undo and redo

    /// Takes back the last step, after everything that runs and before everything that comes later.
    ///
    /// Each operation of a step is taken back as a whole or not at all. When one fails, or the task is cancelled, those
    /// before it stay taken back and can be redone, and the rest stays on the stack: calling again goes on. Do not call
    /// it from within an operation of the same provider, such as a source that is being written: each would wait for
    /// the other.
    ///
    /// - Parameter force: Whether an item goes to the trash that somebody else has changed or put in the way; it is
    ///   refused otherwise.
    /// - Returns: Whether there was anything to undo.
    /// - Throws: `CocoaError(.fileWriteFileExists)` when a place is taken, or a folder that was made is no longer empty
    ///   (`ENOTEMPTY` below it); `CocoaError(.fileWriteUnknown)` for a file that was changed meanwhile;
    ///   `CocoaError(.fileNoSuchFile)` when an item has gone, from the trash too, which drops the step; errors of the
    ///   storage. Nothing is lost.
    @discardableResult
    public func undo(force: Bool = false) async throws -> Bool { try await turn(.undo, force: force) }

    /// Carries out again what was undone last; otherwise as ``undo(force:)``.
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

    /// What is in the trash, the oldest first; what other programs put there by this scheme too.
    public func trashContents() async throws -> [TrashEntry] { try await trash.contents() }

    /// Puts something back, as a step that can be undone. Steps that need the entry leave the stack.
    ///
    /// - Parameter path: Where to; nil for where it was.
    /// - Throws: `CocoaError(.fileWriteFileExists)` when the place is taken; `CocoaError(.fileNoSuchFile)` when its
    ///   folder has gone.
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

    /// Removes from the trash what is over the policy's limits, or everything. Steps that need it leave the stack.
    ///
    /// - Throws: The first error; the other entries go all the same.
    public func sweepTrash(all: Bool = false) async throws {
        try await claims.holding([.root]) { try await sweep(all: all) }
    }

    /// Why the last sweep failed that an operation had caused; nil when it did not. The operation itself was done.
    public var sweepFailure: (any Error)? { failedSweep.value }

    /// Sweeps after something went into the trash. Whoever calls it holds a claim, so that no undo is under way.
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
