public import FileProviderCore
public import Foundation

/// Abilities that only some services have, one conformance each.

extension HTTPFileProvider: FileProviderSharing where Service: HTTPSharingService {
    /// Returns a link that the service makes.
    public func publicLink(to path: ProviderPath) async throws -> PublicLink {
        try await refuseUnheldName(path)
        return try await connection.reading(Service.self, path: path) {
            try await service.publicLink(to: path, over: connection)
        }
    }
}

extension HTTPFileProvider: FileProviderAttributes where Service: HTTPAttributesService {
    /// Sets attributes by the service, after a look at the item.
    public func setAttributes(path: ProviderPath, permissions: UInt16?, modificationDate: Date?) async throws {
        let item = try await existing(path)
        if permissions == nil, modificationDate == nil { return }
        await forget([path])
        do {
            try await connection.reading(Service.self, path: path) {
                try await service.setAttributes(
                    of: item, permissions: permissions.map { $0 & 0o7777 }, modificationDate: modificationDate,
                    over: connection)
            }
            await forget([path])
        } catch {
            await forget([path])
            throw error
        }
    }
}

extension HTTPFileProvider: FileProviderChecksums where Service: HTTPChecksumService {
    /// Returns the hash that the service gives, after a look at the file.
    ///
    /// - Throws: Also `URLError(.badServerResponse)` if the answer is not a hash.
    public func checksum(of path: ProviderPath, kind: String) async throws -> String {
        guard try await capabilities().hashKinds.contains(kind) else {
            throw unsupported("tell a hash of the kind \(kind)", path: path)
        }
        let item = try await look(at: path)
        if item.isDirectory { throw FileError.isADirectory(path, url: url(of: path)) }
        let hash = try await connection.reading(Service.self, path: path) {
            try await service.checksum(of: item, kind: kind, over: connection).lowercased()
        }
        guard Hexadecimal.bytes(hash) != nil else {
            throw FileError.make(
                .badServerResponse, url: url(of: path),
                sentence: "The server's hash of “\(path)” is not a hexadecimal number.")
        }
        return hash
    }
}

extension HTTPFileProvider: ExtendedFileProvider where Service: HTTPInformationService {
    /// Returns whether the service may know properties of the file.
    public func providesProperties(path: ProviderPath) -> Bool { service.providesProperties(path: path) }

    /// Returns whether the service may make a thumbnail of the file.
    public func providesThumbnail(path: ProviderPath) -> Bool { service.providesThumbnail(path: path) }

    /// Returns the properties that the service knows.
    public func providedProperties(path: ProviderPath) async throws -> FileProperties {
        try await refuseUnheldName(path)
        return try await connection.reading(Service.self, path: path) {
            try await service.properties(path: path, over: connection)
        }
    }

    /// Returns a thumbnail of the first page that the service makes, no larger than requested.
    public func providedThumbnail(path: ProviderPath, request: ThumbnailRequest) async throws -> Thumbnail {
        try await refuseUnheldName(path)
        guard request.page == 1 else {
            throw unsupported("make a thumbnail of page \(request.page)", path: path)
        }
        let thumbnail = try await connection.reading(Service.self, path: path) {
            try await service.thumbnail(path: path, dimension: request.dimension, over: connection)
        }
        guard max(thumbnail.width, thumbnail.height) <= request.dimension, !thumbnail.data.isEmpty else {
            throw unsupported("make a thumbnail of \(request.dimension) pixels", path: path)
        }
        return thumbnail
    }
}
