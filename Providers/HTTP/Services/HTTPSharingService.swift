public import FileProviderCore

/// A service that makes links by which anyone can read an item; its provider is a `FileProviderSharing`.
public protocol HTTPSharingService: HTTPService {
    /// As `FileProviderSharing.publicLink(to:)`.
    func publicLink(to path: ProviderPath, over connection: HTTPConnection) async throws -> PublicLink
}
