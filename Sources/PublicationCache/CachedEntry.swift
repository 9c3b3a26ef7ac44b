import FileProviderCore
import Foundation
import Publication
import Synchronization

/// A fetcher's state for one resource: the medium's proxy, the file in the cache, which version was confirmed, and the
/// requests under way. All proxies to the resource share it.
final class CachedEntry: Sendable {
    struct State {
        /// The medium's proxy, encrypted as the medium has it; replaced after an error, because the file may have
        /// changed.
        var resource: (any Resource)?
        /// What decrypts the medium's proxy; nil for a resource that is not encrypted.
        var decrypted: (any DecryptedResource)?
        /// Whether the resource was decrypted in a way that cannot be done above the cache.
        var isExposed = false
        var file: CacheFile?
        /// Whether the medium has confirmed to this fetcher that the file's version is current.
        var isConfirmed = false
        /// Whether the medium was asked and did not respond.
        var isOffline = false
        /// The reason why nothing more is stored: the cache's storage failed, or the medium does not know the length of
        /// the resource.
        var refusal: StorageFailure?
        /// The file that this fetcher created; see ``CachedEntry/settled(near:mustAsk:)``.
        var ownNonce: UInt64?
        /// The file that the medium confirmed.
        var confirmedNonce: UInt64?
        var settling: SingleFlight<CacheFile?>?
        var fetches: [BlockFetch] = []
        var users = 0
    }

    /// Without a fragment.
    let link: Link
    let cache: ResourceCache
    let folder: CacheFolder
    let policy: CachingPolicy
    let digest: NameDigest
    private let base: any Fetcher
    let state = Mutex(State())

    /// - Parameters:
    ///   - link: Without a fragment.
    ///   - name: Identifies the resource in the publication.
    init(
        _ link: Link, name: String, base: any Fetcher, cache: ResourceCache, folder: CacheFolder, policy: CachingPolicy
    ) {
        self.link = link
        self.base = base
        self.cache = cache
        self.folder = folder
        self.policy = policy
        digest = NameDigest(name)
    }

    // MARK: The medium

    /// The medium's proxy, created on first use. Its bytes are those of the medium, even if the fetcher below decrypts.
    var resource: any Resource {
        if let resource = state.withLock({ $0.resource }) { return resource }
        let made = base.get(link)
        let decrypted = made as? any DecryptedResource
        let resource = decrypted?.cipher ?? made
        let isExposed = decrypted == nil && !base.isMedium && made.link.properties.encryption?.isSecret == true
        return state.withLock { state in
            if let resource = state.resource { return resource }
            state.resource = resource
            state.decrypted = decrypted
            state.isExposed = isExposed
            return resource
        }
    }

    /// Whether the bytes must not be stored: they were decrypted below, by something else than a ``DecryptedResource``.
    var isExposed: Bool {
        _ = resource
        return state.withLock { $0.isExposed }
    }

    /// Returns `resource`, which has the bytes of the medium, decrypted if the fetcher below decrypts.
    func decrypting(_ resource: any Resource) -> any Resource {
        _ = self.resource
        return state.withLock({ $0.decrypted })?.reading(resource) ?? resource
    }

    /// The properties from an archive's directory; nil for a resource that is not in an archive.
    var archived: JSONValue? { resource.link.properties["archive"] }

    /// Whether reading a part of the resource costs as much as reading everything before it.
    var isCompressed: Bool { archived?["isEntryCompressed"]?.boolValue ?? false }

    /// Returns the version that `resource` reads.
    func version(of resource: any Resource) async throws -> ResourceValidator {
        if let version = try await resource.validator() { return version }
        return ResourceValidator(length: try await resource.length())
    }

    /// Makes the next access ask the medium again, through a new proxy.
    func doubt() {
        state.withLock { state in
            state.resource = nil
            state.isConfirmed = false
        }
    }

    /// Makes reads bypass the cache for missing bytes.
    func refuse(_ failure: StorageFailure) { state.withLock { $0.refusal = failure } }

    /// Records the time of the read.
    func noteAccess() { cache.noteAccess(to: digest, in: folder) }

    // MARK: Users

    /// Counts a proxy.
    func join() { state.withLock { $0.users += 1 } }

    /// Removes a proxy from the count. After the last one, drops the file and returns the medium's proxy to close.
    @discardableResult
    func leave() -> (any Resource)? {
        state.withLock { state in
            state.users -= 1
            guard state.users == 0, state.fetches.isEmpty, state.settling == nil else { return nil }
            state.file = nil
            return state.resource.take()
        }
    }
}

extension Fetcher {
    /// Whether the resources have the bytes of a medium, which nothing has decrypted.
    fileprivate var isMedium: Bool {
        self is ArchiveFetcher || self is ProviderFetcher || self is HTTPFetcher || self is FileFetcher
    }
}
