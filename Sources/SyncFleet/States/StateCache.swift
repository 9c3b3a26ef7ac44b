import FileProviderCore
import Foundation
import LocalFileProvider
import Sync

/// The states on this machine's disk: working copies in `work`, and in `states` those that were used last.
///
/// A file enters `states` only by being moved there as a whole, under the name of a published state, and its checksum
/// is compared before it is used again.
actor StateCache {
    /// A file of the cache.
    struct File: Sendable {
        let url: URL
        let path: ProviderPath
    }

    /// What is open while the cache is used.
    private struct Parts: Sendable {
        let work: WorkFolder
        let local: LocalFileProvider
    }

    private let folder: URL
    private let most: Int64
    private var opened: Task<Parts, any Error>?
    /// The workers of this process that use the cache.
    private var users = 0
    /// The bytes in `states` as far as this process knows; others may use the cache, too.
    private var used: Int64 = 0
    private var keptSinceLook = 0

    /// After so many files that were kept, the folder is looked at again.
    private static let mostBetweenLooks = 100

    init(_ folder: URL, most: Int64) {
        self.folder = folder
        self.most = most
    }

    private var states: URL { folder.appending(path: "states", directoryHint: .isDirectory) }

    /// Makes the folders and removes the working copies of dead processes, if no other worker did so.
    func open() async throws {
        _ = try await parts()
        users += 1
    }

    /// Removes this process's working copies if no other worker uses the cache.
    func close() async throws {
        users -= 1
        guard users <= 0, let opened else { return }
        self.opened = nil
        let work = try await opened.value.work
        try await BlockingThreads.shared.run { try work.remove() }
    }

    private func parts() async throws -> Parts {
        let task = opened ?? Task { try await makeParts() }
        opened = task
        do { return try await task.value } catch {
            opened = nil
            throw error
        }
    }

    private func makeParts() async throws -> Parts {
        let (folder, states) = (folder, states)
        let parts = try await BlockingThreads.shared.run {
            try MissingFolder.create(states)
            return Parts(
                work: try WorkFolder(in: folder.appending(path: "work", directoryHint: .isDirectory)),
                local: try LocalFileProvider(root: folder))
        }
        try await look()
        return parts
    }

    /// The provider of the cache's folder.
    func provider() async throws -> LocalFileProvider { try await parts().local }

    /// Returns the place of a working copy for the holder of a lease.
    func workingFile(pair: Int64, fence: Int64) async throws -> File {
        let work = try await parts().work.url
        let name = "\(pair)-\(fence).sqlite"
        return File(
            url: work.appending(path: name), path: try ProviderPath("work/\(work.lastPathComponent)/\(name)"))
    }

    /// Moves a kept state to `file` and returns true, or returns false if it isn't in the cache.
    func take(_ name: FleetStateName, to file: File) async throws -> Bool {
        let source = states.appending(path: name.cached)
        let size = try await BlockingThreads.shared.run { () -> Int64? in
            guard rename(source.path, file.url.path) == 0 else {
                if errno == ENOENT { return nil }
                throw FileError.make(errno: errno, path: file.path, writing: true)
            }
            var status = stat()
            return stat(file.url.path, &status) == 0 ? Int64(status.st_size) : 0
        }
        guard let size else { return false }
        used -= size
        return true
    }

    /// Moves a working copy to the kept states, and removes those that were used longest ago if there are too many.
    func keep(_ file: File, as name: FleetStateName, size: Int64) async throws {
        let target = states.appending(path: name.cached)
        guard size <= most else { return try await discard(file) }
        try await BlockingThreads.shared.run {
            guard rename(file.url.path, target.path) == 0, utimensat(AT_FDCWD, target.path, nil, 0) == 0 else {
                throw FileError.make(errno: errno, path: file.path, writing: true)
            }
        }
        used += size
        keptSinceLook += 1
        if used > most || keptSinceLook >= Self.mostBetweenLooks { try await look() }
    }

    /// Removes a working copy with the files that SQLite keeps beside it.
    func discard(_ file: File) async throws {
        try await BlockingThreads.shared.run {
            for suffix in [""] + Self.besides where unlink(file.url.path + suffix) != 0 && errno != ENOENT {
                throw FileError.make(errno: errno, path: file.path, writing: true)
            }
        }
    }

    /// Returns the size and SHA-256 of a working copy that is closed.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` if SQLite left a part of the state in another file, as it does if the
    ///   disk is full.
    func measure(_ file: File) async throws -> (size: Int64, checksum: String) {
        let local = try await provider()
        try await BlockingThreads.shared.run {
            for suffix in Self.besides {
                var status = stat()
                guard stat(file.url.path + suffix, &status) == 0, status.st_size > 0 else { continue }
                throw FileError.make(
                    .fileWriteUnknown, path: file.url.path,
                    sentence: "A part of the state is still in “\(file.url.lastPathComponent)\(suffix)”.")
            }
        }
        let size = try await local.attributesOfItem(path: file.path).size ?? 0
        return (size, try await FileChecksum.of(file.path, of: local, kind: "sha256").value)
    }

    /// Source: SQLite, Temporary Files Used By SQLite.
    private static let besides = ["-wal", "-journal", "-shm"]

    /// Counts the kept bytes, and removes the oldest files until no more than the limit are left.
    private func look() async throws {
        let (states, most) = (states, most)
        used = try await BlockingThreads.shared.run {
            let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey]
            var files: [(url: URL, size: Int64, date: Date)] = []
            for url in try FileManager.default.contentsOfDirectory(at: states, includingPropertiesForKeys: Array(keys))
            where FleetStateName(cached: url.lastPathComponent) != nil {
                // Another process may have taken it meanwhile.
                guard let values = try? url.resourceValues(forKeys: keys) else { continue }
                files.append((url, Int64(values.fileSize ?? 0), values.contentModificationDate ?? .distantPast))
            }
            files.sort { $0.date < $1.date }
            var used = files.reduce(0) { $0 + $1.size }
            for file in files where used > most {
                guard unlink(file.url.path) == 0 || errno == ENOENT else {
                    throw FileError.make(errno: errno, path: .root, writing: true)
                }
                used -= file.size
            }
            return used
        }
        keptSinceLook = 0
    }
}
