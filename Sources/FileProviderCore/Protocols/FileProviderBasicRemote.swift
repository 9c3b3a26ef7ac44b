/// A provider whose storage is reached over a network.
///
/// It exposes its connection options and its cache; there is no `URLSession` and no `URLCache`.
public protocol FileProviderBasicRemote: FileProviderBasic {
    /// Access, trust and policies of this connection. Secrets are behind ``ConnectionOptions/credentials``.
    var connectionOptions: ConnectionOptions { get }

    /// Forgets the cached items at and below `path`, so that the storage is asked again.
    func dropCache(path: ProviderPath)
}

extension FileProviderBasicRemote {
    /// Whether answers may come from memory or from a folder of cached answers.
    public var useCache: Bool { connectionOptions.cache.lifetime > 0 || connectionOptions.cache.folder != nil }

    /// Whether the storage is asked if an answer in the cache's folder still holds, before it is used. Answers in
    /// memory are used without asking.
    public var validatingCache: Bool { connectionOptions.cache.validates }
}
