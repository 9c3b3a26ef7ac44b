import FileProviderCore
import Foundation
import Publication
import Synchronization

/// Resources of another fetcher, kept on disk: read again without asking for their bytes again, and read offline.
///
/// Resources are kept in blocks of 256 KiB, as far as they were read, and completed later. What is kept belongs to one
/// version, by the ``Resource/validator()`` of the fetcher below; where that tells no more than a length, a part is not
/// gone on with by another fetcher. Disks that are full or fail are no error: bytes then come from below. Of many who
/// want the same bytes at once, one asks for them.
///
/// Whatever changes bytes by something secret, such as decryption, belongs in front of the cache and not below it.
public final class CachingFetcher: Fetcher, PrefetchingFetcher {
    /// Where the resources are kept.
    public let cache: ResourceCache
    /// What identifies the publication in the cache.
    public let scope: String
    /// When the fetcher below is asked about what is kept.
    public let policy: CachingPolicy
    private let base: any Fetcher
    private let folder: CacheFolder
    private let state = Mutex((entries: [String: CachedEntry](), isClosed: false))

    /// The longest list of links that is kept, 16 MiB as JSON.
    private static let maxListLength = 16 << 20

    /// - Parameters:
    ///   - base: What the resources come from; closed with this fetcher.
    ///   - scope: The same for the same publication, and another for each other one: its URL, or that and its
    ///     identifier. Only a digest of it is stored.
    public init(_ base: any Fetcher, cache: ResourceCache, scope: String, policy: CachingPolicy = CachingPolicy()) {
        self.base = base
        self.cache = cache
        self.scope = scope
        self.policy = policy
        folder = cache.folder(of: scope)
    }

    /// The base's; where that is unavailable and the policy serves offline, those it had when it was asked last.
    ///
    /// Links to elsewhere with a user or a query, which may be secrets, are not kept.
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

    /// The resource at `link`, through the cache. A fragment is no part of what a resource is, and is not passed on to
    /// the base.
    public func get(_ link: Link) -> any Resource {
        CachedResource(link, entry: entry(for: link)) { [weak self] in self?.state.withLock { $0.isClosed } ?? false }
    }

    /// Closes the base. What is in the cache stays there; resources that came from here are `unavailable`.
    public func close() async {
        state.withLock { $0 = ([:], true) }
        await cache.writeAccesses()
        await base.close()
    }

    /// The base.
    public var children: [(label: String, fetcher: any Fetcher)] { [("behind the cache", base)] }

    /// Passed on to the base for what the cache has nothing of.
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

    /// A slash in front stands for the publication's root and does not count; one in front of another does.
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
