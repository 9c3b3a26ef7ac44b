import Synchronization

/// A remote provider's memory of its storage, as its ``CachePolicy`` allows.
public final class ListingCache: Sendable {
    fileprivate struct Entry {
        let expiry: ContinuousClock.Instant
        let children: [FileObject]
        let items: [ProviderPath: FileObject]
    }

    fileprivate struct State {
        var folders: [ProviderPath: Entry] = [:]
        var count = 0
        var changes = 0
    }

    private let policy: CachePolicy
    private let state = Mutex(State())

    /// An empty cache. With ``CachePolicy/none`` it stays empty.
    public init(policy: CachePolicy) {
        self.policy = policy
    }

    /// A moment to file answers under: an answer that was requested before a change and arrives after it is not kept.
    public struct Moment: Sendable {
        fileprivate let changes: Int
    }

    /// The present moment; take it before asking the storage.
    public var now: Moment { Moment(changes: state.withLock { $0.changes }) }

    /// Runs `body` with the cache bypassed, so that the storage is asked.
    package static func bypassing<Value: Sendable>(_ body: () async throws -> Value) async rethrows -> Value {
        try await $isBypassed.withValue(true) { try await body() }
    }

    @TaskLocal private static var isBypassed = false

    /// Returns the children of the folder at `path`, if a remembered listing is recent enough.
    public func contents(of path: ProviderPath) -> [FileObject]? { entry(path)?.children }

    /// Returns the item at `path`, if a remembered listing of its folder is recent enough.
    public func item(at path: ProviderPath) -> FileObject? { path.parent.flatMap { entry($0)?.items[path] } }

    private func entry(_ folder: ProviderPath) -> Entry? {
        guard policy.lifetime > 0, !Self.isBypassed else { return nil }
        return state.withLock { $0.folders[folder].flatMap { $0.expiry > .now ? $0 : nil } }
    }

    /// Remembers a whole listing that was requested at `moment`.
    public func keep(_ contents: [FileObject], of path: ProviderPath, since moment: Moment) {
        guard policy.lifetime > 0, contents.count <= policy.maxItems else { return }
        let items = Dictionary(contents.map { ($0.path, $0) }) { $1 }
        let entry = Entry(expiry: .now + .seconds(policy.lifetime), children: contents, items: items)
        state.withLock { state in
            guard state.changes == moment.changes else { return }
            state.remove(path)
            if state.count + items.count > policy.maxItems { state.removeExpired() }
            if state.count + items.count > policy.maxItems { state.removeAll() }
            state.folders[path] = entry
            state.count += items.count
        }
    }

    /// Begins to remember a listing of the folder at `path`, as far as the policy allows. Call it before asking the
    /// storage.
    public func record(of path: ProviderPath) -> ListingRecord {
        ListingRecord(self, path: path, maxCount: policy.lifetime > 0 ? policy.maxItems : -1)
    }

    /// Forgets the item at `path`, everything below it, and its folder's listing; at the root, everything.
    public func drop(_ path: ProviderPath) {
        guard policy.lifetime > 0 else { return }
        state.withLock { state in
            state.changes += 1
            if let parent = path.parent { state.remove(parent) }
            for folder in state.folders.keys where folder == path || folder.isBelow(path) { state.remove(folder) }
        }
    }
}

extension ListingCache.State {
    fileprivate mutating func remove(_ folder: ProviderPath) {
        count -= folders.removeValue(forKey: folder)?.items.count ?? 0
    }

    fileprivate mutating func removeExpired() {
        for (folder, entry) in folders where entry.expiry <= .now { remove(folder) }
    }

    fileprivate mutating func removeAll() {
        folders = [:]
        count = 0
    }
}

/// A listing under way, remembered once it is whole.
public final class ListingRecord: Sendable {
    private let cache: ListingCache
    private let path: ProviderPath
    private let moment: ListingCache.Moment
    private let maxCount: Int
    private let found: Mutex<[FileObject]?>

    init(_ cache: ListingCache, path: ProviderPath, maxCount: Int) {
        self.cache = cache
        self.path = path
        self.maxCount = maxCount
        moment = cache.now
        found = Mutex(maxCount < 0 ? nil : [])
    }

    /// Adds a page. Drops all items once they are too many to remember.
    public func add(_ items: [FileObject]) {
        found.withLock { found in found = found.flatMap { $0.count + items.count <= maxCount ? $0 + items : nil } }
    }

    /// Remembers the added items as the whole folder.
    public func keep() {
        if let found = found.withLock({ $0 }) { cache.keep(found, of: path, since: moment) }
    }
}
