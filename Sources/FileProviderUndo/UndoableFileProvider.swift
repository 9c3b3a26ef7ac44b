import FileProviderCore
public import Foundation

/// A provider whose operations can be undone.
///
/// It records what is done through it, and keeps what that removes or replaces in a trash folder of the same provider.
/// What is done to the storage in another way, `base` included, counts as somebody else's. Operations on the same item
/// or on folders around it wait for each other; undo and redo wait for all that run, and hold back those that come
/// after.
public final class UndoableFileProvider<Base: FileProvider>: FileProviderUndoable, FileProviderReadWrite {
    /// The base's: names and messages do not tell that it is wrapped.
    public static var type: String { Base.type }

    /// The provider that does the work.
    public let base: Base
    /// The steps of what is done through this object; another wrapper of the same base has its own.
    public let undoManager: UndoStack

    /// - Parameters:
    ///   - levels: Steps that are kept.
    ///   - trash: Where data goes, and for how long.
    ///   - now: What the time is, for the trash.
    /// - Throws: `CocoaError(.fileReadInvalidFileName)` for a trash folder that no path can name, or that is the root.
    public init(
        _ base: Base, levels: Int = UndoStack.usualLevels, trash: TrashPolicy = TrashPolicy(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        self.base = base
        undoManager = try UndoStack(provider: base, levels: levels, trash: trash, now: now)
    }

    // MARK: What passes through

    /// The base's.
    public var baseURL: URL? { base.baseURL }

    /// The base's.
    public func url(of path: ProviderPath) -> URL { base.url(of: path) }

    /// The base's.
    public func relativePath(of url: URL) throws -> ProviderPath { try base.relativePath(of: url) }

    /// Asks the base.
    public func checkReachability() async throws { try await base.checkReachability() }

    /// The base's; but where the storage does not copy by itself, what is replaced steps aside first, and replacing is
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

    /// Has the base list; the trash folder is listed like any other.
    public func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void)
        async throws
    {
        try await base.contentsOfDirectory(path: path, page: page)
    }

    /// The base's: what lies in the trash takes up space.
    public func storageProperties() async throws -> VolumeObject? { try await base.storageProperties() }

    /// Opens on the base, and waits for no operation under way.
    public func open(path: ProviderPath) async throws -> any FileReader { try await base.open(path: path) }

    /// The provider's.
    public func open(path: ProviderPath, options: ReadOptions) async throws -> any FileReader {
        try await base.open(path: path, options: options)
    }

    /// Cancels what runs here and invalidates the base. The steps stay on the stack.
    public func invalidate() {
        cancelOperations()
        base.invalidate()
    }

    // MARK: What is recorded

    /// Makes a folder. Its undo moves it to the trash, and is refused once something is in it.
    public func createFolder(path: ProviderPath) async throws {
        try await undoManager.put(.create(path: path.string), at: path, replacing: false) { _ in
            try await base.createFolder(path: path)
        }
    }

    /// Moves an item; what it replaces goes to the trash.
    public func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        let operation = FileOperationType.move(source: path.string, destination: destination.string)
        try await undoManager.put(operation, at: destination, from: path, isMove: true, replacing: overwrite) {
            overwrite in
            try await base.moveItem(path: path, to: destination, overwrite: overwrite, progress: progress)
        }
    }

    /// Copies an item; what it replaces goes to the trash.
    public func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        let operation = FileOperationType.copy(source: path.string, destination: destination.string)
        try await undoManager.put(operation, at: destination, from: path, replacing: overwrite) { overwrite in
            try await base.copyItem(path: path, to: destination, overwrite: overwrite, progress: progress)
        }
    }

    /// Moves an item to the trash; what lies in the trash, or does not fit into it, is removed for good.
    ///
    /// - Throws: As the base's, and why it cannot be moved there: then it stays.
    public func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        try await undoManager.remove(path, recursive: recursive, progress: progress)
    }

    /// Writes a file; what it replaces goes to the trash.
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
