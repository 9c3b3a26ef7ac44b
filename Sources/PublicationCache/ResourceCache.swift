public import Foundation
import FileProviderCore
import Synchronization

/// A folder of this machine in which ``CachingFetcher``s keep resources, for any number of fetchers and processes at
/// once.
///
/// What is there at any moment can be used: nothing has to be finished or repaired after a process or a machine
/// stopped. Names of files are digests, and nobody but the user may read them. When there is no room left, the
/// resources that were not read for the longest time go, except those of pinned publications and those that anybody has
/// open.
public final class ResourceCache: Sendable {
    /// The most bytes that the files take on the disk.
    ///
    /// Another process is noticed after a sixteenth of it was written, so that two may be over the limit by as much for
    /// a moment.
    public let capacity: Int64
    /// Below the folder that was given, so that files of others there are left alone, as are those of another form.
    private let root: String
    private let state = Mutex(State())
    /// One thread, so that one at a time makes room.
    private let cleaning = BlockingThreads(count: 1, name: "carrel.cache")

    fileprivate struct State {
        /// Bytes on the disk when it was last looked at, and those written since; nil before the first look.
        var used: Int64?
        var sinceLook: Int64 = 0
        /// When files were last read, by their paths, as far as the files do not tell yet.
        var accesses: [String: Date] = [:]
        var lastFlush = Date.distantPast
    }

    /// Nothing is read or made before the first use.
    ///
    /// - Parameters:
    ///   - folder: On this machine; made when it is missing. Its file system has to have locks (flock(2)) for processes
    ///     to know each other.
    ///   - capacity: Bytes.
    public init(folder: URL, capacity: Int64) {
        root = folder.appending(path: "carrel-resources-1", directoryHint: .isDirectory).standardizedFileURL.path
        self.capacity = capacity
    }

    /// Bytes that the files take on the disk now.
    ///
    /// - Complexity: A look at each file.
    public func usedBytes() async throws -> Int64 {
        try await cleaning.run { [root] in try CacheSurvey.of(root, capacity: .max).used }
    }

    /// Removes what is kept for one publication, pinned or not. Resources that are open stay readable through those who
    /// have them open.
    ///
    /// - Throws: `CocoaError`, when the disk refuses.
    public func remove(scope: String) async throws {
        let folder = folder(of: scope)
        try await cleaning.run { try CacheSurvey.remove(folder.path) }
        state.withLock { $0.used = nil }
    }

    /// Keeps what there is and what comes of one publication from going when room is made, in other processes and later
    /// runs too.
    public func pin(scope: String) async throws {
        let folder = folder(of: scope)
        try await BlockingThreads.shared.run { try folder.write(Data(), to: CacheFolder.pin) }
    }

    /// Lets the resources of one publication go when room is needed.
    public func unpin(scope: String) async throws {
        let folder = folder(of: scope)
        try await BlockingThreads.shared.run {
            try folder.remove(CacheFolder.pin)
            CacheSurvey.removeIfEmpty(folder.path)
        }
    }

    /// Whether the publication is pinned.
    public func isPinned(scope: String) async throws -> Bool {
        let folder = folder(of: scope)
        return try await BlockingThreads.shared.run { try folder.has(CacheFolder.pin) }
    }

    func folder(of scope: String) -> CacheFolder { CacheFolder(path: root + "/" + NameDigest(scope).name, root: root) }

    // MARK: Room

    /// Counts `bytes` that are about to be written, and makes room for them where that is needed.
    ///
    /// - Throws: ``StorageFailure`` when there is none.
    func makeRoom(for bytes: Int64) async throws {
        if reserve(bytes) { return }
        do {
            try await cleaning.run { [self] in
                if reserve(bytes) { return }
                flushAccesses()
                let used = try CacheSurvey.of(root, capacity: bytes > capacity ? capacity : capacity - bytes).used
                state.withLock { ($0.used, $0.sinceLook) = (used, 0) }
                guard used + bytes <= capacity else {
                    let sentence = "The cache is full: of its \(capacity) bytes, \(used) are pinned or in use."
                    throw FileError.make(.fileWriteOutOfSpace, path: "", sentence: sentence)
                }
                state.withLock { $0.use(bytes) }
            }
        } catch {
            throw StorageFailure(cause: error)
        }
    }

    /// False when it takes a look at the disk.
    private func reserve(_ bytes: Int64) -> Bool {
        state.withLock { state in
            guard let used = state.used, bytes <= capacity, used <= capacity - bytes, state.sinceLook <= capacity / 16
            else { return false }
            state.use(bytes)
            return true
        }
    }

    // MARK: Times of access

    /// Remembers that a file is being read; its own time follows once a minute, and before room is made.
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
