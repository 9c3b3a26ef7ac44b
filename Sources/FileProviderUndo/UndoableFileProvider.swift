import FileProviderCore
public import Foundation

/// A provider whose operations can be undone.
///
/// It records the operations through it, and keeps the items that they remove or replace in a trash folder of the same
/// provider. Changes of the storage in any other way, also through `base`, count as those of another program.
/// Operations on the same item, or on folders around it, wait for each other; undo and redo wait for all running
/// operations, and delay later ones.
public final class UndoableFileProvider<Base: FileProvider>: FileProviderUndoable, FileProviderReadWrite {
    /// The base's type: names and messages do not reveal the wrapper.
    public static var type: String { Base.type }

    /// The provider that does the work.
    public let base: Base
    /// The steps of the operations through this object; another wrapper of the same base has a separate stack.
    public let undoManager: UndoStack

    /// - Parameters:
    ///   - levels: The most steps to keep.
    ///   - trash: The trash folder and its limits.
    ///   - now: Returns the time, for the trash.
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for a trash folder whose path is invalid, or that is the root.
    public init(
        _ base: Base, levels: Int = UndoStack.usualLevels, trash: TrashPolicy = TrashPolicy(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        self.base = base
        undoManager = try UndoStack(provider: base, levels: levels, trash: trash, now: now)
    }

    // MARK: Passed through

    /// The base's.
    public var baseURL: URL? { base.baseURL }

    /// The base's.
    public func url(of path: ProviderPath) -> URL { base.url(of: path) }

    /// The base's.
    public func relativePath(of url: URL) throws -> ProviderPath { try base.relativePath(of: url) }

    /// Asks the base.
    public func checkReachability() async throws { try await base.checkReachability() }

    /// The base's; but if the storage does not copy by itself, a replaced item is moved aside first, and replacing is
    /// not atomic.
    public func capabilities() async throws -> Capabilities {
        var capabilities = try await base.capabilities()
        if capabilities[.serverSideCopying] != .native { capabilities[.atomicReplacement] = .unavailable }
        return capabilities
    }

    /// Asks the base.
    public func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        try await base.attributesOfItem(path: path)
    }

    /// Lists in the base; the trash folder is listed like any other.
    public func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void)
        async throws
    {
        try await base.contentsOfDirectory(path: path, page: page)
    }

    /// The base's: items in the trash take up space.
    public func storageProperties() async throws -> VolumeObject? { try await base.storageProperties() }

    /// Opens in the base, without waiting for running operations.
    public func open(path: ProviderPath) async throws -> any FileReader { try await base.open(path: path) }

    /// Opens in the base with these conditions, without waiting for running operations.
    public func open(path: ProviderPath, options: ReadOptions) async throws -> any FileReader {
        try await base.open(path: path, options: options)
    }

    /// Cancels the operations under way here and invalidates the base. The steps stay on the stack.
    public func invalidate() {
        cancelOperations()
        base.invalidate()
    }

    // MARK: Recorded

    /// Creates a folder. Its undo moves the folder to the trash, and fails once the folder is not empty.
    public func createFolder(path: ProviderPath) async throws {
        try await undoManager.put(.create(path: path.string), at: path, replacing: false) { _ in
            try await base.createFolder(path: path)
        }
    }

    /// Moves an item; a replaced item goes to the trash.
    public func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        let operation = FileOperationType.move(source: path.string, destination: destination.string)
        try await undoManager.put(operation, at: destination, from: path, isMove: true, replacing: overwrite) {
            overwrite in
            try await base.moveItem(path: path, to: destination, overwrite: overwrite, progress: progress)
        }
    }

    /// Copies an item; a replaced item goes to the trash.
    public func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        let operation = FileOperationType.copy(source: path.string, destination: destination.string)
        try await undoManager.put(operation, at: destination, from: path, replacing: overwrite) { overwrite in
            try await base.copyItem(path: path, to: destination, overwrite: overwrite, progress: progress)
        }
    }

    /// Moves an item to the trash. An item in the trash, or one that does not fit into it, is removed for good.
    ///
    /// - Throws: As the base; an error of the move to the trash, after which the item stays.
    public func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        try await undoManager.remove(path, recursive: recursive, progress: progress)
    }

    /// Writes a file; a replaced item goes to the trash.
    @discardableResult
    public func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        try await write(path, options) { try await base.writeContents(path: path, from: source, options: $0) }
    }

    func write(
        _ path: ProviderPath, _ options: WriteOptions, _ body: (WriteOptions) async throws -> FileObject
    ) async throws -> FileObject {
        try await undoManager.put(
            .modify(path: path.string), at: path, replacing: options.overwrite, ifMatch: options.ifMatch
        ) { overwrite in
            var options = options
            options.overwrite = overwrite
            return try await body(options)
        }
    }
}
