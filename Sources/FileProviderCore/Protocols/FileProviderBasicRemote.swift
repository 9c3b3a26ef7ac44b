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
    /// Whether anything may be answered from memory, or from a folder of answers kept.
    public var useCache: Bool { connectionOptions.cache.lifetime > 0 || connectionOptions.cache.folder != nil }

    /// Whether the storage is asked if what lies in the folder still holds, before it is used. What is in memory is not
    /// asked about.
    public var validatingCache: Bool { connectionOptions.cache.validates }
}
