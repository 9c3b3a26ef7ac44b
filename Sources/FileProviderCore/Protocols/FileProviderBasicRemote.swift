/// A provider whose storage is reached over a network.
///
/// It says how it connects and what it remembers; there is no `URLSession` and no `URLCache`.
public protocol FileProviderBasicRemote: FileProviderBasic {
    /// Access, trust and policies of this connection. Secrets are behind ``ConnectionOptions/credentials``.
    var connectionOptions: ConnectionOptions { get }

    /// Forgets what it remembers of the items at and below `path`, so that they are asked for anew.
    func dropCache(path: ProviderPath)
}

extension FileProviderBasicRemote {
    /// Whether listings and attributes may be answered from memory.
    public var useCache: Bool { connectionOptions.cache.lifetime > 0 }
}
