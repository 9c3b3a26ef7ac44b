/// When a cache asks the medium whether what it holds is still so, and what it does when nobody answers.
public struct CachingPolicy: Hashable, Sendable {
    /// When to ask.
    public enum Revalidation: Hashable, Sendable {
        /// At each access. A request each time, where the medium is a server.
        case always
        /// At the first access to a resource through one fetcher: at most one request for each resource, none for
        /// archive entries.
        case firstAccess
        /// Not for what is held. Bytes that are missing are still taken only if they belong to the same version.
        case never
    }

    /// When the medium is asked about what is held.
    public var revalidation: Revalidation
    /// Whether what is held is given out unchecked while the medium is unavailable.
    public var servesOffline: Bool

    /// The default asks once and serves offline.
    public init(_ revalidation: Revalidation = .firstAccess, servesOffline: Bool = true) {
        self.revalidation = revalidation
        self.servesOffline = servesOffline
    }
}
