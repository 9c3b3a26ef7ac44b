import FileProviderCore
public import Foundation

/// The abilities of the base, one conformance each, so that wrapping hides none of them.

extension UndoableFileProvider: FileProviderPushWrite where Base: FileProviderPushWrite {
    /// Writes a file; a replaced item goes to the trash.
    @discardableResult
    public func writeContents(
        path: ProviderPath, options: WriteOptions, fill: @Sendable (any ByteSink) async throws -> FileExtent
    ) async throws -> FileObject {
        try await write(path, options) { try await base.writeContents(path: path, options: $0, fill: fill) }
    }
}

extension UndoableFileProvider: FileProviderAppending where Base: FileProviderAppending {
    /// Appends in the base. This cannot be undone.
    public func append(path: ProviderPath, from source: any WriteSource, createsFile: Bool) async throws -> FileObject {
        try await base.append(path: path, from: source, createsFile: createsFile)
    }
}

extension UndoableFileProvider: FileProviderSymbolicLink where Base: FileProviderSymbolicLink {
    /// Creates a symbolic link. Its undo moves the link to the trash.
    public func createSymbolicLink(path: ProviderPath, target: [UInt8]) async throws {
        let operation = FileOperationType.link(link: path.string, target: String(decoding: target, as: UTF8.self))
        try await undoManager.put(operation, at: path, replacing: false) { _ in
            try await base.createSymbolicLink(path: path, target: target)
        }
    }

    /// Asks the base.
    public func destinationOfSymbolicLink(path: ProviderPath) async throws -> FileObject {
        try await base.destinationOfSymbolicLink(path: path)
    }
}

extension UndoableFileProvider: FileProviderSharing where Base: FileProviderSharing {
    /// Asks the base for the link. This cannot be undone.
    public func publicLink(to path: ProviderPath) async throws -> PublicLink { try await base.publicLink(to: path) }
}

extension UndoableFileProvider: FileProviderChecksums where Base: FileProviderChecksums {
    /// Asks the base.
    public func checksum(of path: ProviderPath, kind: String) async throws -> String {
        try await base.checksum(of: path, kind: kind)
    }
}

extension UndoableFileProvider: FileProviderTrash where Base: FileProviderTrash {
    /// Asks the base. Items removed through this provider are in the stack's own trash instead.
    public func trashItems(below path: ProviderPath, page: @Sendable ([TrashItem]) async throws -> Void) async throws {
        try await base.trashItems(below: path, page: page)
    }

    /// Restores it in the base. This cannot be undone.
    public func restore(_ item: TrashItem) async throws { try await base.restore(item) }

    /// Removes it from the base's trash. This cannot be undone.
    public func removeFromTrash(_ item: TrashItem) async throws { try await base.removeFromTrash(item) }
}

extension UndoableFileProvider: FileProviderVersions where Base: FileProviderVersions {
    /// Asks the base.
    public func versions(of path: ProviderPath) async throws -> [FileVersion] { try await base.versions(of: path) }

    /// Opens on the base.
    public func open(_ version: FileVersion) async throws -> any FileReader { try await base.open(version) }

    /// Restores it in the base, which keeps the previous content as a version. This cannot be undone.
    public func restore(_ version: FileVersion) async throws { try await base.restore(version) }
}

extension UndoableFileProvider: FileProviderBasicRemote where Base: FileProviderBasicRemote {
    /// The base's.
    public var connectionOptions: ConnectionOptions { base.connectionOptions }

    /// Makes the base forget.
    public func dropCache(path: ProviderPath) { base.dropCache(path: path) }
}

extension UndoableFileProvider: FileProviderMonitor where Base: FileProviderMonitor {
    /// Watches the base. Undo and moves to the trash are reported, too.
    public func watch(path: ProviderPath, options: WatchOptions) async throws -> any FileWatch {
        try await base.watch(path: path, options: options)
    }
}

extension UndoableFileProvider: FileProviderLongPolling where Base: FileProviderLongPolling {
    /// Asks the base.
    public func changes(path: ProviderPath, since token: String?) async throws -> LongPollAnswer {
        try await base.changes(path: path, since: token)
    }
}

extension UndoableFileProvider: FileProviderSearch where Base: FileProviderSearch {
    /// Asks the base.
    public func searchesNatively(path: ProviderPath, recursive: Bool, query: FileQuery) async throws -> Bool {
        try await base.searchesNatively(path: path, recursive: recursive, query: query)
    }

    /// Searches the base.
    public func searchFiles(
        path: ProviderPath, recursive: Bool, query: FileQuery,
        found: @escaping @Sendable ([FileObject]) async throws -> Void
    ) async throws {
        try await base.searchFiles(path: path, recursive: recursive, query: query, found: found)
    }
}

extension UndoableFileProvider: FileProviderAttributes where Base: FileProviderAttributes {
    /// Sets them on the base. This cannot be undone.
    public func setAttributes(path: ProviderPath, permissions: UInt16?, modificationDate: Date?) async throws {
        try await base.setAttributes(path: path, permissions: permissions, modificationDate: modificationDate)
    }
}

extension UndoableFileProvider: FileProviderExtendedAttributes where Base: FileProviderExtendedAttributes {
    /// Asks the base.
    public func extendedAttributes(path: ProviderPath) async throws -> [String: [UInt8]] {
        try await base.extendedAttributes(path: path)
    }

    /// Sets it on the base. This cannot be undone.
    public func setExtendedAttribute(_ name: String, to value: [UInt8], path: ProviderPath) async throws {
        try await base.setExtendedAttribute(name, to: value, path: path)
    }

    /// Removes it from the base. This cannot be undone.
    public func removeExtendedAttribute(_ name: String, path: ProviderPath) async throws {
        try await base.removeExtendedAttribute(name, path: path)
    }
}

extension UndoableFileProvider: FileProviderSynchronization where Base: FileProviderSynchronization {
    /// This provider itself; operations that can be undone wait for the disk.
    public var unsynchronized: any FileProvider { self }

    /// Synchronizes the base.
    public func synchronize(path: ProviderPath) async throws { try await base.synchronize(path: path) }
}

extension UndoableFileProvider: ExtendedFileProvider where Base: ExtendedFileProvider {
    /// Asks the base.
    public func providesProperties(path: ProviderPath) -> Bool { base.providesProperties(path: path) }

    /// Asks the base.
    public func providesThumbnail(path: ProviderPath) -> Bool { base.providesThumbnail(path: path) }

    /// Asks the base.
    public func providedProperties(path: ProviderPath) async throws -> FileProperties {
        try await base.providedProperties(path: path)
    }

    /// Asks the base.
    public func providedThumbnail(path: ProviderPath, request: ThumbnailRequest) async throws -> Thumbnail {
        try await base.providedThumbnail(path: path, request: request)
    }
}
