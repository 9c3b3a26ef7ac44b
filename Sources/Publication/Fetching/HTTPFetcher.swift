public import FileProviderCore
public import Foundation

/// Resources on web servers, by address (Readium's composite fetcher proposal).
///
/// Reads through the provider that is registered for the address's scheme, with its options, retries and credentials.
/// Refuses schemes other than `http` and `https`: a book must not reach the reader's own files.
public final class HTTPFetcher: Fetcher {
    private let registry: ProviderRegistry
    private let options: ConnectionOptions
    private let baseURL: URL?
    private let refusesPrivateHosts: Bool
    private let readers = OpenReaders()

    /// - Parameter baseURL: The address that relative hrefs are resolved against, such as that of a manifest; nil to
    ///   refuse relative hrefs.
    /// - Parameter refusesPrivateHosts: Whether hosts of this machine and its network, by their addresses or names such
    ///   as `localhost`, are `forbidden`: for a server, on which a book must not read for others what only it reaches.
    public init(
        baseURL: URL? = nil, registry: ProviderRegistry = .shared, options: ConnectionOptions = ConnectionOptions(),
        refusesPrivateHosts: Bool = false
    ) {
        self.refusesPrivateHosts = refusesPrivateHosts
        self.baseURL = baseURL
        self.registry = registry
        self.options = options
    }

    /// Always empty: web servers don't list their resources.
    public func links() async throws -> [Link] { [] }

    /// Returns the resource at the link's address; `badRequest` if that is not an address of a web server.
    public func get(_ link: Link) -> any Resource {
        guard let url = URL(string: link.href, relativeTo: baseURL)?.absoluteURL,
            ["http", "https"].contains(url.scheme?.lowercased())
        else {
            let sentence = "“\(link.href)” is not an http or https address."
            return FailureResource(
                link, error: FileError.make(.fileReadInvalidFileName, path: link.href, sentence: sentence))
        }
        if refusesPrivateHosts, PrivateHost.contains(url.host() ?? "") {
            let sentence = "“\(url.host() ?? "")” is in a private network, where a book must not read."
            return FailureResource(
                link, error: FileError.make(.fileReadNoPermission, path: link.href, sentence: sentence))
        }
        let (registry, options) = (registry, options)
        let open: OpenedResource.Open = {
            let location = try await registry.location(of: url, options: options)
            return try await location.provider.open(path: location.path)
        }
        return OpenedResource(link, readers: readers, locations: [open])
    }

    /// Closes the connections of its resources, which are `unavailable` from then on.
    public func close() async { await readers.close() }
}
