import FileProviderCore
import Foundation
import Publication
import Synchronization

/// What one fetcher knows of one resource: the medium's proxy, the file in the cache, which of the two was asked what,
/// and what is on its way. All proxies to the resource share it.
final class CachedEntry: Sendable {
    struct State {
        /// The medium's proxy; a new one after an error, which may have been that of a changed file.
        var resource: (any Resource)?
        var file: CacheFile?
        /// Whether the medium has said, to this fetcher, that the file's version is the current one.
        var isConfirmed = false
        /// Whether the medium did not answer when it was asked.
        var isOffline = false
        /// Why nothing more is stored: the cache's storage took no more, or the medium does not know how long the
        /// resource is.
        var refusal: StorageFailure?
        /// The file that this fetcher began; see ``CachedEntry/settled(near:mustAsk:)``.
        var ownNonce: UInt64?
        /// The file that was confirmed.
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
    ///   - name: What tells the resource from others in the publication.
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

    /// The medium's proxy, made when it is needed.
    var resource: any Resource {
        if let resource = state.withLock({ $0.resource }) { return resource }
        let made = base.get(link)
        return state.withLock { state in
            if let resource = state.resource { return resource }
            state.resource = made
            return made
        }
    }

    /// What an archive's directory says of the resource; nil for what lies in no archive.
    var archived: JSONValue? { resource.link.properties["archive"] }

    /// Whether parts of the resource cost as much as all that lies before them.
    var isCompressed: Bool { archived?["isEntryCompressed"]?.boolValue ?? false }

    /// The version that `resource` reads.
    func version(of resource: any Resource) async throws -> ResourceValidator {
        if let version = try await resource.validator() { return version }
        return ResourceValidator(length: try await resource.length())
    }

    /// Has the next access ask anew, through a new proxy.
    func doubt() {
        state.withLock { state in
            state.resource = nil
            state.isConfirmed = false
        }
    }

    /// Has reading go past the cache where bytes are missing.
    func refuse(_ failure: StorageFailure) { state.withLock { $0.refusal = failure } }

    /// Remembers when the resource was read.
    func noteAccess() { cache.noteAccess(to: digest, in: folder) }

    // MARK: Users

    /// Counts a proxy in.
    func join() { state.withLock { $0.users += 1 } }

    /// Counts a proxy out; with the last one go the file and the medium's proxy, which is given back to be closed.
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
