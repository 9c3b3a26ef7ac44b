public import Foundation
import FileProviderCore
import Synchronization

/// A folder on this machine in which ``CachingFetcher``s store resources, for any number of fetchers and processes at
/// once.
///
/// The content is usable at any moment: nothing has to be finished or repaired after a crash. File names are digests,
/// and only the user may read the files. When there is no room left, the least recently read resources are evicted,
/// except those of pinned publications and those that are open.
public final class ResourceCache: Sendable {
    /// The most bytes that the files take on the disk.
    ///
    /// Writes of another process are noticed after a sixteenth of it was written, so that two processes may briefly
    /// exceed it by as much.
    public let capacity: Int64
    /// A folder below the given one, so that other files there are left alone, as are those of another format version.
    private let root: String
    private let state = Mutex(State())
    /// A single thread, so that only one caller at a time evicts files.
    private let cleaning = BlockingThreads(count: 1, name: "carrel.cache")

    fileprivate struct State {
        /// Bytes on disk at the last survey, plus those written since; nil before the first survey.
        var used: Int64?
        var sinceLook: Int64 = 0
        /// The times of the last reads by path, as far as the files don't have them yet.
        var accesses: [String: Date] = [:]
        var lastFlush = Date.distantPast
    }

    /// A cache in `folder`. Nothing is read or created before the first use.
    ///
    /// - Parameters:
    ///   - folder: A folder on this machine; created if missing. Its file system must support flock(2) for processes to
    ///     see each other's locks.
    ///   - capacity: The limit in bytes.
    public init(folder: URL, capacity: Int64) {
        root = folder.appending(path: "carrel-resources-1", directoryHint: .isDirectory).standardizedFileURL.path
        self.capacity = capacity
    }

    /// Returns the bytes that the files take on the disk now.
    ///
    /// - Complexity: One fstatat(2) for each file.
    public func usedBytes() async throws -> Int64 {
        try await cleaning.run { [root] in try CacheSurvey.of(root, capacity: .max).used }
    }

    /// Removes all resources of one publication, pinned or not. Resources that are open stay readable.
    ///
    /// - Throws: `CocoaError` if the files cannot be removed.
    public func remove(scope: String) async throws {
        let folder = folder(of: scope)
        try await cleaning.run { try CacheSurvey.remove(folder.path) }
        state.withLock { $0.used = nil }
    }

    /// Pins a publication: its present and future resources are not evicted, in other processes and later runs either.
    public func pin(scope: String) async throws {
        let folder = folder(of: scope)
        try await BlockingThreads.shared.run { try folder.write(Data(), to: CacheFolder.pin) }
    }

    /// Unpins a publication: its resources may be evicted when room is needed.
    public func unpin(scope: String) async throws {
        let folder = folder(of: scope)
        try await BlockingThreads.shared.run {
            try folder.remove(CacheFolder.pin)
            CacheSurvey.removeIfEmpty(folder.path)
        }
    }

    /// Returns whether the publication is pinned.
    public func isPinned(scope: String) async throws -> Bool {
        let folder = folder(of: scope)
        return try await BlockingThreads.shared.run { try folder.has(CacheFolder.pin) }
    }

    func folder(of scope: String) -> CacheFolder { CacheFolder(path: root + "/" + NameDigest(scope).name, root: root) }

    // MARK: Room

    /// Counts `bytes` that are about to be written, and evicts files if necessary.
    ///
    /// - Throws: ``StorageFailure`` if there is no room.
    func makeRoom(for bytes: Int64) async throws {
        if reserve(bytes) { return }
        do {
            try await cleaning.run { [self] in
                if reserve(bytes) { return }
                flushAccesses()
                let used = try CacheSurvey.of(root, capacity: bytes > capacity ? capacity : capacity - bytes).used
                state.withLock { ($0.used, $0.sinceLook) = (used, 0) }
                guard used + bytes <= capacity else {
                    let sentence =
                        "The cache is full: \(used) of its \(capacity) bytes are pinned or in use; unpin a publication or raise the capacity."
                    throw FileError.make(.fileWriteOutOfSpace, path: "", sentence: sentence)
                }
                state.withLock { $0.use(bytes) }
            }
        } catch {
            throw StorageFailure(cause: error)
        }
    }

    /// Returns false if a survey of the disk is needed.
    private func reserve(_ bytes: Int64) -> Bool {
        state.withLock { state in
            guard let used = state.used, bytes <= capacity, used <= capacity - bytes, state.sinceLook <= capacity / 16
            else { return false }
            state.use(bytes)
            return true
        }
    }

    // MARK: Times of access

    /// Records that a file is being read. The file's own time is updated once a minute, and before evictions.
    func noteAccess(to resource: NameDigest, in folder: CacheFolder) {
        let now = Date()
        let isDue = state.withLock { state in
            state.accesses["\(folder.path)/\(resource.name)"] = now
            return state.accesses.count >= 1024 || now.timeIntervalSince(state.lastFlush) > 60
        }
        if isDue { Task { await writeAccesses() } }
    }

    /// Writes the times of access to the files.
    func writeAccesses() async { try? await BlockingThreads.shared.run { self.flushAccesses() } }

    private func flushAccesses() {
        let accesses = state.withLock { state in
            state.lastFlush = Date()
            defer { state.accesses = [:] }
            return state.accesses
        }
        for (path, date) in accesses {
            let times = [date.fileTime, date.fileTime]
            _ = utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW)
        }
    }
}

extension ResourceCache.State {
    fileprivate mutating func use(_ bytes: Int64) {
        used = (used ?? 0) + bytes
        sinceLook += bytes
    }
}
