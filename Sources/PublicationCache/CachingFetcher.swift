import FileProviderCore
import Foundation
import Publication
import Synchronization

/// A disk cache in front of another fetcher: resources are read again without loading their bytes again, also offline.
///
/// Resources are stored in blocks of 256 KiB as they are read, and completed later. The blocks belong to one version,
/// by the ``/Publication/Resource/validator()`` of the fetcher below; if that reports only a length, another fetcher
/// does not continue an incomplete resource. A full or failing disk is not an error: bytes then come from below. If
/// several readers want the same bytes at once, they are requested once.
///
/// Nothing decrypted is stored. If the fetcher below decrypts with a content protection, the cache stores the encrypted
/// bytes and decrypts them as they are read. A resource that a scheme encrypts and that was decrypted in another way,
/// such as by a transformer that wraps it, is read past the cache. Other transformations that use a secret belong in
/// front of the cache and not below it.
public final class CachingFetcher: Fetcher, PrefetchingFetcher {
    /// The cache that stores the resources.
    public let cache: ResourceCache
    /// The identifier of the publication in the cache.
    public let scope: String
    /// When the fetcher below is asked about stored resources.
    public let policy: CachingPolicy
    private let base: any Fetcher
    private let folder: CacheFolder
    private let state = Mutex((entries: [String: CachedEntry](), isClosed: false))

    /// The longest list of links that is stored, 16 MiB as JSON.
    private static let maxListLength = 16 << 20

    /// - Parameters:
    ///   - base: The fetcher that the resources come from; closed with this fetcher.
    ///   - scope: Identifies the publication, such as its URL, or that and its identifier. Different publications need
    ///     different scopes. Only a digest of it is stored.
    public init(_ base: any Fetcher, cache: ResourceCache, scope: String, policy: CachingPolicy = CachingPolicy()) {
        self.base = base
        self.cache = cache
        self.scope = scope
        self.policy = policy
        folder = cache.folder(of: scope)
    }

    /// Returns the base's links; if the base is unavailable and the policy serves offline, its last known links.
    ///
    /// Links to elsewhere with a user or a query, which may be secrets, are not stored.
    public func links() async throws -> [Link] {
        do {
            let links = try await base.links()
            await keep(links)
            return links
        } catch let error where error.resourceFailure == .unavailable {
            guard policy.servesOffline, !state.withLock({ $0.isClosed }), let links = await keptLinks() else {
                throw error
            }
            return links
        }
    }

    /// Returns the resource at `link`, through the cache. Ignores a fragment, which is not passed on to the base.
    public func get(_ link: Link) -> any Resource {
        let entry = entry(for: link)
        return cached(link, entry).map { entry.decrypting($0) } ?? base.get(entry.link)
    }

    /// Returns the resource at `link` with the bytes that are stored, which may be encrypted; nil if the resource must
    /// not be stored.
    func cached(_ link: Link) -> CachedResource? { cached(link, entry(for: link)) }

    private func cached(_ link: Link, _ entry: CachedEntry) -> CachedResource? {
        if entry.isExposed { return nil }
        return CachedResource(link, entry: entry) { [weak self] in self?.state.withLock { $0.isClosed } ?? false }
    }

    /// Closes the base. The cache keeps its content; resources of this fetcher are `unavailable`.
    public func close() async {
        state.withLock { $0 = ([:], true) }
        await cache.writeAccesses()
        await base.close()
    }

    /// The base.
    public var children: [(label: String, fetcher: any Fetcher)] { [("behind the cache", base)] }

    /// Passes on to the base the hrefs of which the cache has nothing.
    package func prefetch(hrefs: [String]) async throws {
        guard let base = base as? any PrefetchingFetcher else { return }
        let folder = folder
        let names = hrefs.map { (href: $0, file: Array(NameDigest(Self.name(of: $0)).name.utf8)) }
        let missing = try? await BlockingThreads.shared.run {
            try names.filter { try !folder.has($0.file) }.map(\.href)
        }
        try await base.prefetch(hrefs: missing ?? hrefs)
    }

    private func entry(for link: Link) -> CachedEntry {
        var bare = link
        bare.href = Self.withoutFragment(link.href)
        let name = Self.name(of: link.href)
        let (base, cache, folder, policy, found) = (base, cache, folder, policy, bare)
        return state.withLock { state in
            if let entry = state.entries[name] { return entry }
            let entry = CachedEntry(found, name: name, base: base, cache: cache, folder: folder, policy: policy)
            state.entries[name] = entry
            return entry
        }
    }

    /// A leading slash means the publication's root and is ignored, unless another one follows.
    static func name(of href: String) -> String {
        let bare = withoutFragment(href).utf8
        let isRooted = bare.first == UInt8(ascii: "/") && bare.dropFirst().first != UInt8(ascii: "/")
        return String(decoding: isRooted ? bare.dropFirst() : bare[...], as: UTF8.self)
    }

    private static func withoutFragment(_ href: String) -> String {
        String(decoding: href.utf8.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
    }

    // MARK: The list

    private func keep(_ links: [Link]) async {
        let harmless = links.filter { !$0.isRemote || !$0.href.contains("@") && !$0.href.contains("?") }
        let data = JSONValue.array(harmless.map(\.json)).data
        guard data.count <= Self.maxListLength, (try? await cache.makeRoom(for: Int64(data.count))) != nil else {
            return
        }
        try? await BlockingThreads.shared.run { [folder] in
            if try folder.read(CacheFolder.links, limit: Self.maxListLength) != data {
                try folder.write(data, to: CacheFolder.links)
            }
        }
    }

    private func keptLinks() async -> [Link]? {
        let data = try? await BlockingThreads.shared.run { [folder] in
            try folder.read(CacheFolder.links, limit: Self.maxListLength)
        }
        guard let data, let json = try? JSONValue(data: data, maximumSize: Self.maxListLength) else { return nil }
        return [Link](json: json)
    }
}
