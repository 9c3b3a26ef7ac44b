/// Resources that a closure makes (Readium's composite fetcher proposal).
public final class ProxyFetcher: Fetcher {
    private let make: @Sendable (Link) -> any Resource

    /// - Parameter resource: Called for each request. It doesn't read; the resource that it returns does.
    public init(resource: @escaping @Sendable (Link) -> any Resource) {
        make = resource
    }

    /// Serves the text that the closure returns for each link, in UTF-8.
    public convenience init(string: @escaping @Sendable (Link) -> String) {
        self.init(resource: { BytesResource($0, string: string($0)) })
    }

    /// Always empty: the closure's links are unknown.
    public func links() async throws -> [Link] { [] }

    /// Returns what the closure makes of `link`.
    public func get(_ link: Link) -> any Resource { make(link) }
}
