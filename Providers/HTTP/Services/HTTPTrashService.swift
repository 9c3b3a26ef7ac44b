public import FileProviderCore

/// A service whose server keeps removed items; its provider is a `FileProviderTrash`.
public protocol HTTPTrashService: HTTPService {
    /// As `FileProviderTrash.trashItems(below:page:)`.
    func trashItems(
        below path: ProviderPath, over connection: HTTPConnection,
        page: @Sendable ([TrashItem]) async throws -> Void
    ) async throws

    /// As `FileProviderTrash.restore(_:)`.
    func restore(_ item: TrashItem, over connection: HTTPConnection) async throws

    /// As `FileProviderTrash.removeFromTrash(_:)`.
    func removeFromTrash(_ item: TrashItem, over connection: HTTPConnection) async throws
}

extension HTTPFileProvider: FileProviderTrash where Service: HTTPTrashService {
    /// Asks the service.
    ///
    /// - Throws: Also `CocoaError(.fileReadNoSuchFile)` for a name that the service cannot hold.
    public func trashItems(below path: ProviderPath, page: @Sendable ([TrashItem]) async throws -> Void) async throws {
        try await refuseUnheldName(path)
        let failure = LockedValue<(any Error)?>(nil)
        do {
            try await connection.reading(Service.self, path: path) {
                try await service.trashItems(below: path, over: connection) { items in
                    do { try await page(items) } catch {
                        failure.update { $0 = error }
                        throw error
                    }
                }
            }
        } catch {
            // An error of the caller's closure says nothing about the server's answer.
            throw failure.value ?? error
        }
    }

    /// Restores an item by the service, and forgets the remembered item and listing.
    public func restore(_ item: TrashItem) async throws {
        try await refuseUnheldName(item.path, isWriting: true)
        try await forgetting(item.path) {
            try await connection.reading(Service.self, path: item.path) {
                try await service.restore(item, over: connection)
            }
        }
    }

    /// Removes an item from the trash by the service.
    public func removeFromTrash(_ item: TrashItem) async throws {
        try await refuseUnheldName(item.path, isWriting: true)
        try await connection.reading(Service.self, path: item.path) {
            try await service.removeFromTrash(item, over: connection)
        }
    }
}
