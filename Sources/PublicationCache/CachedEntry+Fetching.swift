import Archives
import FileProviderCore
import Foundation
import Publication
import Synchronization

/// Fetches missing blocks from the medium.
extension CachedEntry {
    /// The most that one request reads ahead of the reader, 16 MiB. The bytes go to the disk as they arrive, whether
    /// the reader consumes them or not.
    private static let window: Int64 = 16 << 20

    /// Joins the request that loads `block`, or makes one for it and the missing ones behind it; nil if it has arrived
    /// by now.
    func fetch(_ block: Int, before end: Int, of file: CacheFile) async throws -> BlockFetch? {
        if state.withLock({ !$0.isConfirmed }) {
            guard try await settled(near: Int64(block) * file.header.block, mustAsk: true) === file else {
                throw changed()
            }
        }
        // An entry that claims to be longer is one that archives refuse to unpack by default.
        let maxSize = isCompressed ? ArchiveLimits.standard.maxEntrySize : min(Self.window, cache.capacity / 4)
        let ahead = min(end, block + max(1, Int(maxSize / file.header.block)))
        let (missing, isRemoved) = try await BlockingThreads.shared.run { flag in
            (try file.missing(in: block..<ahead, flag), file.isRemoved)
        }
        let (fetch, isNew): (BlockFetch?, Bool) = try state.withLock { state in
            // The next reader opens the current file.
            if isRemoved, state.file === file { state.file = nil }
            let own = state.fetches.filter { $0.file === file }
            if let running = own.first(where: { $0.blocks.contains(block) && $0.join() }) { return (running, false) }
            if missing.isEmpty || file.has(block..<block + 1) { return (nil, false) }
            if let refusal = state.refusal { throw refusal }
            let limit = own.map(\.blocks.lowerBound).filter { $0 > block }.min() ?? missing.upperBound
            let fetch = BlockFetch(block..<min(missing.upperBound, limit), into: file)
            state.fetches.append(fetch)
            return (fetch, true)
        }
        if let fetch, isNew { fetch.start { try await self.bring(fetch) } }
        return fetch
    }

    /// Requests the blocks of `fetch` from the medium, and commits those that arrive, however the request ends.
    private func bring(_ fetch: BlockFetch) async throws {
        defer { state.withLock { $0.fetches.removeAll { $0 === fetch } } }
        let (file, resource, writer) = (fetch.file, resource, BlockWriter(fetch, cache: cache))
        try await writer.reserve()
        do {
            try await resource.stream(writer.range, into: writer)
            guard writer.isDone else {
                throw FileError.make(
                    .fileReadUnknown, path: link.href,
                    sentence: "“\(link.href)” is shorter than its storage reported; read it again.")
            }
        } catch {
            let isStopped = error.isCancellation
            if isStopped || writer.failure != nil || error.resourceFailure == .unavailable {
                // In a separate task that cannot be cancelled.
                await withCancellationShield { try? await self.commit(file, by: resource) }
            } else {
                // Damaged, or another version: the bytes that arrived before the error are as bad.
                file.dropPending()
            }
            if let failure = writer.failure { throw failure }
            if writer.hasOtherSize { throw changed() }
            if !isStopped { doubt() }
            throw error
        }
        try await commit(file, by: resource)
    }

    /// Commits the blocks that arrived, if the medium still reports the same version; else forgets the file.
    func commit(_ file: CacheFile, by resource: any Resource) async throws {
        guard file.pendingBlocks > 0 else { return }
        do {
            guard file.header.holds(try await version(of: resource)) else {
                state.withLock { if $0.file === file { $0.file = nil } }
                throw changed()
            }
        } catch {
            file.dropPending()
            doubt()
            throw error
        }
        do {
            try await BlockingThreads.shared.run { try file.commit() }
        } catch let failure as StorageFailure {
            refuse(failure)
        }
    }

    /// Returns the error for a changed resource. The next read asks the medium again.
    func changed() -> CocoaError {
        doubt()
        return FileError.make(
            .fileReadUnknown, path: link.href,
            sentence: "“\(link.href)” changed while it was being read; read it again.",
            underlying: POSIXError(.ESTALE))
    }
}
