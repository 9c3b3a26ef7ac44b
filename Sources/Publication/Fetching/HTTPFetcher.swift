public import FileProviderCore
public import Foundation

/// Resources of web servers, by their addresses (Readium's composite fetcher proposal).
///
/// The bytes come from the provider that is registered for the address's scheme, so its options, retries and
/// credentials hold. Addresses of other schemes than `http` and `https` are refused: a book must not reach into the
/// files of the one who reads it.
public final class HTTPFetcher: Fetcher {
    private let registry: ProviderRegistry
    private let options: ConnectionOptions
    private let baseURL: URL?
    private let readers = OpenReaders()

    /// - Parameter baseURL: What relative hrefs count from, the address of a manifest for instance; nil to refuse them.
    public init(
        baseURL: URL? = nil, registry: ProviderRegistry = .shared, options: ConnectionOptions = ConnectionOptions()
    ) {
        self.baseURL = baseURL
        self.registry = registry
        self.options = options
    }

    /// None: a server does not tell what it has.
    public func links() async throws -> [Link] { [] }

    /// The resource at the link's address; `badRequest` for what is no address of a web server.
    public func get(_ link: Link) -> any Resource {
        guard let url = URL(string: link.href, relativeTo: baseURL)?.absoluteURL,
            ["http", "https"].contains(url.scheme?.lowercased())
        else {
            let sentence = "“\(link.href)” is no address of a web server."
            return FailureResource(
                link, error: FileError.make(.fileReadInvalidFileName, path: link.href, sentence: sentence))
        }
        let (registry, options) = (registry, options)
        let open: OpenedResource.Open = {
            let location = try await registry.location(of: url, options: options)
            return try await location.provider.open(path: location.path)
        }
        return OpenedResource(link, readers: readers, locations: [open])
    }

    /// Ends what its resources hold open; they are `unavailable` from then on.
    public func close() async { await readers.close() }
}
