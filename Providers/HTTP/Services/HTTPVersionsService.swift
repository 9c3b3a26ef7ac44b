public import FileProviderCore

/// A service whose server keeps versions of files; its provider is a `FileProviderVersions`.
public protocol HTTPVersionsService: HTTPService {
    /// As `FileProviderVersions.versions(of:)`.
    func versions(of path: ProviderPath, over connection: HTTPConnection) async throws -> [FileVersion]

    /// Returns the request that reads `version`. The provider adds the range.
    func request(forReading version: FileVersion) throws -> HTTPRequest

    /// As `FileProviderVersions.restore(_:)`.
    func restore(_ version: FileVersion, over connection: HTTPConnection) async throws
}

extension HTTPFileProvider: FileProviderVersions where Service: HTTPVersionsService {
    /// Lists the versions by the service.
    public func versions(of path: ProviderPath) async throws -> [FileVersion] {
        try await refuseUnheldName(path)
        return try await connection.reading(Service.self, path: path) {
            try await service.versions(of: path, over: connection)
        }
    }

    /// Read by the service's request.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` for a name that the service cannot hold.
    public func open(_ version: FileVersion) async throws -> any FileReader {
        try await refuseUnheldName(version.path)
        return connection.open(try service.request(forReading: version), cost: try await capabilities().readCost)
    }

    /// Restores a version by the service, and forgets the remembered file.
    public func restore(_ version: FileVersion) async throws {
        try await refuseUnheldName(version.path, isWriting: true)
        try await forgetting(version.path) {
            try await connection.reading(Service.self, path: version.path) {
                try await service.restore(version, over: connection)
            }
        }
    }
}

extension HTTPFileProvider {
    /// Runs a change of the item at `path`, and forgets the kept answers about it, whether the change succeeds or not:
    /// before, so that an answer that arrives meanwhile is not kept, and after.
    func forgetting(_ path: ProviderPath, _ body: () async throws -> Void) async throws {
        cache.drop(path)
        await connection.forget([path])
        do { try await body() } catch {
            cache.drop(path)
            await connection.forget([path])
            throw error
        }
        cache.drop(path)
        await connection.forget([path])
    }
}
