public import FileProviderCore

/// The abilities that only some services have, one conformance each.

extension HTTPFileProvider: FileProviderSharing where Service: HTTPSharingService {
    /// Made by the service.
    public func publicLink(to path: ProviderPath) async throws -> PublicLink {
        try await service.publicLink(to: path, over: connection)
    }
}
