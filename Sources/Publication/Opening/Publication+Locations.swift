public import FileProviderCore
public import Foundation

extension Publication {
    /// Opens the book that `url` names, through the provider that is registered for its scheme.
    ///
    /// - Parameters:
    ///   - connection: Credentials, trust and the other policies of the provider that is made.
    ///   - registry: Knows the providers; the process's own unless said otherwise.
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
