import FileProviderCore
public import Foundation

/// Undo and redo of operations.
///
/// Every provider gets it from ``FileProviderCore/FileProviderOperations/undoable(levels:trash:)``.
public protocol FileProviderUndoable: FileProviderOperations {
    /// The steps that can be undone and redone, and the trash that holds their data.
    var undoManager: UndoStack { get }

    /// Whether the operation of `handle` is done and can be undone.
    ///
    /// - Parameter handle: The result of a completion form of this provider.
    /// - Returns: False while the operation runs, after it failed or was undone, and once its step left the stack.
    func canUndo(handle: Progress) -> Bool

    /// Whether `operation` can be undone: as a step on the stack, else if it were carried out now.
    ///
    /// - Throws: The error of the storage, if it cannot be asked.
    /// - Complexity: One request for the item that would be replaced or removed; with a limit on the trash's size, also
    ///   a listing for each folder in it.
    func canUndo(operation: FileOperationType) async throws -> Bool
}

/// The older FileProvider interface's spelling.
@available(*, deprecated, renamed: "FileProviderUndoable")
public typealias FileProvideUndoable = FileProviderUndoable

extension FileProviderUndoable {
    /// The default asks ``undoManager``.
    public func canUndo(handle: Progress) -> Bool { undoManager.canUndo(handle: handle) }

    /// The default asks ``undoManager``.
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
    /// Returns this provider with undo: operations through the result are recorded, and items that they remove or
    /// replace go to a trash folder.
    ///
    /// A provider that is already undoable is returned as it is.
    ///
    /// - Parameters:
    ///   - levels: The most steps to keep.
    ///   - trash: The trash folder and its limits.
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for a trash folder whose path is invalid, or that is the root.
    public func undoable(
        levels: Int = UndoStack.usualLevels, trash: TrashPolicy = TrashPolicy()
    ) throws -> any FileProvider & FileProviderUndoable {
        if let already = self as? any FileProvider & FileProviderUndoable { return already }
        return try UndoableFileProvider(self, levels: levels, trash: trash)
    }
}
