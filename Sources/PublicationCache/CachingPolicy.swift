/// When a cache asks the medium whether its content is current, and what it does if the medium is unavailable.
public struct CachingPolicy: Hashable, Sendable {
    /// When to ask the medium.
    public enum Revalidation: Hashable, Sendable {
        /// At each access; one request each time if the medium is a server.
        case always
        /// At the first access to a resource through one fetcher: at most one request for each resource, none for
        /// archive entries.
        case firstAccess
        /// Never for stored bytes. Missing bytes are still accepted only if they belong to the same version.
        case never
    }

    /// When the medium is asked about stored bytes.
    public var revalidation: Revalidation
    /// Whether stored bytes are served unchecked while the medium is unavailable.
    public var servesOffline: Bool
    /// Whether a complete resource is served if the medium reports only a length, and the same one. If false, each
    /// fetcher loads such a resource again.
    package var trustsLength = true

    /// The default asks once and serves offline.
    public init(_ revalidation: Revalidation = .firstAccess, servesOffline: Bool = true) {
        self.revalidation = revalidation
        self.servesOffline = servesOffline
    }
}
