public import Foundation

/// The abilities of the base, one conformance each, so that a layer hides none of them.

extension LayeredFileProvider: FileProviderPushWrite where Base: FileProviderPushWrite {
    /// Writes to the base.
    @discardableResult
    public func writeContents(
        path: ProviderPath, options: WriteOptions, fill: @Sendable (any ByteSink) async throws -> FileExtent
    ) async throws -> FileObject {
        try await changing(.write, path) {
            shown(try await base.writeContents(path: $0, options: options, fill: fill), as: path)
        }
    }
}

extension LayeredFileProvider: FileProviderAppending where Base: FileProviderAppending {
    /// Appends in the base.
    public func append(path: ProviderPath, from source: any WriteSource, createsFile: Bool) async throws -> FileObject {
        try await changing(.append, path) {
            shown(try await base.append(path: $0, from: source, createsFile: createsFile), as: path)
        }
    }
}

extension LayeredFileProvider: FileProviderSymbolicLink where Base: FileProviderSymbolicLink {
    /// Makes the link in the base; `target` stays as it is.
    public func createSymbolicLink(path: ProviderPath, target: [UInt8]) async throws {
        try await changing(.createSymbolicLink, path) { try await base.createSymbolicLink(path: $0, target: target) }
    }

    /// Asks the base.
    ///
    /// - Throws: As the base; `CocoaError(.fileReadNoPermission)` for a link to an item that the layer hides.
    public func destinationOfSymbolicLink(path: ProviderPath) async throws -> FileObject {
        try await translatingErrors {
            let item = try await base.destinationOfSymbolicLink(path: layer.basePath(of: path))
            guard let item = shown(item) else { throw FileError.make(.fileReadNoPermission, path: path) }
            return item
        }
    }
}

extension LayeredFileProvider: FileProviderAttributes where Base: FileProviderAttributes {
    /// Sets them in the base.
    public func setAttributes(path: ProviderPath, permissions: UInt16?, modificationDate: Date?) async throws {
        try await changing(.setAttributes, path) {
            try await base.setAttributes(path: $0, permissions: permissions, modificationDate: modificationDate)
        }
    }
}

extension LayeredFileProvider: FileProviderExtendedAttributes where Base: FileProviderExtendedAttributes {
    /// Asks the base.
    public func extendedAttributes(path: ProviderPath) async throws -> [String: [UInt8]] {
        try await translatingErrors { try await base.extendedAttributes(path: layer.basePath(of: path)) }
    }

    /// Sets it in the base.
    public func setExtendedAttribute(_ name: String, to value: [UInt8], path: ProviderPath) async throws {
        try await changing(.setAttributes, path) {
            try await base.setExtendedAttribute(name, to: value, path: $0)
        }
    }

    /// Removes it from the base.
    public func removeExtendedAttribute(_ name: String, path: ProviderPath) async throws {
        try await changing(.setAttributes, path) { try await base.removeExtendedAttribute(name, path: $0) }
    }
}

extension LayeredFileProvider: FileProviderSharing where Base: FileProviderSharing {
    /// Asks the base for the link.
    public func publicLink(to path: ProviderPath) async throws -> PublicLink {
        try await changing(.share, path) { try await base.publicLink(to: $0) }
    }
}

extension LayeredFileProvider: FileProviderChecksums where Base: FileProviderChecksums {
    /// Asks the base.
    public func checksum(of path: ProviderPath, kind: String) async throws -> String {
        try await translatingErrors { try await base.checksum(of: layer.basePath(of: path), kind: kind) }
    }
}

extension LayeredFileProvider: FileProviderTrash where Base: FileProviderTrash {
    /// Asks the base; leaves out items that the layer hides.
    public func trashItems(below path: ProviderPath, page: @Sendable ([TrashItem]) async throws -> Void) async throws {
        try await translatingErrors {
            try await base.trashItems(below: layer.basePath(of: path)) { items in
                let shown = items.compactMap { item in
                    self.layer.path(ofBase: item.path).map { path in
                        var item = item
                        item.path = path
                        return item
                    }
                }
                if !shown.isEmpty { try await page(shown) }
            }
        }
    }

    /// Restores it in the base.
    public func restore(_ item: TrashItem) async throws {
        try await changing(.restore, item.path) { try await base.restore(Self.item(item, at: $0)) }
    }

    /// Removes it from the base's trash.
    public func removeFromTrash(_ item: TrashItem) async throws {
        try await changing(.removeFromTrash, item.path) { try await base.removeFromTrash(Self.item(item, at: $0)) }
    }

    private static func item(_ item: TrashItem, at path: ProviderPath) -> TrashItem {
        var item = item
        item.path = path
        return item
    }
}

extension LayeredFileProvider: FileProviderVersions where Base: FileProviderVersions {
    /// Asks the base.
    public func versions(of path: ProviderPath) async throws -> [FileVersion] {
        try await translatingErrors {
            try await base.versions(of: layer.basePath(of: path)).map { Self.version($0, at: path) }
        }
    }

