import FileProviderCore
public import Foundation

/// Taking operations back, and carrying them out again.
///
/// Every provider gets it from ``FileProviderOperations/undoable(levels:trash:)``.
public protocol FileProviderUndoable: FileProviderOperations {
    /// The steps that can be undone and redone, and the trash that makes it possible.
    var undoManager: UndoStack { get }

    /// Whether what `handle` stands for has been done and can be undone.
    ///
    /// - Parameter handle: What a completion form of this provider returned. False while it runs, after it failed, once
    ///   it is undone, and when its step has gone from the stack.
    func canUndo(handle: Progress) -> Bool

    /// Whether `operation` can be undone: as a step that is on the stack, else if it were carried out now.
    ///
    /// - Throws: Why the storage cannot be asked.
    /// - Complexity: One request for what would be replaced or removed; with a limit on the trash's size a listing for
    ///   each folder in it.
    func canUndo(operation: FileOperationType) async throws -> Bool
}

/// The older FileProvider interface's spelling.
@available(*, deprecated, renamed: "FileProviderUndoable")
public typealias FileProvideUndoable = FileProviderUndoable

extension FileProviderUndoable {
    /// The default: asks ``undoManager``.
    public func canUndo(handle: Progress) -> Bool { undoManager.canUndo(handle: handle) }

    /// The default: asks ``undoManager``.
    public func canUndo(operation: FileOperationType) async throws -> Bool {
        try await undoManager.canUndo(operation: operation)
    }

    /// Forgets all steps, and keeps ten from now on.
    public func setupUndoManager() {
        undoManager.removeAll()
        undoManager.levels = UndoStack.usualLevels
    }
}

extension FileProviderOperations where Self: FileProviderReadWrite {
    /// This provider with undo: what is done through the result is recorded, and what it removes or replaces goes to a
    /// trash folder.
    ///
    /// A provider that is undoable already is returned as it is.
    ///
    /// - Parameters:
    ///   - levels: Steps that are kept.
    ///   - trash: Where data goes, and for how long.
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for a trash folder that no path can name, or that is the root.
    public func undoable(
        levels: Int = UndoStack.usualLevels, trash: TrashPolicy = TrashPolicy()
    ) throws -> any FileProvider & FileProviderUndoable {
        if let already = self as? any FileProvider & FileProviderUndoable { return already }
        return try UndoableFileProvider(self, levels: levels, trash: trash)
    }
}
