public import FileProviderCore
public import Foundation

extension Publication {
    /// Opens the book at `url` through the provider that is registered for its scheme.
    ///
    /// - Parameters:
    ///   - connection: Credentials, trust and the other policies of the provider that is made.
    ///   - registry: The registry to take the provider from; by default the shared one.
    /// - Throws: As ``open(path:of:options:)``; `URLError(.unsupportedURL)` for a scheme that no provider has.
    public static func open(
        _ url: URL, connection: ConnectionOptions = ConnectionOptions(), options: OpeningOptions = OpeningOptions(),
        registry: ProviderRegistry = .shared
    ) async throws -> Publication {
        try await open(registry.location(of: url, options: connection), options: options)
    }

    /// Opens the book at `location`.
    ///
    /// - Throws: As ``open(path:of:options:)``.
    public static func open(_ location: ProviderLocation, options: OpeningOptions = OpeningOptions()) async throws
        -> Publication
    {
        try await open(path: location.path, of: location.provider, options: options)
    }
}