    /// Opens in the base.
    public func open(_ version: FileVersion) async throws -> any FileReader {
        try await translatingErrors {
            let location = try layer.basePath(of: version.path)
            let reader = try await base.open(Self.version(version, at: location))
            return location == version.path ? reader : LayeredReader(reader, path: version.path, translated: translated)
        }
    }

    /// Restores it in the base.
    public func restore(_ version: FileVersion) async throws {
        try await changing(.restore, version.path) { try await base.restore(Self.version(version, at: $0)) }
    }

    private static func version(_ version: FileVersion, at path: ProviderPath) -> FileVersion {
        var version = version
        version.path = path
        return version
    }
}

extension LayeredFileProvider: FileProviderBasicRemote where Base: FileProviderBasicRemote {
    /// The base's.
    public var connectionOptions: ConnectionOptions { base.connectionOptions }

    /// Makes the base forget; does nothing for a path that has no place in the base.
    public func dropCache(path: ProviderPath) {
        if let location = try? layer.basePath(of: path) { base.dropCache(path: location) }
    }
}

extension LayeredFileProvider: FileProviderMonitor where Base: FileProviderMonitor {
    /// Watches the base.
    public func watch(path: ProviderPath, options: WatchOptions) async throws -> any FileWatch {
        try await translatingErrors {
            let location = try layer.basePath(of: path)
            let watch = try await base.watch(path: location, options: options)
            return LayeredWatch(watch, path: layer.path(ofBase:), translated: translated)
        }
    }
}

extension LayeredFileProvider: FileProviderLongPolling where Base: FileProviderLongPolling {
    /// Asks the base.
    public func changes(path: ProviderPath, since token: String?) async throws -> LongPollAnswer {
        try await translatingErrors {
            var answer = try await base.changes(path: layer.basePath(of: path), since: token)
            answer.events = answer.events.compactMap { $0.shown(layer.path(ofBase:)) }
            return answer
        }
    }
}

extension LayeredFileProvider: FileProviderSearch where Base: FileProviderSearch {
    /// Asks the base; false if paths differ from those of the base and `query` asks about them.
    public func searchesNatively(path: ProviderPath, recursive: Bool, query: FileQuery) async throws -> Bool {
        let location = try layer.basePath(of: path)
        if location != path, query.needsPath || query.needsURL { return false }
        return try await base.searchesNatively(path: location, recursive: recursive, query: query)
    }

    /// Searches the base.
    public func searchFiles(
        path: ProviderPath, recursive: Bool, query: FileQuery,
        found: @escaping @Sendable ([FileObject]) async throws -> Void
    ) async throws {
        try await translatingErrors {
            try await base.searchFiles(path: layer.basePath(of: path), recursive: recursive, query: query) { items in
                let shown = items.compactMap(self.shown)
                if !shown.isEmpty { try await found(shown) }
            }
        }
    }
}

extension LayeredFileProvider: FileProviderConfining where Base: FileProviderConfining {
    /// Confines the base, under the same layer. Leaves out folders that have no place in the base.
    public func confined(to folders: [ProviderPath]) -> any FileProvider {
        let locations = folders.compactMap { try? layer.basePath(of: $0) }
        // Without folders, a base may not confine itself at all.
        return locations.isEmpty ? base.layered(EmptyLayer()) : base.confined(to: locations).layered(layer)
    }
}

extension LayeredFileProvider: FileProviderSynchronization where Base: FileProviderSynchronization {
    /// The base's, under the same layer.
    public var unsynchronized: any FileProvider { base.unsynchronized.layered(layer) }

    /// Synchronizes the base.
    public func synchronize(path: ProviderPath) async throws {
        try await translatingErrors { try await base.synchronize(path: layer.basePath(of: path)) }
    }
}

extension LayeredFileProvider: ExtendedFileProvider where Base: ExtendedFileProvider {
    /// Asks the base.
    public func providesProperties(path: ProviderPath) -> Bool {
        (try? layer.basePath(of: path)).map { base.providesProperties(path: $0) } ?? false
    }

    /// Asks the base.
    public func providesThumbnail(path: ProviderPath) -> Bool {
        (try? layer.basePath(of: path)).map { base.providesThumbnail(path: $0) } ?? false
    }

    /// Asks the base.
    public func providedProperties(path: ProviderPath) async throws -> FileProperties {
        try await translatingErrors { try await base.providedProperties(path: layer.basePath(of: path)) }
    }

    /// Asks the base.
    public func providedThumbnail(path: ProviderPath, request: ThumbnailRequest) async throws -> Thumbnail {
        try await translatingErrors {
            try await base.providedThumbnail(path: layer.basePath(of: path), request: request)
        }
    }
}
