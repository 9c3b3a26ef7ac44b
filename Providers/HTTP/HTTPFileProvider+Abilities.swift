public import FileProviderCore
public import Foundation

/// The abilities that only some services have, one conformance each.

extension HTTPFileProvider: FileProviderSharing where Service: HTTPSharingService {
    /// Made by the service.
    public func publicLink(to path: ProviderPath) async throws -> PublicLink {
        try await refuseUnheldName(path)
        return try await connection.reading(Service.self, path: path) {
            try await service.publicLink(to: path, over: connection)
        }
    }
}

extension HTTPFileProvider: FileProviderAttributes where Service: HTTPAttributesService {
    /// Set by the service, after a look at what is there.
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
    /// - Throws: Also `URLError(.badServerResponse)` for what is no hash.
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
                sentence: "What the server gives for the hash of “\(path)” is none.")
        }
        return hash
    }
}

extension HTTPFileProvider: ExtendedFileProvider where Service: HTTPInformationService {
    /// What the service says.
    public func providesProperties(path: ProviderPath) -> Bool { service.providesProperties(path: path) }

    /// What the service says.
    public func providesThumbnail(path: ProviderPath) -> Bool { service.providesThumbnail(path: path) }

    /// Returns what the service gives.
    public func providedProperties(path: ProviderPath) async throws -> FileProperties {
        try await refuseUnheldName(path)
        return try await connection.reading(Service.self, path: path) {
            try await service.properties(path: path, over: connection)
        }
    }

    /// Made by the service: of the first page, and no larger than was asked for.
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
