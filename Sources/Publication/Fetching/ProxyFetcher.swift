/// Resources that a closure makes (Readium's composite fetcher proposal).
public final class ProxyFetcher: Fetcher {
    private let make: @Sendable (Link) -> any Resource

    /// - Parameter resource: Called for each request; it reads nothing itself, the resource does.
    public init(resource: @escaping @Sendable (Link) -> any Resource) {
        make = resource
    }

    /// Text for each link, in UTF-8.
    public convenience init(string: @escaping @Sendable (Link) -> String) {
        self.init(resource: { BytesResource($0, string: string($0)) })
    }

    /// None: nobody knows what the closure answers to.
    public func links() async throws -> [Link] { [] }

    /// What the closure makes of `link`.
    public func get(_ link: Link) -> any Resource { make(link) }
}
