public import Foundation

/// How to reach one storage: a value without secrets, fit to be saved, shown and shared.
///
/// The registry makes a provider from it, with the secrets of a ``CredentialSource``. Two providers of one
/// configuration are separate.
public struct ProviderConfiguration: Sendable, Hashable {
    /// A folder, or the root, of the storage: without user, password, query and fragment.
    public let url: URL
    /// The user to log in as; nil leaves that to the credential source.
    public var user: String?
    /// As ``ConnectionOptions/trust``; relative names of files count from the process's current folder.
    public var trust = TrustPolicy()
    /// As ``ConnectionOptions/proxy``.
    public var proxy = ProxyPolicy.environment
    /// As ``ConnectionOptions/timeouts``.
    public var timeouts = Timeouts()
    /// As ``ConnectionOptions/retries``.
    public var retries = RetryPolicy()
    /// As ``ConnectionOptions/connectionsPerHost``.
    public var connectionsPerHost = Self.usualConnections
    /// As ``ConnectionOptions/maxRangesAtOnce``.
    public var maxRangesAtOnce = Self.usualRanges
    /// Bytes a second in each direction; nil for no limit.
    public var bandwidth: Int64?
    /// As ``RequestLimit/perSecond``; nil for no limit.
    public var requestsPerSecond: Double?
    /// As ``ConnectionOptions/allowsClearPassword``.
    public var allowsClearPassword = false
    /// As ``ConnectionOptions/keepsRedirectsInOrigin``; nil leaves it to the program.
    public var keepsRedirectsInOrigin: Bool?
    /// As ``ConnectionOptions/cache``.
    public var cache = CachePolicy()
    /// The settings that only this provider knows, by the names in its ``ProviderRegistration/settings``. No secrets.
    public var settings: [String: String] = [:]

    static let usualConnections = 8
    static let usualRanges = 4

    /// Creates a configuration with the default policies. A user in `url` becomes ``user``.
    ///
    /// - Throws: `URLError(.badURL)` for a URL without a scheme; with a password, query or fragment, which may be
    ///   secrets and would be saved; or with another user than `user`.
    public init(url: URL, user: String? = nil) throws {
        guard url.scheme?.isEmpty == false else { throw Self.refusal(url, "needs a scheme, such as davs:") }
        if url.password(percentEncoded: true) != nil {
            throw Self.refusal(url, "has a password in it; put it into ~/.netrc or another credential source")
        }
        if url.query(percentEncoded: true) != nil || url.fragment(percentEncoded: true) != nil {
            throw Self.refusal(
                url, "has a query or fragment, which may be a secret; write ? and # in a name as %3F and %23")
        }
        let named = url.user(percentEncoded: false).flatMap { $0.isEmpty ? nil : $0 }
        guard named == nil || user == nil || named == user else {
            throw Self.refusal(url, "names another user than the one given separately")
        }
        self.url = url.absoluteURL.withoutSecrets
        self.user = user ?? named
    }

    private static func refusal(_ url: URL, _ reason: String) -> URLError {
        FileError.make(
            .badURL, url: url, sentence: "The URL of a connection, “\(url.withoutSecrets.absoluteString)”, \(reason).")
    }

    /// Returns the same storage, from the item at `path` below this one's folder on.
    public func appending(_ path: ProviderPath) -> ProviderConfiguration {
        let base = url.absoluteString
        // Never nil: the base is a URL, and everything added is unreserved or percent-encoded.
        guard let item = URL(string: (base.hasSuffix("/") ? base : base + "/") + path.percentEncoded) else {
            return self
        }
        return ProviderConfiguration(self, url: item)
    }

    private init(_ other: ProviderConfiguration, url: URL) {
        (self.url, user, trust, timeouts, retries) = (url, other.user, other.trust, other.timeouts, other.retries)
        (connectionsPerHost, bandwidth) = (other.connectionsPerHost, other.bandwidth)
        (maxRangesAtOnce, requestsPerSecond) = (other.maxRangesAtOnce, other.requestsPerSecond)
        (allowsClearPassword, cache, settings, proxy) = (
            other.allowsClearPassword, other.cache, other.settings, other.proxy
        )
        keepsRedirectsInOrigin = other.keepsRedirectsInOrigin
    }

    /// ``url`` with the user in it, as the providers take it.
    public var urlWithUser: URL {
        guard let user, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
        parts.percentEncodedUser = user.addingPercentEncoding(withAllowedCharacters: .unreserved)
        return parts.url ?? url
    }
}

extension CharacterSet {
    /// The characters that need no encoding anywhere in a URL (RFC 3986, section 2.3). Foundation keeps more, such as a
    /// colon in a user's name, after which the rest would be read as a password.
    static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

extension ConnectionOptions {
    /// Creates the options of `configuration`, with the secrets of `credentials`.
    public init(
        _ configuration: ProviderConfiguration, credentials: any CredentialSource = FixedCredential(nil),
        counters: TransferCounters = TransferCounters()
    ) {
        self.init(
            credentials: credentials, trust: configuration.trust, timeouts: configuration.timeouts,
            retries: configuration.retries,
            connectionsPerHost: configuration.connectionsPerHost, bandwidth: configuration.bandwidth,
            allowsClearPassword: configuration.allowsClearPassword, cache: configuration.cache,
            settings: configuration.settings,
            counters: counters, proxy: configuration.proxy,
            keepsRedirectsInOrigin: configuration.keepsRedirectsInOrigin ?? false,
            requestLimit: configuration.requestsPerSecond.map { RequestLimit(perSecond: $0) },
            maxRangesAtOnce: configuration.maxRangesAtOnce)
    }
}
